// told_sink.h - a file in memory, and a sink that writes down what it is told, for comparison.
#pragma once

#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <string>

#include "rdb/rdb_reader.h"

namespace mayfly::rdb {

// Gives at most `piece` bytes at a time.
class MemorySource final : public ByteSource {
 public:
  MemorySource(Bytes bytes, std::size_t piece) : bytes_(bytes), piece_(piece) {}

  Result<std::size_t> Read(char* to, std::size_t bytes_max) override {
    const std::size_t count = std::min({bytes_max, piece_, bytes_.size()});
    std::memcpy(to, bytes_.data(), count);
    bytes_.remove_prefix(count);
    return count;
  }

 private:
  Bytes bytes_;
  const std::size_t piece_;
};

class ToldSink final : public FileSink {
 public:
  const std::string& told() const { return told_; }

  Status BeginKey(const KeyHead& key) override {
    return Tell("{} {} {}{}:", key.database, NameOf(key.kind), key.name,
                key.deadline ? fmt::format(" until {}", ToMs(*key.deadline)) : "");
  }
  Status EndKey() override { return Tell("\n"); }
  Status Text(std::string text) override { return Tell(" {}", text); }
  Status Element(std::string element) override { return Tell(" {}", element); }
  Status Field(std::string name, std::string value, std::optional<WallTime> deadline) override {
    return Tell(" {}={}{}", name, value, deadline ? fmt::format("@{}", ToMs(*deadline)) : "");
  }
  Status Score(std::string name, double score) override { return Tell(" {}={}", name, score); }
  Status Entry(StreamEntry entry) override {
    told_ += fmt::format(" {}-{}[", entry.id.ms, entry.id.sequence);
    for (const auto& [name, value] : entry.fields) told_ += fmt::format("{}={},", name, value);
    return Tell("]");
  }
  Status Stream(StreamState state) override {
    told_ += fmt::format(" last={}-{} added={}", state.last.ms, state.last.sequence,
                         state.entries_added.value_or(0));
    for (const StreamGroup& group : state.groups) {
      told_ += fmt::format(" group {} at {}-{}", group.name, group.last.ms, group.last.sequence);
      for (const PendingEntry& entry : group.pending) {
        told_ += fmt::format(" {}-{}:{}x{}", entry.id.ms, entry.id.sequence, entry.consumer,
                             entry.deliveries);
      }
      for (const StreamConsumer& consumer : group.consumers) told_ += " " + consumer.name;
    }
    return {};
  }
  Status Module(const std::string& name) override { return Tell(" of {}", name); }
  Status Aux(const std::string& name, const std::string& value) override {
    return Tell("aux {}={}\n", name, value);
  }
  Status Function(const std::string& text) override { return Tell("function {}\n", text); }
  Status ModuleAux(const std::string& module) override { return Tell("module {}\n", module); }

 private:
  template <typename... Args>
  Status Tell(fmt::format_string<Args...> format, Args&&... args) {
    fmt::format_to(std::back_inserter(told_), format, std::forward<Args>(args)...);
    return {};
  }

  std::string told_;
};

}  // namespace mayfly::rdb

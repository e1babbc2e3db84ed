// text_sink.h - a file in memory, and a sink that writes everything as text, for comparison.
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

class TextSink final : public FileSink {
 public:
  const std::string& text() const { return text_; }

  Status BeginKey(const KeyHead& key) override {
    return Write("{} {} {}{}:", key.database, NameOf(key.kind), key.name,
                 key.deadline ? fmt::format(" until {}", ToMs(*key.deadline)) : "");
  }
  Status EndKey() override { return Write("\n"); }
  Status Text(std::string text) override { return Write(" {}", text); }
  Status Element(std::string element) override { return Write(" {}", element); }
  Status Field(std::string name, std::string value, std::optional<WallTime> deadline) override {
    return Write(" {}={}{}", name, value, deadline ? fmt::format("@{}", ToMs(*deadline)) : "");
  }
  Status Score(std::string name, double score) override { return Write(" {}={}", name, score); }
  Status Entry(StreamEntry entry) override {
    text_ += fmt::format(" {}-{}[", entry.id.ms, entry.id.sequence);
    for (const auto& [name, value] : entry.fields) text_ += fmt::format("{}={},", name, value);
    return Write("]");
  }
  Status Stream(StreamState state) override {
    text_ += fmt::format(" last={}-{} added={}", state.last.ms, state.last.sequence,
                         state.entries_added.value_or(0));
    for (const StreamGroup& group : state.groups) {
      text_ += fmt::format(" group {} at {}-{}", group.name, group.last.ms, group.last.sequence);
      for (const PendingEntry& entry : group.pending) {
        text_ += fmt::format(" {}-{}:{}x{}", entry.id.ms, entry.id.sequence, entry.consumer,
                             entry.deliveries);
      }
      for (const StreamConsumer& consumer : group.consumers) text_ += " " + consumer.name;
    }
    return {};
  }
  Status Module(const std::string& name) override { return Write(" of {}", name); }
  Status Aux(const std::string& name, const std::string& value) override {
    return Write("aux {}={}\n", name, value);
  }
  Status Function(const std::string& text) override { return Write("function {}\n", text); }
  Status ModuleAux(const std::string& module) override { return Write("module {}\n", module); }

 private:
  template <typename... Args>
  Status Write(fmt::format_string<Args...> format, Args&&... args) {
    fmt::format_to(std::back_inserter(text_), format, std::forward<Args>(args)...);
    return {};
  }

  std::string text_;
};

}  // namespace mayfly::rdb

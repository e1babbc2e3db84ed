// value_collector.h - gathers a value that a dump hands out element by element.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <utility>

#include "rdb/value_reader.h"
#include "server/dump/dumped_value.h"

namespace mayfly::server {

// The type of value here; nothing for what the server does not have: modules' types.
std::optional<types::ValueType> TypeOfKind(rdb::ValueKind kind);

// `Sink`: rdb::ValueSink, or one that is derived from it.
template <typename Sink>
class Collecting : public Sink {
 public:
  Status Text(std::string text) override {
    bytes_ += text.size();
    value_.text = std::move(text);
    return {};
  }
  Status Element(std::string element) override {
    bytes_ += element.size() + sizeof(std::string);
    value_.elements.push_back(std::move(element));
    return Grown();
  }
  Status Field(std::string name, std::string value, std::optional<WallTime> deadline) override {
    bytes_ += name.size() + value.size() + sizeof(DumpedField);
    value_.fields.push_back({std::move(name), std::move(value), deadline});
    return Grown();
  }
  Status Score(std::string name, double score) override {
    bytes_ += name.size() + sizeof(DumpedScore);
    value_.scores.push_back({std::move(name), score});
    return Grown();
  }

  Status Entry(rdb::StreamEntry entry) override {
    bytes_ += sizeof(entry);
    for (const auto& [name, value] : entry.fields) {
      bytes_ += name.size() + value.size() + 2 * sizeof(std::string);
    }
    value_.entries.push_back(std::move(entry));
    return Grown();
  }
  Status Stream(rdb::StreamState state) override {
    value_.stream = std::move(state);
    return {};
  }

  DumpedValue& value() { return value_; }

  // Memory of the value since it was last emptied.
  std::size_t bytes() const { return bytes_; }

  // Without an element; a stream may be.
  bool empty() const {
    return value_.elements.empty() && value_.fields.empty() && value_.scores.empty() &&
           !value_.stream;
  }

  void Clear(types::ValueType type) {
    value_ = DumpedValue{.type = type};
    bytes_ = 0;
  }

 private:
  // An element was added.
  virtual Status Grown() { return {}; }

  DumpedValue value_;
  std::size_t bytes_ = 0;
};

using ValueCollector = Collecting<rdb::ValueSink>;

}  // namespace mayfly::server

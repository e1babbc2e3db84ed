// value_reader.h - decodes the values of Redis' dumps, from version 1 to 12, element by element.
// A collection of any size passes through a bounded memory: that of one element, or of one of the
// small packed lists that Redis makes of several.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "mayfly/clock.h"
#include "mayfly/status.h"
#include "rdb/input.h"
#include "rdb/stream_value.h"

namespace mayfly::rdb {

enum class ValueKind : std::uint8_t { kString, kList, kSet, kSortedSet, kHash, kStream, kModule };

std::string_view NameOf(ValueKind kind);

// Nothing: no dump up to version 12 has such a type.
std::optional<ValueKind> KindOf(std::uint8_t type);

// Receives a value. An error ends the reading, which returns it.
class ValueSink {
 public:
  virtual ~ValueSink() = default;

  virtual Status Text(std::string text) = 0;        // A string: once.
  virtual Status Element(std::string element) = 0;  // Of a list, in its order, or of a set.
  virtual Status Field(std::string name, std::string value, std::optional<WallTime> deadline) = 0;
  virtual Status Score(std::string name, double score) = 0;

  // A stream: its entries in order, then the rest of it.
  virtual Status Entry(StreamEntry entry) = 0;
  virtual Status Stream(StreamState state) = 0;

  // A value of a module was read over.
  virtual Status Module(const std::string& /*name*/) { return {}; }
};

// Reads the value behind its type. False: in.status() says why.
[[nodiscard]] bool ReadValue(Input& in, std::uint8_t type, ValueSink& sink);

// Reads over what a module has written, up to its end; for modules' data outside of keys, too.
[[nodiscard]] bool SkipModuleData(Input& in);

// The name that a module's type has within its id.
std::string ModuleName(std::uint64_t id);

}  // namespace mayfly::rdb

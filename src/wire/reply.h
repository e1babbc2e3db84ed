// reply.h - one reply of a server, as a value.
// For tests, tools and the command line. A server writes replies with ReplyWriter and builds none.
#pragma once

#include <cstdint>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "mayfly/bytes.h"
#include "wire/reply_writer.h"

namespace mayfly {

struct Reply {
  enum class Kind : std::uint8_t {
    kNull,          // nothing: _ and $-1
    kNullArray,     // nothing: *-1, which RESP3 does not tell from kNull
    kSimpleString,  // text
    kError,         // text, beginning with its code
    kBulk,          // text, any bytes
    kBulkError,     // text, any bytes
    kVerbatim,      // text, any bytes after three characters of format and ':', as in "txt:hello"
    kBigNumber,     // text, a decimal integer
    kInteger,
    kDouble,
    kBoolean,
    kArray,  // items
    kSet,    // items
    kPush,   // items; never inside another reply
    kMap,    // items: key, value, key, value, in the order they were sent
  };
  using Items = std::vector<Reply>;

  static Reply Null() { return {}; }
  static Reply NullArray() { return {.kind = Kind::kNullArray, .value = {}, .attributes = {}}; }
  static Reply Text(Kind kind, std::string text) {
    return {.kind = kind, .value = std::move(text), .attributes = {}};
  }
  static Reply Bulk(std::string text) { return Text(Kind::kBulk, std::move(text)); }
  static Reply Integer(std::int64_t n) {
    return {.kind = Kind::kInteger, .value = n, .attributes = {}};
  }
  static Reply Double(double n) { return {.kind = Kind::kDouble, .value = n, .attributes = {}}; }
  static Reply Boolean(bool b) { return {.kind = Kind::kBoolean, .value = b, .attributes = {}}; }
  static Reply Of(Kind kind, Items items) {
    return {.kind = kind, .value = std::move(items), .attributes = {}};
  }
  static Reply Array(Items items) { return Of(Kind::kArray, std::move(items)); }

  bool is_null() const { return kind == Kind::kNull || kind == Kind::kNullArray; }
  bool is_error() const { return kind == Kind::kError || kind == Kind::kBulkError; }

  // The value of the kind; that of another kind throws std::bad_variant_access.
  const std::string& text() const { return std::get<std::string>(value); }
  std::int64_t integer() const { return std::get<std::int64_t>(value); }
  double number() const { return std::get<double>(value); }
  bool boolean() const { return std::get<bool>(value); }
  const Items& items() const { return std::get<Items>(value); }
  Items& items() { return std::get<Items>(value); }

  // Of the same kind, with equal values and attributes. A NaN equals a NaN.
  friend bool operator==(const Reply& a, const Reply& b);

  Kind kind = Kind::kNull;
  std::variant<std::monostate, bool, std::int64_t, double, std::string, Items> value;
  Items attributes;  // key, value, key, value
};

// Writes the reply; RESP2 cannot express attributes, and which kind a map, set, push, double,
// boolean or verbatim string was.
void WriteReply(const Reply& reply, ReplyWriter& writer);

}  // namespace mayfly

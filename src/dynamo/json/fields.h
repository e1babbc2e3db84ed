// fields.h - the members of one object of a request, read by name and type.
// The request has its shape (shapes/shape.h), so reading does not fail: a member that is missing,
// or null, reads as nothing; one of another type cannot be there, and reads as missing, too.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "dynamo/json/json.h"
#include "dynamo/json/refusal.h"

namespace mayfly::dynamo {

// Borrows the object.
class Fields {
 public:
  explicit Fields(const json::object& object) : object_(&object) {}

  // Null when it is missing.
  const json::value* Find(std::string_view name) const;
  bool Has(std::string_view name) const { return Find(name) != nullptr; }

  std::optional<std::string> String(std::string_view name) const;
  std::string Text(std::string_view name) const { return String(name).value_or(""); }
  // Of a table or index; for a table's ARN, the name in it.
  std::string Name(std::string_view name) const;
  std::optional<std::int64_t> Integer(std::string_view name) const;
  std::optional<bool> OptionalBoolean(std::string_view name) const;
  bool Boolean(std::string_view name, bool otherwise = false) const {
    return OptionalBoolean(name).value_or(otherwise);
  }

  // Null when it is missing; empty when it is missing.
  const json::object* Map(std::string_view name) const;
  const json::array* List(std::string_view name) const;
  const json::object& MapOrNone(std::string_view name) const;
  const json::array& ListOrNone(std::string_view name) const;
  std::vector<std::string> Strings(std::string_view name) const;
  std::optional<Fields> Structure(std::string_view name) const;
  // Each element of a list of structures.
  std::vector<Fields> Structures(std::string_view name) const;

 private:
  const json::object* object_;
};

// "orders" for "arn:aws:dynamodb:mayfly:000000000000:table/orders"; anything else as it is.
std::string TableOfArn(std::string_view name);

inline constexpr const char* kUnexpectedStructure =
    "Start of structure or map found where not expected";

// A SerializationException for a value where `wanted` ("String", "Integer") should be.
Refusal WrongType(const json::value& value, std::string_view wanted);

// The text of a JSON string, or WrongType.
Outcome<std::string> StringOf(const json::value& value);
// Also of the strings that DynamoDB takes for a boolean: "true", "yes", "1" and their opposites.
Outcome<bool> BooleanOf(const json::value& value);
// Of a number, without its fraction; the nearest if it is none of 64 bits.
std::int64_t IntegerOf(const json::value& value);
// The members of a JSON object.
Outcome<const json::object*> ObjectOf(const json::value& value);

}  // namespace mayfly::dynamo

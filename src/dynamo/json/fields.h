// fields.h - the members of one object of a request, read by name and type.
// Reading does not fail: a member of another JSON type, or one that breaks a constraint, is noted
// and reads as missing. Check() returns the error; a handler calls it after its reads and before it
// uses any of them. Members that are null count as missing; unknown members are ignored, as in
// DynamoDB.
#pragma once

#include <cstddef>
#include <cstdint>
#include <initializer_list>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "dynamo/json/json.h"
#include "dynamo/json/refusal.h"
#include "dynamo/json/validation.h"

namespace mayfly::dynamo {

class Fields {
 public:
  // Both must outlive it. Messages put `path` in front of names.
  Fields(const json::object& object, Validation& validation, std::string path = {})
      : object_(object), validation_(validation), path_(std::move(path)) {}

  // Null when it is missing.
  const json::value* Find(std::string_view name) const;
  bool Has(std::string_view name) const { return Find(name) != nullptr; }

  std::optional<std::string> String(std::string_view name) const;
  std::string RequiredString(std::string_view name, std::size_t min = 0,
                             std::size_t max = SIZE_MAX) const;
  // Of a table or index; for a table's ARN, the name in it. Empty when it is missing or wrong.
  std::string Name(std::string_view name) const;
  std::optional<std::string> OptionalName(std::string_view name) const;
  // Empty when it is missing.
  std::string OneOf(std::string_view name, std::initializer_list<std::string_view> values,
                    bool required = false) const;
  std::optional<std::int64_t> Integer(std::string_view name, std::int64_t min = INT32_MIN,
                                      std::int64_t max = INT32_MAX) const;
  bool Boolean(std::string_view name, bool otherwise = false) const;
  std::optional<bool> OptionalBoolean(std::string_view name) const;

  const json::object* Map(std::string_view name) const;
  const json::array* List(std::string_view name) const;
  std::vector<std::string> Strings(std::string_view name) const;
  std::optional<Fields> Structure(std::string_view name) const;
  // Each element of a list of structures. Empty when it is missing.
  std::vector<Fields> Structures(std::string_view name) const;

  const json::object& RequiredMap(std::string_view name) const;
  const json::array& RequiredList(std::string_view name, std::size_t min = 0,
                                  std::size_t max = SIZE_MAX) const;

  // The errors noted so far in the whole request.
  Outcome<void> Check() const { return validation_.Finish(); }
  Validation& validation() const { return validation_; }

  // How messages name a member.
  std::string Where(std::string_view name) const;

 private:
  const json::object* AsObject(const json::value& value) const;

  const json::object& object_;
  Validation& validation_;
  std::string path_;
};

// "orders" for "arn:aws:dynamodb:mayfly:000000000000:table/orders"; anything else as it is.
std::string TableOfArn(std::string_view name);

// A SerializationException for a value where `wanted` ("String", "Integer") should be.
inline constexpr const char* kUnexpectedStructure =
    "Start of structure or map found where not expected";

Refusal WrongType(const json::value& value, std::string_view wanted);

// The text of a JSON string, or WrongType.
Outcome<std::string> StringOf(const json::value& value);
// The members of a JSON object.
Outcome<const json::object*> ObjectOf(const json::value& value);

}  // namespace mayfly::dynamo

#include "dynamo/json/fields.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "base/text.h"

namespace mayfly::dynamo {
namespace {

std::string_view KindName(const json::value& value) {
  if (value.is_bool()) return value.get_bool() ? "TRUE_VALUE" : "FALSE_VALUE";
  if (value.is_string()) return "STRING_VALUE";
  return value.is_double() ? "DECIMAL_VALUE" : "NUMBER_VALUE";
}

constexpr std::array<std::string_view, 3> kTrue = {"true", "1", "yes"};
constexpr std::array<std::string_view, 3> kFalse = {"false", "0", "no"};

bool IsOneOf(std::string_view text, const std::array<std::string_view, 3>& words) {
  return std::any_of(words.begin(), words.end(),
                     [&](std::string_view word) { return EqualsIgnoringCase(text, word); });
}

}  // namespace

Refusal WrongType(const json::value& value, std::string_view wanted) {
  if (value.is_object()) return Mistyped(kUnexpectedStructure);
  if (value.is_array()) {
    return Mistyped(fmt::format("Unrecognized collection type class java.lang.{}", wanted));
  }
  return Mistyped(fmt::format("{} cannot be converted to {}", KindName(value), wanted));
}

Outcome<std::string> StringOf(const json::value& value) {
  if (!value.is_string()) return WrongType(value, "String");
  return std::string(View(value.get_string()));
}

Outcome<bool> BooleanOf(const json::value& value) {
  if (value.is_bool()) return value.get_bool();
  if (!value.is_string()) return WrongType(value, "Boolean");
  const std::string_view text = View(value.get_string());
  if (IsOneOf(text, kTrue)) return true;
  if (IsOneOf(text, kFalse)) return false;
  return Mistyped("Unexpected token received from parser");
}

std::int64_t IntegerOf(const json::value& value) {
  if (value.is_int64()) return value.get_int64();
  if (value.is_uint64()) return INT64_MAX;
  if (!value.is_double()) return 0;
  const double cut = std::trunc(value.get_double());
  constexpr double kTooLarge = 9.2e18;
  if (std::abs(cut) < kTooLarge) return static_cast<std::int64_t>(cut);
  return cut < 0 ? INT64_MIN : INT64_MAX;
}

Outcome<const json::object*> ObjectOf(const json::value& value) {
  if (!value.is_object()) return Mistyped("Unexpected value type in payload");
  return &value.get_object();
}

std::string TableOfArn(std::string_view name) {
  constexpr std::string_view kMark = ":table/";
  if (!name.starts_with("arn:")) return std::string(name);
  const std::size_t mark = name.find(kMark);
  if (mark == std::string_view::npos) return std::string(name);
  const std::string_view rest = name.substr(mark + kMark.size());
  return std::string(rest.substr(0, rest.find('/')));
}

const json::value* Fields::Find(std::string_view name) const {
  const json::value* const found = object_->if_contains(ToJson(name));
  return found == nullptr || found->is_null() ? nullptr : found;
}

std::optional<std::string> Fields::String(std::string_view name) const {
  const json::value* const value = Find(name);
  if (value == nullptr || !value->is_string()) return std::nullopt;
  return std::string(View(value->get_string()));
}

std::string Fields::Name(std::string_view name) const { return TableOfArn(Text(name)); }

std::optional<std::int64_t> Fields::Integer(std::string_view name) const {
  const json::value* const value = Find(name);
  if (value == nullptr || !value->is_number()) return std::nullopt;
  return IntegerOf(*value);
}

std::optional<bool> Fields::OptionalBoolean(std::string_view name) const {
  const json::value* const value = Find(name);
  if (value == nullptr) return std::nullopt;
  const Outcome<bool> flag = BooleanOf(*value);
  return flag ? std::optional(*flag) : std::nullopt;
}

const json::object* Fields::Map(std::string_view name) const {
  const json::value* const value = Find(name);
  return value == nullptr ? nullptr : value->if_object();
}

const json::array* Fields::List(std::string_view name) const {
  const json::value* const value = Find(name);
  return value == nullptr ? nullptr : value->if_array();
}

const json::object& Fields::MapOrNone(std::string_view name) const {
  static const json::object kNone;
  const json::object* const map = Map(name);
  return map == nullptr ? kNone : *map;
}

const json::array& Fields::ListOrNone(std::string_view name) const {
  static const json::array kNone;
  const json::array* const list = List(name);
  return list == nullptr ? kNone : *list;
}

std::vector<std::string> Fields::Strings(std::string_view name) const {
  std::vector<std::string> texts;
  for (const json::value& value : ListOrNone(name)) {
    if (value.is_string()) texts.emplace_back(View(value.get_string()));
  }
  return texts;
}

std::optional<Fields> Fields::Structure(std::string_view name) const {
  const json::object* const object = Map(name);
  if (object == nullptr) return std::nullopt;
  return Fields(*object);
}

std::vector<Fields> Fields::Structures(std::string_view name) const {
  std::vector<Fields> all;
  for (const json::value& value : ListOrNone(name)) {
    if (value.is_object()) all.emplace_back(value.get_object());
  }
  return all;
}

}  // namespace mayfly::dynamo

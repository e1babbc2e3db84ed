#include "dynamo/json/fields.h"

#include <fmt/format.h>

#include <cmath>

#include "base/text.h"

namespace mayfly::dynamo {
namespace {

std::string_view KindName(const json::value& value) {
  if (value.is_bool()) return value.get_bool() ? "TRUE_VALUE" : "FALSE_VALUE";
  if (value.is_string()) return "STRING_VALUE";
  return value.is_double() ? "DECIMAL_VALUE" : "NUMBER_VALUE";
}

// For lists and maps.
Refusal WrongShape(const json::value& value, std::string_view wanted) {
  if (value.is_object()) return Mistyped(kUnexpectedStructure);
  if (value.is_array()) return Mistyped(fmt::format("Unrecognized collection type {}", wanted));
  return Mistyped("Unexpected field type");
}

const json::object kNothing;
const json::array kNone;

}  // namespace

Refusal WrongType(const json::value& value, std::string_view wanted) {
  if (value.is_object()) return Mistyped(kUnexpectedStructure);
  if (value.is_array()) {
    return Mistyped(fmt::format("Unrecognized collection type class java.lang.{}", wanted));
  }
  if (wanted == "Boolean") return Mistyped("Unexpected token received from parser");
  return Mistyped(fmt::format("{} cannot be converted to {}", KindName(value), wanted));
}

Outcome<std::string> StringOf(const json::value& value) {
  if (!value.is_string()) return WrongType(value, "String");
  return std::string(View(value.get_string()));
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

std::string Fields::Where(std::string_view name) const {
  std::string where(name);
  where[0] = ToLower(where[0]);
  return path_.empty() ? where : path_ + "." + where;
}

const json::value* Fields::Find(std::string_view name) const {
  const json::value* const found = object_.if_contains(ToJson(name));
  return found == nullptr || found->is_null() ? nullptr : found;
}

std::optional<std::string> Fields::String(std::string_view name) const {
  const json::value* const value = Find(name);
  if (value == nullptr) return std::nullopt;
  Outcome<std::string> text = StringOf(*value);
  if (text) return *std::move(text);
  validation_.Misfit(std::move(text).error());
  return std::nullopt;
}

std::string Fields::RequiredString(std::string_view name, std::size_t min, std::size_t max) const {
  const auto text = String(name);
  if (!text) {
    validation_.Missing(Where(name));
    return {};
  }
  validation_.Length(Where(name), *text, text->size(), min, max);
  return *text;
}

std::string Fields::Name(std::string_view name) const {
  auto text = OptionalName(name);
  if (!text) validation_.Missing(Where(name));
  return text.value_or("");
}

std::optional<std::string> Fields::OptionalName(std::string_view name) const {
  const auto text = String(name);
  if (!text) return std::nullopt;
  std::string plain = TableOfArn(*text);
  validation_.Name(Where(name), plain);
  return plain;
}

std::string Fields::OneOf(std::string_view name, std::initializer_list<std::string_view> values,
                          bool required) const {
  const auto text = String(name);
  if (text) validation_.OneOf(Where(name), *text, values);
  if (!text && required) validation_.Missing(Where(name));
  return text.value_or("");
}

std::optional<std::int64_t> Fields::Integer(std::string_view name, std::int64_t min,
                                            std::int64_t max) const {
  const json::value* const value = Find(name);
  if (value == nullptr) return std::nullopt;
  std::int64_t number = 0;
  if (value->is_int64()) {
    number = value->get_int64();
  } else if (value->is_uint64()) {
    number = INT64_MAX;
  } else if (value->is_double()) {  // DynamoDB truncates the fraction.
    const double cut = std::trunc(value->get_double());
    constexpr double kTooLarge = 9.2e18;
    number = std::abs(cut) < kTooLarge ? static_cast<std::int64_t>(cut)
                                       : (cut < 0 ? INT64_MIN : INT64_MAX);
  } else {
    validation_.Misfit(WrongType(*value, max > INT32_MAX ? "Long" : "Integer"));
    return std::nullopt;
  }
  validation_.Range(Where(name), number, min, max);
  return number;
}

std::optional<bool> Fields::OptionalBoolean(std::string_view name) const {
  const json::value* const value = Find(name);
  if (value == nullptr) return std::nullopt;
  if (value->is_bool()) return value->get_bool();
  validation_.Misfit(WrongType(*value, "Boolean"));
  return std::nullopt;
}

bool Fields::Boolean(std::string_view name, bool otherwise) const {
  return OptionalBoolean(name).value_or(otherwise);
}

const json::object* Fields::Map(std::string_view name) const {
  const json::value* const value = Find(name);
  if (value == nullptr) return nullptr;
  if (value->is_object()) return &value->get_object();
  validation_.Misfit(WrongShape(*value, "java.util.Map"));
  return nullptr;
}

const json::array* Fields::List(std::string_view name) const {
  const json::value* const value = Find(name);
  if (value == nullptr) return nullptr;
  if (value->is_array()) return &value->get_array();
  validation_.Misfit(WrongShape(*value, "java.util.List"));
  return nullptr;
}

std::vector<std::string> Fields::Strings(std::string_view name) const {
  std::vector<std::string> texts;
  const json::array* const list = List(name);
  if (list == nullptr) return texts;
  for (const json::value& value : *list) {
    Outcome<std::string> text = StringOf(value);
    if (text) {
      texts.push_back(*std::move(text));
    } else {
      validation_.Misfit(std::move(text).error());
    }
  }
  return texts;
}

// Null when it is no object, which is noted.
const json::object* Fields::AsObject(const json::value& value) const {
  Outcome<const json::object*> object = ObjectOf(value);
  if (object) return *object;
  validation_.Misfit(std::move(object).error());
  return nullptr;
}

std::optional<Fields> Fields::Structure(std::string_view name) const {
  const json::value* const value = Find(name);
  if (value == nullptr) return std::nullopt;
  const json::object* const object = AsObject(*value);
  if (object == nullptr) return std::nullopt;
  return std::optional<Fields>(std::in_place, *object, validation_, Where(name));
}

std::vector<Fields> Fields::Structures(std::string_view name) const {
  std::vector<Fields> all;
  const json::array* const list = List(name);
  if (list == nullptr) return all;
  for (const json::value& value : *list) {
    const json::object* const object = AsObject(value);
    if (object == nullptr) break;
    all.emplace_back(*object, validation_,
                     fmt::format("{}.{}.member", Where(name), all.size() + 1));
  }
  return all;
}

const json::object& Fields::RequiredMap(std::string_view name) const {
  const json::object* const map = Map(name);
  if (map == nullptr) validation_.Missing(Where(name));
  return map == nullptr ? kNothing : *map;
}

const json::array& Fields::RequiredList(std::string_view name, std::size_t min,
                                        std::size_t max) const {
  const json::array* const list = List(name);
  if (list == nullptr) {
    validation_.Missing(Where(name));
    return kNone;
  }
  // The list itself could be megabytes.
  const std::string shown = list->empty() ? "[]" : fmt::format("[{} members]", list->size());
  validation_.Length(Where(name), shown, list->size(), min, max);
  return *list;
}

}  // namespace mayfly::dynamo

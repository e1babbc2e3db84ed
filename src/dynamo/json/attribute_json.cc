#include "dynamo/json/attribute_json.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <array>
#include <vector>

#include "dynamo/json/base64.h"
#include "dynamo/json/fields.h"

namespace mayfly::dynamo {
namespace {

using ReadResult = Outcome<AttributeValue>;

Outcome<Binary> ReadBinary(const json::value& value) {
  MAYFLY_REQUIRE(CheckBinary(value));
  Result<std::string> bytes = FromBase64(View(value.get_string()));
  if (!bytes) return Mistyped(std::string(bytes.error().message()));
  return Binary{*std::move(bytes)};
}

Outcome<Number> ReadNumber(const json::value& value) {
  MAYFLY_TRY(const std::string text, StringOf(value));
  return Number::Parse(text);
}

Outcome<const json::array*> ListOf(const json::value& value) {
  if (value.is_object()) return Mistyped(kUnexpectedStructure);
  if (!value.is_array()) return Mistyped("Unexpected field type");
  return &value.get_array();
}

Outcome<std::vector<std::string>> TextsOf(const json::array& list) {
  std::vector<std::string> texts;
  for (const json::value& value : list) {
    MAYFLY_TRY(std::string text, StringOf(value));
    texts.push_back(std::move(text));
  }
  return texts;
}

ReadResult ReadString(const json::value& value) {
  MAYFLY_TRY(std::string text, StringOf(value));
  return AttributeValue(std::move(text));
}

ReadResult ReadNumberValue(const json::value& value) {
  MAYFLY_TRY(Number number, ReadNumber(value));
  return AttributeValue(std::move(number));
}

ReadResult ReadBinaryValue(const json::value& value) {
  MAYFLY_TRY(Binary binary, ReadBinary(value));
  return AttributeValue(std::move(binary));
}

ReadResult ReadBool(const json::value& value) {
  MAYFLY_TRY(const bool flag, BooleanOf(value));
  return AttributeValue(flag);
}

ReadResult ReadNull(const json::value& value) {
  MAYFLY_TRY(const bool flag, BooleanOf(value));
  if (!flag) {
    return InvalidParameter("Null attribute value types must have the value of true");
  }
  return AttributeValue(Null());
}

ReadResult ReadList(const json::value& value) {
  MAYFLY_TRY(const json::array* const elements, ListOf(value));
  AttributeValue::List list;
  list.reserve(elements->size());
  for (const json::value& element : *elements) {
    MAYFLY_TRY(AttributeValue read, ReadValue(element));
    list.push_back(std::move(read));
  }
  return AttributeValue(std::move(list));
}

ReadResult ReadMap(const json::value& value) {
  if (!value.is_object()) return Mistyped("Unexpected field type");
  MAYFLY_TRY(Item map, ReadItem(value.get_object()));
  return AttributeValue(std::move(map));
}

ReadResult ReadStringSet(const json::value& value) {
  MAYFLY_TRY(const json::array* const list, ListOf(value));
  MAYFLY_TRY(const std::vector<std::string> texts, TextsOf(*list));
  if (texts.empty()) return InvalidParameter("An string set  may not be empty");
  AttributeValue::StringSet set(texts.begin(), texts.end());
  if (set.contains("")) {
    return InvalidParameter("An string set may not have a empty string as a member");
  }
  if (set.size() != texts.size()) {
    return InvalidParameter(
        fmt::format("Input collection [{}] contains duplicates.", fmt::join(texts, ", ")));
  }
  return AttributeValue(std::move(set));
}

ReadResult ReadNumberSet(const json::value& value) {
  MAYFLY_TRY(const json::array* const list, ListOf(value));
  if (list->empty()) return InvalidParameter("An number set  may not be empty");
  AttributeValue::NumberSet set;
  for (const json::value& element : *list) {
    MAYFLY_TRY(Number number, ReadNumber(element));
    if (!set.insert(std::move(number)).second) {
      return Invalid("Input collection contains duplicates");
    }
  }
  return AttributeValue(std::move(set));
}

ReadResult ReadBinarySet(const json::value& value) {
  MAYFLY_TRY(const json::array* const list, ListOf(value));
  if (list->empty()) return InvalidParameter("Binary sets should not be empty");
  AttributeValue::BinarySet set;
  for (const json::value& element : *list) {
    MAYFLY_TRY(Binary member, ReadBinary(element));
    if (member.bytes.empty()) {
      return InvalidParameter("Binary sets may not contain null or empty values");
    }
    set.insert(std::move(member));
  }
  if (set.size() != list->size()) {
    MAYFLY_TRY(const std::vector<std::string> texts, TextsOf(*list));
    return InvalidParameter(fmt::format("Input collection [{}]of type BS contains duplicates.",
                                        fmt::join(texts, ", ")));
  }
  return AttributeValue(std::move(set));
}

struct TypeReader {
  std::string_view name;
  ReadResult (*read)(const json::value& value);
};

// clang-format off
constexpr std::array kReaders = std::to_array<TypeReader>({
    {"S",    ReadString},
    {"N",    ReadNumberValue},
    {"B",    ReadBinaryValue},
    {"BOOL", ReadBool},
    {"NULL", ReadNull},
    {"L",    ReadList},
    {"M",    ReadMap},
    {"SS",   ReadStringSet},
    {"NS",   ReadNumberSet},
    {"BS",   ReadBinarySet},
});
// clang-format on

json::array WriteStrings(const AttributeValue::StringSet& set) {
  json::array array;
  for (const std::string& member : set) array.emplace_back(ToJson(member));
  return array;
}

json::array WriteNumbers(const AttributeValue::NumberSet& set) {
  json::array array;
  for (const Number& member : set) array.emplace_back(ToJson(member.text()));
  return array;
}

json::array WriteBinaries(const AttributeValue::BinarySet& set) {
  json::array array;
  for (const Binary& member : set) array.emplace_back(ToJson(ToBase64(member.bytes)));
  return array;
}

json::array WriteList(const AttributeValue::List& list) {
  json::array array;
  for (const AttributeValue& element : list) array.emplace_back(WriteValue(element));
  return array;
}

json::value WriteContent(const AttributeValue& value) {
  switch (value.type()) {
    case AttributeType::kString: return json::value(ToJson(*value.string()));
    case AttributeType::kNumber: return json::value(ToJson(value.number()->text()));
    case AttributeType::kBinary: return json::value(ToJson(ToBase64(value.binary()->bytes)));
    case AttributeType::kBool: return *value.boolean();
    case AttributeType::kNull: return true;
    case AttributeType::kList: return WriteList(*value.list());
    case AttributeType::kMap: return WriteItem(*value.map());
    case AttributeType::kStringSet: return WriteStrings(*value.string_set());
    case AttributeType::kNumberSet: return WriteNumbers(*value.number_set());
    case AttributeType::kBinarySet: return WriteBinaries(*value.binary_set());
  }
  return nullptr;
}

}  // namespace

Outcome<void> CheckBinary(const json::value& value) {
  if (value.is_object()) return Mistyped(kUnexpectedStructure);
  if (value.is_array()) {
    return Mistyped("Unrecognized collection type class java.nio.ByteBuffer");
  }
  if (!value.is_string()) {
    return Mistyped("only base-64-encoded strings are convertible to bytes");
  }
  const Status digits = CheckBase64(View(value.get_string()));
  if (!digits.ok()) return Mistyped(std::string(digits.message()));
  return {};
}

Outcome<AttributeValue> ReadValue(const json::value& value) {
  if (value.is_array()) {
    return Mistyped(
        "Unrecognized collection type class com.amazonaws.dynamodb.v20120810.AttributeValue");
  }
  if (!value.is_object()) return Mistyped("Unexpected value type in payload");
  const TypeReader* type = nullptr;
  const json::value* content = nullptr;
  for (const TypeReader& reader : kReaders) {
    const json::value* const member = value.get_object().if_contains(ToJson(reader.name));
    if (member == nullptr || member->is_null()) continue;
    if (type != nullptr) {
      return Invalid(
          "Supplied AttributeValue has more than one datatypes set, must contain exactly one of "
          "the supported datatypes");
    }
    type = &reader;
    content = member;
  }
  if (type == nullptr) {
    return Invalid(
        "Supplied AttributeValue is empty, must contain exactly one of the supported datatypes");
  }
  return type->read(*content);
}

Outcome<Item> ReadItem(const json::object& object) {
  Item item;
  for (const auto& [name, value] : object) {
    MAYFLY_TRY(AttributeValue read, ReadValue(value));
    item.emplace(std::string(name.data(), name.size()), std::move(read));
  }
  return item;
}

json::object WriteValue(const AttributeValue& value) {
  json::object object;
  object[ToJson(AttributeTypeName(value.type()))] = WriteContent(value);
  return object;
}

json::object WriteItem(const Item& item) {
  json::object object;
  object.reserve(item.size());
  for (const auto& [name, value] : item) object[ToJson(name)] = WriteValue(value);
  return object;
}

}  // namespace mayfly::dynamo

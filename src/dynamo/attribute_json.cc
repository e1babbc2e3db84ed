#include "dynamo/attribute_json.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <array>
#include <vector>

#include "dynamo/base64.h"
#include "dynamo/fields.h"
#include "dynamo/refusal.h"

namespace mayfly::dynamo {
namespace {

Refusal Misfit(std::string message) { return {ErrorKind::kSerialization, std::move(message)}; }

Refusal Parameter(std::string_view what) {
  return Invalid(fmt::format("One or more parameter values were invalid: {}", what));
}

Binary ReadBinary(const json::value& value) {
  if (!value.is_string()) {
    if (value.is_object()) throw Misfit("Start of structure or map found where not expected");
    if (value.is_array()) {
      throw Misfit("Unrecognized collection type class java.nio.ByteBuffer");
    }
    throw Misfit("only base-64-encoded strings are convertible to bytes");
  }
  Result<std::string> bytes = FromBase64(View(value.get_string()));
  if (!bytes) throw Misfit(std::string(bytes.error().message()));
  return {*std::move(bytes)};
}

Number ReadNumber(const json::value& value) { return Must(Number::Parse(StringOf(value))); }

const json::array& ListOf(const json::value& value) {
  if (value.is_object()) throw Misfit("Start of structure or map found where not expected");
  if (!value.is_array()) throw Misfit("Unexpected field type");
  return value.get_array();
}

std::vector<std::string> TextsOf(const json::array& list) {
  std::vector<std::string> texts;
  for (const json::value& value : list) texts.push_back(StringOf(value));
  return texts;
}

AttributeValue ReadString(const json::value& value) { return StringOf(value); }
AttributeValue ReadNumberValue(const json::value& value) { return ReadNumber(value); }
AttributeValue ReadBinaryValue(const json::value& value) { return ReadBinary(value); }

AttributeValue ReadBool(const json::value& value) {
  if (!value.is_bool()) RefuseType(value, "Boolean");
  return value.get_bool();
}

AttributeValue ReadNull(const json::value& value) {
  if (!value.is_bool()) RefuseType(value, "Boolean");
  if (!value.get_bool()) throw Parameter("Null attribute value types must have the value of true");
  return Null();
}

AttributeValue ReadList(const json::value& value) {
  AttributeValue::List list;
  for (const json::value& element : ListOf(value)) list.push_back(ReadValue(element));
  return list;
}

AttributeValue ReadMap(const json::value& value) {
  if (!value.is_object()) throw Misfit("Unexpected field type");
  return ReadItem(value.get_object());
}

AttributeValue ReadStringSet(const json::value& value) {
  const std::vector<std::string> texts = TextsOf(ListOf(value));
  if (texts.empty()) throw Parameter("An string set  may not be empty");
  AttributeValue::StringSet set(texts.begin(), texts.end());
  if (set.contains("")) {
    throw Parameter("An string set may not have a empty string as a member");
  }
  if (set.size() != texts.size()) {
    throw Parameter(
        fmt::format("Input collection [{}] contains duplicates.", fmt::join(texts, ", ")));
  }
  return set;
}

AttributeValue ReadNumberSet(const json::value& value) {
  const json::array& list = ListOf(value);
  if (list.empty()) throw Parameter("An number set  may not be empty");
  AttributeValue::NumberSet set;
  for (const json::value& element : list) {
    if (!set.insert(ReadNumber(element)).second) {
      throw Invalid("Input collection contains duplicates");
    }
  }
  return set;
}

AttributeValue ReadBinarySet(const json::value& value) {
  const json::array& list = ListOf(value);
  if (list.empty()) throw Parameter("Binary sets should not be empty");
  AttributeValue::BinarySet set;
  for (const json::value& element : list) {
    Binary member = ReadBinary(element);
    if (member.bytes.empty()) throw Parameter("Binary sets may not contain null or empty values");
    set.insert(std::move(member));
  }
  if (set.size() != list.size()) {
    throw Parameter(fmt::format("Input collection [{}]of type BS contains duplicates.",
                                fmt::join(TextsOf(list), ", ")));
  }
  return set;
}

struct TypeReader {
  std::string_view name;
  AttributeValue (*read)(const json::value& value);
};

constexpr std::array kReaders = std::to_array<TypeReader>({
    {"S",    ReadString     },
    {"N",    ReadNumberValue},
    {"B",    ReadBinaryValue},
    {"BOOL", ReadBool       },
    {"NULL", ReadNull       },
    {"L",    ReadList       },
    {"M",    ReadMap        },
    {"SS",   ReadStringSet  },
    {"NS",   ReadNumberSet  },
    {"BS",   ReadBinarySet  },
});

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

AttributeValue ReadValue(const json::value& value) {
  if (value.is_array()) {
    throw Misfit(
        "Unrecognized collection type class com.amazonaws.dynamodb.v20120810.AttributeValue");
  }
  if (!value.is_object()) throw Misfit("Unexpected value type in payload");
  const TypeReader* type = nullptr;
  const json::value* content = nullptr;
  for (const TypeReader& reader : kReaders) {
    const json::value* const member = value.get_object().if_contains(ToJson(reader.name));
    if (member == nullptr || member->is_null()) continue;
    if (type != nullptr) {
      throw Invalid(
          "Supplied AttributeValue has more than one datatypes set, must contain exactly one of "
          "the supported datatypes");
    }
    type = &reader;
    content = member;
  }
  if (type == nullptr) {
    throw Invalid(
        "Supplied AttributeValue is empty, must contain exactly one of the supported datatypes");
  }
  return type->read(*content);
}

Item ReadItem(const json::object& object) {
  Item item;
  for (const auto& [name, value] : object) {
    item.emplace(std::string(name.data(), name.size()), ReadValue(value));
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

#include "dynamo/shapes/constraint_check.h"

#include <fmt/format.h>

#include <algorithm>
#include <string>

#include "base/text.h"
#include "dynamo/json/fields.h"
#include "dynamo/json/limits.h"
#include "dynamo/json/validation.h"

namespace mayfly::dynamo {
namespace {

using Kind = Shape::Kind;
using Presence = Member::Presence;

// Where a value stands, as messages name it: "keySchema.1.member.keyType". A chain of borrowed
// links, made into text only for a message.
struct Place {
  const Place* around;
  std::string_view name;  // Of the member, or the key of a map's element.
  std::size_t index = 0;  // Of a list's element, from 1.
  bool is_element = false;
};

std::string TextOf(const Place& place) {
  const std::string around = place.around == nullptr ? "" : TextOf(*place.around) + ".";
  if (place.is_element) {
    return fmt::format("{}{}.member", around,
                       place.index > 0 ? std::to_string(place.index) : std::string(place.name));
  }
  std::string text = around + std::string(place.name);
  text[around.size()] = ToLower(text[around.size()]);
  return text;
}

// A list or map itself could be megabytes.
std::string ShownOf(const json::value& value) {
  const std::size_t size = value.is_array() ? value.get_array().size() : value.get_object().size();
  if (size == 0) return value.is_array() ? "[]" : "{}";
  std::string text = ToText(value);
  if (text.size() <= kShownBytesMax) return text;
  return fmt::format("[{} members]", size);
}

std::size_t SizeOf(const json::value& value) {
  return value.is_array() ? value.get_array().size() : value.get_object().size();
}

// Of UTF-8, in which requests are.
std::size_t Characters(std::string_view text) {
  constexpr unsigned char kMark = 0xC0;
  constexpr unsigned char kContinues = 0x80;
  return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), [](char c) {
    return (static_cast<unsigned char>(c) & kMark) != kContinues;
  }));
}

class ConstraintWalk {
 public:
  void CheckMembers(const json::object& object, const Shape& shape, const Place* around) {
    for (const Member& member : shape.members) {
      const Place place = {.around = around, .name = member.name};
      const json::value* const value = object.if_contains(ToJson(member.name));
      if (value == nullptr || value->is_null()) {
        if (member.presence == Presence::kRequired) validation_.Missing(TextOf(place));
        continue;
      }
      Check(*value, member, place);
    }
  }

  Outcome<void> Finish() const { return validation_.Finish(); }

 private:
  void Check(const json::value& value, const Member& member, const Place& place) {
    if (member.presence == Presence::kRequiredFirst) {
      const std::string name = TableOfArn(View(value.get_string()));
      return validation_.NamePattern(TextOf(place), name);  // The length was checked first.
    }
    Check(value, *member.shape, place);
  }

  void Check(const json::value& value, const Shape& shape, const Place& place) {
    switch (shape.kind) {
      case Kind::kName:
        return validation_.Name(TextOf(place), TableOfArn(View(value.get_string())));
      case Kind::kString: return CheckString(View(value.get_string()), shape, place);
      case Kind::kInteger:
      case Kind::kLong:
      case Kind::kDouble: return CheckNumber(value, shape, place);
      case Kind::kStructure: return CheckMembers(value.get_object(), shape, &place);
      case Kind::kList: return CheckList(value, shape, place);
      case Kind::kMap: return CheckMap(value, shape, place);
      case Kind::kBoolean:
      case Kind::kValue: return;
    }
  }

  void CheckString(std::string_view text, const Shape& shape, const Place& place) {
    if (shape.length_min > 0 || shape.length_max != SIZE_MAX) {
      validation_.Length(TextOf(place), text, Characters(text), shape.length_min, shape.length_max);
    }
    if (shape.fits != nullptr && !shape.fits(text)) {
      validation_.Pattern(TextOf(place), text, shape.pattern);
    }
    if (shape.values.empty()) return;
    if (std::find(shape.values.begin(), shape.values.end(), text) == shape.values.end()) {
      validation_.OneOf(TextOf(place), text, shape.values);
    }
  }

  void CheckNumber(const json::value& value, const Shape& shape, const Place& place) {
    const std::int64_t number = IntegerOf(value);
    if (number >= shape.min && number <= shape.max) return;
    validation_.Range(TextOf(place), number, shape.min, shape.max);
  }

  void CheckSize(const json::value& value, const Shape& shape, const Place& place) {
    const std::size_t size = SizeOf(value);
    if (size >= shape.length_min && size <= shape.length_max) return;
    validation_.Length(TextOf(place), ShownOf(value), size, shape.length_min, shape.length_max);
  }

  void CheckList(const json::value& value, const Shape& shape, const Place& place) {
    CheckSize(value, shape, place);
    if (shape.element->kind == Kind::kValue) return;
    std::size_t index = 0;
    for (const json::value& element : value.get_array()) {
      ++index;
      if (element.is_null()) continue;
      Check(element, *shape.element,
            {.around = &place, .name = {}, .index = index, .is_element = true});
    }
  }

  void CheckMap(const json::value& value, const Shape& shape, const Place& place) {
    CheckSize(value, shape, place);
    if (shape.element->kind == Kind::kValue) return;
    for (const auto& member : value.get_object()) {
      const std::string_view key(member.key().data(), member.key().size());
      if (shape.keys_are_names && !IsTableName(TableOfArn(key))) {
        validation_.MapKeys(TextOf(place), ShownOf(value));
      }
      if (member.value().is_null()) continue;
      if (shape.element_length_max > 0) CheckElementSize(value, member.value(), shape, place);
      Check(member.value(), *shape.element, {.around = &place, .name = key, .is_element = true});
    }
  }

  void CheckElementSize(const json::value& map, const json::value& element, const Shape& shape,
                        const Place& place) {
    const std::size_t size = SizeOf(element);
    if (size > 0 && size <= shape.element_length_max) return;
    validation_.MapValues(TextOf(place), ShownOf(map), shape.element_length_max);
  }

  Validation validation_;
};

}  // namespace

Outcome<void> CheckConstraints(const json::object& request, const Shape& shape) {
  for (const Member& member : shape.members) {
    if (member.presence != Presence::kRequiredFirst) continue;
    const json::value* const value = request.if_contains(ToJson(member.name));
    if (value == nullptr || value->is_null()) {
      return Invalid(fmt::format(
          "The parameter '{}' is required but was not present in the request", member.name));
    }
    const std::size_t size = TableOfArn(View(value->get_string())).size();
    if (size < kNameLengthMin || size > kNameLengthMax) {
      return Invalid(
          fmt::format("{} must be at least {} characters long and at most {} characters "
                      "long",
                      member.name, kNameLengthMin, kNameLengthMax));
    }
  }
  ConstraintWalk walk;
  walk.CheckMembers(request, shape, nullptr);
  return walk.Finish();
}

}  // namespace mayfly::dynamo

#include "dynamo/tables/tags.h"

#include <fmt/format.h>

#include "dynamo/json/limits.h"

namespace mayfly::dynamo {
namespace {

constexpr std::string_view kReserved = "aws:";

}  // namespace

Outcome<Tags> ReadTags(const Fields& in) {
  Tags tags;
  for (const Fields& tag : in.Structures("Tags")) {
    const std::string key = tag.Text("Key");
    std::string value = tag.Text("Value");
    if (key.starts_with(kReserved)) return InvalidParameter("Tag keys cannot begin with aws:");
    if (!tags.emplace(key, std::move(value)).second) {
      return InvalidParameter(fmt::format("Two tags have the key '{}'", key));
    }
  }
  return tags;
}

Outcome<void> SetTags(Notes& notes, const Tags& tags) {
  for (const auto& [key, value] : tags) SetTag(notes, key, value);
  if (TagsOf(notes).size() > kTagsMax) {
    return InvalidParameter(fmt::format("Too many tags: a table has at most {}", kTagsMax));
  }
  return {};
}

}  // namespace mayfly::dynamo

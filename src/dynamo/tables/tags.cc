#include "dynamo/tables/tags.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"
#include "dynamo/json/limits.h"

namespace mayfly::dynamo {
namespace {

constexpr std::string_view kReserved = "aws:";

// Counts characters of UTF-8, in which requests are.
std::size_t Characters(std::string_view text) {
  constexpr unsigned char kMark = 0xC0;
  constexpr unsigned char kContinues = 0x80;
  return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), [](char c) {
    return (static_cast<unsigned char>(c) & kMark) != kContinues;
  }));
}

// Letters, digits and blanks of all languages: every byte beyond ASCII counts as one.
bool IsTagCharacter(char c) {
  const auto byte = static_cast<unsigned char>(c);
  constexpr unsigned char kAsciiEnd = 0x80;
  constexpr std::string_view kSigns = " _.:/=+-@";
  return byte >= kAsciiEnd || IsLetterOrDigit(c) || kSigns.find(c) != std::string_view::npos;
}

std::string ReadText(const Fields& tag, std::string_view name, std::size_t min, std::size_t max) {
  std::string text = tag.RequiredString(name);
  if (!tag.Has(name)) return text;
  tag.validation().Length(tag.Where(name), text, Characters(text), min, max);
  if (!std::all_of(text.begin(), text.end(), IsTagCharacter)) {
    tag.validation().Pattern(tag.Where(name), text, R"(^([\p{L}\p{Z}\p{N}_.:/=+\-@]*)$)");
  }
  return text;
}

}  // namespace

Outcome<Tags> ReadTags(const Fields& in) {
  Tags tags;
  for (const Fields& tag : in.Structures("Tags")) {
    const std::string key = ReadText(tag, "Key", 1, kTagKeyCharactersMax);
    std::string value = ReadText(tag, "Value", 0, kTagValueCharactersMax);
    MAYFLY_REQUIRE(in.Check());
    if (key.starts_with(kReserved)) return InvalidParameter("Tag keys cannot begin with aws:");
    if (!tags.emplace(key, std::move(value)).second) {
      return InvalidParameter(fmt::format("Two tags have the key '{}'", key));
    }
  }
  MAYFLY_REQUIRE(in.Check());
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

#include "dynamo/json/validation.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "base/text.h"
#include "dynamo/json/limits.h"

namespace mayfly::dynamo {
namespace {

bool IsNameCharacter(char c) { return IsLetterOrDigit(c) || c == '_' || c == '-' || c == '.'; }

constexpr std::string_view kNamePattern = "[a-zA-Z0-9_.-]+";

bool IsOfNameCharacters(std::string_view name) {
  return !name.empty() && std::all_of(name.begin(), name.end(), IsNameCharacter);
}

std::string Quoted(std::string_view value) { return fmt::format("'{}'", value); }

}  // namespace

bool IsTableName(std::string_view name) {
  return IsOfNameCharacters(name) && name.size() >= kNameLengthMin && name.size() <= kNameLengthMax;
}

void Validation::Add(std::string_view where, std::string_view value, std::string_view constraint) {
  if (errors_.size() >= kValidationErrorsMax) return;
  errors_.push_back(
      fmt::format("Value {} at '{}' failed to satisfy constraint: {}", value, where, constraint));
}

void Validation::Missing(std::string_view where) { Add(where, "null", "Member must not be null"); }

void Validation::Length(std::string_view where, std::string_view shown, std::size_t length,
                        std::size_t min, std::size_t max) {
  if (length < min) {
    Add(where, Quoted(shown),
        fmt::format("Member must have length greater than or equal to {}", min));
  }
  if (length > max) {
    Add(where, Quoted(shown), fmt::format("Member must have length less than or equal to {}", max));
  }
}

void Validation::Range(std::string_view where, std::int64_t value, std::int64_t min,
                       std::int64_t max) {
  if (value < min) {
    Add(where, fmt::format("'{}'", value),
        fmt::format("Member must have value greater than or equal to {}", min));
  }
  if (value > max) {
    Add(where, fmt::format("'{}'", value),
        fmt::format("Member must have value less than or equal to {}", max));
  }
}

void Validation::OneOf(std::string_view where, std::string_view value,
                       std::span<const std::string_view> values) {
  Add(where, Quoted(value),
      fmt::format("Member must satisfy enum value set: [{}]", fmt::join(values, ", ")));
}

void Validation::Pattern(std::string_view where, std::string_view value, std::string_view pattern) {
  Add(where, Quoted(value),
      fmt::format("Member must satisfy regular expression pattern: {}", pattern));
}

void Validation::NamePattern(std::string_view where, std::string_view value) {
  if (!IsOfNameCharacters(value)) Pattern(where, value, kNamePattern);
}

void Validation::Name(std::string_view where, std::string_view value) {
  NamePattern(where, value);
  Length(where, value, value.size(), kNameLengthMin, kNameLengthMax);
}

void Validation::MapKeys(std::string_view where, std::string_view shown) {
  Add(where, Quoted(shown),
      fmt::format("Map keys must satisfy constraint: [Member must have length less than or equal "
                  "to {}, Member must have length greater than or equal to {}, Member must satisfy "
                  "regular expression pattern: {}]",
                  kNameLengthMax, kNameLengthMin, kNamePattern));
}

void Validation::MapValues(std::string_view where, std::string_view shown, std::size_t max) {
  Add(where, Quoted(shown),
      fmt::format("Map value must satisfy constraint: [Member must have length less than or equal "
                  "to {}, Member must have length greater than or equal to 1]",
                  max));
}

Outcome<void> Validation::Finish() const {
  if (errors_.empty()) return {};
  return Invalid(fmt::format("{} validation error{} detected: {}", errors_.size(),
                             errors_.size() == 1 ? "" : "s", fmt::join(errors_, "; ")));
}

}  // namespace mayfly::dynamo

#include "dynamo/json/validation.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "base/text.h"
#include "dynamo/json/limits.h"

namespace mayfly::dynamo {
namespace {

constexpr std::size_t kNameMin = 3;
constexpr std::size_t kNameMax = 255;

bool IsNameCharacter(char c) { return IsLetterOrDigit(c) || c == '_' || c == '-' || c == '.'; }

std::string Quoted(std::string_view value) { return fmt::format("'{}'", value); }

}  // namespace

void Validation::Add(std::string_view where, std::string_view value, std::string_view constraint) {
  if (errors_.size() >= kValidationErrorsMax) return;
  errors_.push_back(fmt::format("Value {} at '{}' failed to satisfy constraint: Member must {}",
                                value, where, constraint));
}

void Validation::Misfit(Refusal refusal) {
  if (!misfit_) misfit_ = std::move(refusal);
}

void Validation::Missing(std::string_view where) { Add(where, "null", "not be null"); }

void Validation::Length(std::string_view where, std::string_view shown, std::size_t length,
                        std::size_t min, std::size_t max) {
  if (length < min) {
    Add(where, Quoted(shown), fmt::format("have length greater than or equal to {}", min));
  }
  if (length > max) {
    Add(where, Quoted(shown), fmt::format("have length less than or equal to {}", max));
  }
}

void Validation::Range(std::string_view where, std::int64_t value, std::int64_t min,
                       std::int64_t max) {
  if (value < min) {
    Add(where, fmt::format("'{}'", value),
        fmt::format("have value greater than or equal to {}", min));
  }
  if (value > max) {
    Add(where, fmt::format("'{}'", value), fmt::format("have value less than or equal to {}", max));
  }
}

void Validation::OneOf(std::string_view where, std::string_view value,
                       std::initializer_list<std::string_view> values) {
  if (std::find(values.begin(), values.end(), value) != values.end()) return;
  Add(where, Quoted(value),
      fmt::format("satisfy enum value set: [{}]", fmt::join(values.begin(), values.end(), ", ")));
}

void Validation::Pattern(std::string_view where, std::string_view value, std::string_view pattern) {
  Add(where, Quoted(value), fmt::format("satisfy regular expression pattern: {}", pattern));
}

void Validation::Name(std::string_view where, std::string_view value) {
  if (!std::all_of(value.begin(), value.end(), IsNameCharacter) || value.empty()) {
    Pattern(where, value, "[a-zA-Z0-9_.-]+");
  }
  Length(where, value, value.size(), kNameMin, kNameMax);
}

Outcome<void> Validation::Finish() const {
  if (misfit_) return *misfit_;
  if (errors_.empty()) return {};
  return Invalid(fmt::format("{} validation error{} detected: {}", errors_.size(),
                             errors_.size() == 1 ? "" : "s", fmt::join(errors_, "; ")));
}

}  // namespace mayfly::dynamo

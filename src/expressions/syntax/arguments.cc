#include "expressions/syntax/arguments.h"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

#include "base/text.h"
#include "expressions/syntax/lexer.h"
#include "expressions/syntax/limits.h"
#include "items/item_size.h"

namespace mayfly::expressions {
namespace {

Status CheckPlaceholder(std::string_view map, char mark, const std::string& placeholder) {
  if (placeholder.size() > kPlaceholderBytesMax) {
    return Status::Invalid(
        fmt::format("{} contains invalid key: The expression attribute map "
                    "contains a key that is too long; size of key: {}",
                    map, placeholder.size()));
  }
  if (placeholder.size() > 1 && placeholder.front() == mark &&
      std::all_of(placeholder.begin() + 1, placeholder.end(), IsWordPart)) {
    return {};
  }
  return Status::Invalid(
      fmt::format("{} contains invalid key: Syntax error; key: \"{}\"", map, placeholder));
}

template <typename Map, typename Used>
Status CheckUsed(std::string_view name, const Map& map, const Used& used, bool any_expression) {
  if (!map.empty() && !any_expression) {
    return Status::Invalid(fmt::format("{} can only be specified when using expressions", name));
  }
  std::string unused;
  for (const auto& [placeholder, meaning] : map) {
    if (used.contains(placeholder)) continue;
    if (!unused.empty()) unused += ", ";
    unused += placeholder;
  }
  if (unused.empty()) return {};
  return Status::Invalid(
      fmt::format("Value provided in {} unused in expressions: keys: {{{}}}", name, unused));
}

}  // namespace

const std::string* Arguments::Name(const std::string& placeholder) {
  const auto found = given_.names.find(placeholder);
  if (found == given_.names.end()) return nullptr;
  used_names_.insert(placeholder);
  return &found->second;
}

std::shared_ptr<const AttributeValue> Arguments::Value(const std::string& placeholder) {
  const auto found = given_.values.find(placeholder);
  if (found == given_.values.end()) return nullptr;
  auto& value = used_values_[placeholder];
  if (value == nullptr) value = std::make_shared<const AttributeValue>(found->second);
  return value;
}

Status Arguments::CheckForm() const {
  for (const auto& [placeholder, name] : given_.names) {
    MAYFLY_RETURN_IF_ERROR(CheckPlaceholder("ExpressionAttributeNames", '#', placeholder));
    if (name.empty()) {
      return Status::Invalid(fmt::format(
          "ExpressionAttributeNames contains invalid value: Empty attribute name for key {}",
          placeholder));
    }
  }
  for (const auto& [placeholder, value] : given_.values) {
    MAYFLY_RETURN_IF_ERROR(CheckPlaceholder("ExpressionAttributeValues", ':', placeholder));
  }
  return CheckSize();
}

Status Arguments::CheckSize() const {
  if (!bounded()) return {};
  std::size_t names = 0;
  std::size_t values = 0;
  for (const auto& [placeholder, name] : given_.names) names += placeholder.size() + name.size();
  for (const auto& [placeholder, value] : given_.values) {
    values += placeholder.size() + items::SizeOf(value);
  }
  const auto exceeds = [](std::string_view what) {
    return Status::Invalid(fmt::format("{} exceeds max size", what));
  };
  if (names > kArgumentsBytesMax) return exceeds("ExpressionAttributeNames");
  if (values > kArgumentsBytesMax) return exceeds("ExpressionAttributeValues");
  if (names + values <= kArgumentsBytesMax) return {};
  return exceeds("Combined size of ExpressionAttributeNames and ExpressionAttributeValues");
}

Status Arguments::CheckAllUsed(bool any_expression) const {
  MAYFLY_RETURN_IF_ERROR(
      CheckUsed("ExpressionAttributeNames", given_.names, used_names_, any_expression));
  return CheckUsed("ExpressionAttributeValues", given_.values, used_values_, any_expression);
}

}  // namespace mayfly::expressions

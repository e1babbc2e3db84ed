#include "expressions/syntax/path.h"

#include <fmt/format.h>

#include <utility>

namespace mayfly::expressions {
namespace {

const AttributeValue* Down(const AttributeValue& value, const PathStep& step) {
  if (const auto* name = std::get_if<std::string>(&step)) {
    const auto* map = value.map();
    if (map == nullptr) return nullptr;
    const auto found = map->find(*name);
    return found == map->end() ? nullptr : &found->second;
  }
  const auto* list = value.list();
  const std::size_t index = std::get<std::size_t>(step);
  return list == nullptr || index >= list->size() ? nullptr : &(*list)[index];
}

}  // namespace

const AttributeValue* Find(const Item& item, const Path& path) {
  const auto first = item.find(path.attribute());
  if (first == item.end()) return nullptr;
  const AttributeValue* value = &first->second;
  for (std::size_t i = 1; i < path.steps.size() && value != nullptr; ++i) {
    value = Down(*value, path.steps[i]);
  }
  return value;
}

AttributeValue* Find(Item& item, const Path& path) {
  return const_cast<AttributeValue*>(Find(std::as_const(item), path));
}

std::string Describe(const Path& path) {
  std::string text;
  for (const PathStep& step : path.steps) {
    if (!text.empty()) text += ", ";
    if (const auto* name = std::get_if<std::string>(&step)) {
      text += *name;
    } else {
      text += fmt::format("[{}]", std::get<std::size_t>(step));
    }
  }
  return "[" + text + "]";
}

}  // namespace mayfly::expressions

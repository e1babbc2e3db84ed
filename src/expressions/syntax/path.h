// path.h - a path within an item: an attribute, and steps into maps and lists.
#pragma once

#include <cstddef>
#include <string>
#include <variant>
#include <vector>

#include "mayfly/item.h"

namespace mayfly::expressions {

// A name within a map, or an index within a list. The first step is a name.
using PathStep = std::variant<std::string, std::size_t>;

struct Path {
  std::vector<PathStep> steps;

  const std::string& attribute() const { return std::get<std::string>(steps.front()); }
  friend bool operator==(const Path&, const Path&) = default;
};

// Null when there is no value.
const AttributeValue* Find(const Item& item, const Path& path);
AttributeValue* Find(Item& item, const Path& path);

// As messages show it: [a, b, [1]].
std::string Describe(const Path& path);

}  // namespace mayfly::expressions

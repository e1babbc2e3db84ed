// reply.h - what an operation answers.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "dynamo/json/json.h"

namespace mayfly::dynamo {

// Members as a tree, and those that are JSON text already: items, of which there may be thousands,
// would be made into a tree for nothing but to be written.
struct Reply {
  Reply() = default;
  Reply(json::object tree) : members(std::move(tree)) {}  // NOLINT: most are nothing else.

  json::object members;
  std::vector<std::pair<std::string_view, std::string>> texts;
};

std::string ToText(const Reply& reply);

}  // namespace mayfly::dynamo

// reply.h - the reply of an operation.
#pragma once

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "dynamo/json/json.h"

namespace mayfly::dynamo {

// Members as a tree, and members that are JSON text already: items, of which there may be
// thousands, need no tree.
struct Reply {
  Reply() = default;
  Reply(json::object tree) : members(std::move(tree)) {}  // NOLINT: most have no texts.

  bool only_read = false;  // Of an operation that may write: it has not.
  json::object members;
  std::vector<std::pair<std::string_view, std::string>> texts;
};

std::string ToText(const Reply& reply);

}  // namespace mayfly::dynamo

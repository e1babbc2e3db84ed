// projection.h - ProjectionExpression: the parts of an item to return.
#pragma once

#include <set>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "expressions/syntax/arguments.h"
#include "expressions/syntax/path.h"
#include "mayfly/item.h"
#include "mayfly/result.h"

namespace mayfly::expressions {

// The parts of the item at the paths, none of which overlaps another. Chosen elements of a list
// become adjacent, in their order.
Item Project(const std::vector<Path>& paths, const Item& item);

class Projection {
 public:
  // Invalid, also when two paths overlap or contradict each other.
  static Result<Projection> Parse(std::string_view text, Arguments& arguments);

  // The parts of the item, as Project() returns them.
  Item Of(const Item& item) const { return Project(paths_, item); }

  std::set<std::string> Attributes() const;  // First steps.

 private:
  explicit Projection(std::vector<Path> paths) : paths_(std::move(paths)) {}

  std::vector<Path> paths_;
};

}  // namespace mayfly::expressions

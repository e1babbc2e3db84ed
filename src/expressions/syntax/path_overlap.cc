#include "expressions/syntax/path_overlap.h"

#include <fmt/format.h>

#include <algorithm>
#include <optional>
#include <string_view>
#include <unordered_set>

namespace mayfly::expressions {
namespace {

std::optional<std::string_view> Trouble(const Path& a, const Path& b) {
  const std::size_t common = std::min(a.steps.size(), b.steps.size());
  for (std::size_t i = 0; i < common; ++i) {
    if (a.steps[i].index() != b.steps[i].index()) return "conflict";
    if (a.steps[i] != b.steps[i]) return std::nullopt;
  }
  return "overlap";
}

// Then none can be in trouble with another, which is the common case.
bool HaveOwnAttributes(const std::vector<Path>& paths) {
  std::unordered_set<std::string_view> attributes;
  return std::all_of(paths.begin(), paths.end(),
                     [&](const Path& path) { return attributes.insert(path.attribute()).second; });
}

}  // namespace

Status CheckOverlaps(const std::vector<Path>& paths, ExpressionKind kind) {
  if (HaveOwnAttributes(paths)) return {};
  for (std::size_t second = paths.size(); second-- > 1;) {
    for (std::size_t first = second; first-- > 0;) {
      const auto trouble = Trouble(paths[first], paths[second]);
      if (!trouble) continue;
      return Refused(kind, fmt::format("Two document paths {} with each other; must remove or "
                                       "rewrite one of these paths; path one: {}, path two: {}",
                                       *trouble, Describe(paths[first]), Describe(paths[second])));
    }
  }
  return {};
}

}  // namespace mayfly::expressions

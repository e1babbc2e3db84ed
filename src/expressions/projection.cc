#include "expressions/projection.h"

#include <map>
#include <optional>

#include "expressions/binder.h"
#include "expressions/syntax/parser.h"
#include "expressions/syntax/path_overlap.h"
#include "expressions/syntax/word_check.h"

namespace mayfly::expressions {
namespace {

using Paths = std::vector<const Path*>;

// Paths by their step at `depth`; the last ones end before it.
std::map<PathStep, Paths> ByStep(const Paths& paths, std::size_t depth) {
  std::map<PathStep, Paths> groups;
  for (const Path* path : paths) groups[path->steps[depth]].push_back(path);
  return groups;
}

// The chosen parts of `value`, to which the first `depth` steps of all paths lead; nothing if there
// are none.
std::optional<AttributeValue> Chosen(const AttributeValue& value, const Paths& paths,
                                     std::size_t depth) {
  if (paths.front()->steps.size() == depth) return value;
  if (const auto* map = value.map()) {
    Item chosen;
    for (const auto& [step, group] : ByStep(paths, depth)) {
      const auto* name = std::get_if<std::string>(&step);
      const auto found = name != nullptr ? map->find(*name) : map->end();
      if (found == map->end()) continue;
      auto part = Chosen(found->second, group, depth + 1);
      if (part) chosen.emplace(*name, *std::move(part));
    }
    if (chosen.empty()) return std::nullopt;
    return AttributeValue(std::move(chosen));
  }
  if (const auto* list = value.list()) {
    AttributeValue::List chosen;
    for (const auto& [step, group] : ByStep(paths, depth)) {
      const auto* index = std::get_if<std::size_t>(&step);
      if (index == nullptr || *index >= list->size()) continue;
      auto part = Chosen((*list)[*index], group, depth + 1);
      if (part) chosen.push_back(*std::move(part));
    }
    if (chosen.empty()) return std::nullopt;
    return AttributeValue(std::move(chosen));
  }
  return std::nullopt;
}

}  // namespace

Item Project(const std::vector<Path>& paths, const Item& item) {
  std::map<std::string, Paths> by_attribute;
  for (const Path& path : paths) by_attribute[path.attribute()].push_back(&path);
  Item projected;
  for (const auto& [name, group] : by_attribute) {
    const auto found = item.find(name);
    if (found == item.end()) continue;
    auto part = Chosen(found->second, group, 1);
    if (part) projected.emplace(name, *std::move(part));
  }
  return projected;
}

Result<Projection> Projection::Parse(std::string_view text, Arguments& arguments) {
  constexpr ExpressionKind kKind = ExpressionKind::kProjection;
  MAYFLY_TRY(const std::vector<PathSyntax> syntax,
             ParseProjectionSyntax(text, arguments.bounded()));
  for (const PathSyntax& path : syntax) MAYFLY_RETURN_IF_ERROR(CheckWords(path, kKind));
  Binder binder(kKind, arguments);
  std::vector<Path> paths;
  for (const PathSyntax& path : syntax) {
    MAYFLY_TRY(Path bound, binder.BindPath(path));
    paths.push_back(std::move(bound));
  }
  MAYFLY_RETURN_IF_ERROR(CheckOverlaps(paths, kKind));
  return Projection(std::move(paths));
}

std::set<std::string> Projection::Attributes() const {
  std::set<std::string> attributes;
  for (const Path& path : paths_) attributes.insert(path.attribute());
  return attributes;
}

}  // namespace mayfly::expressions

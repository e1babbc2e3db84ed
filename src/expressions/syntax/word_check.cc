#include "expressions/syntax/word_check.h"

#include <fmt/format.h>

#include <charconv>

#include "expressions/syntax/functions.h"
#include "expressions/syntax/limits.h"
#include "expressions/syntax/reserved_words.h"

namespace mayfly::expressions {
namespace {

constexpr std::string_view kListAppend = "list_append";

Status RefuseMisplaced(std::string_view name, ExpressionKind kind) {
  return Refused(kind, fmt::format("The function is not allowed to be used this way in an "
                                   "expression; function: {}",
                                   name));
}

Status CheckFunction(std::string_view name, ExpressionKind kind, Position position) {
  const FunctionSpec* spec = FindFunction(name);
  if (spec == nullptr) {
    return Refused(kind, fmt::format("Invalid function name; function: {}", name));
  }
  using Place = FunctionSpec::Place;
  if (kind == ExpressionKind::kUpdate) {
    if (spec->place == Place::kUpdate) return {};
    return Refused(
        kind,
        fmt::format("The function is not allowed in an update expression; function: {}", name));
  }
  if (spec->place == Place::kUpdate) {
    return Refused(
        kind,
        fmt::format("The function is not allowed in a condition expression; function: {}", name));
  }
  if ((spec->place == Place::kCondition) == (position == Position::kCondition)) return {};
  return RefuseMisplaced(name, kind);
}

bool IsCallOf(const Node& node, std::string_view function) {
  return Bare(node).kind == Node::Kind::kFunction && Bare(node).text == function;
}

bool IsInRange(std::string_view index) {
  std::uint64_t number = 0;
  const auto [end, error] = std::from_chars(index.data(), index.data() + index.size(), number);
  return error == std::errc() && number <= kListIndexMax;
}

}  // namespace

Status CheckWords(const PathSyntax& path, ExpressionKind kind) {
  using Kind = PathSyntax::Step::Kind;
  for (const PathSyntax::Step& step : path.steps) {
    if (step.kind == Kind::kName && IsReservedWord(step.text)) {
      return Refused(kind, fmt::format("Attribute name is a reserved keyword; reserved keyword: {}",
                                       step.text));
    }
    if (step.kind == Kind::kIndex && !IsInRange(step.text)) {
      return Refused(kind, fmt::format("List index is not within the allowable range; index: [{}]",
                                       step.text));
    }
  }
  return {};
}

Status CheckWords(const Node& node, ExpressionKind kind, Position position) {
  Position inside = Position::kOperand;
  switch (node.kind) {
    case Node::Kind::kPath: return CheckWords(node.path, kind);
    case Node::Kind::kFunction:
      MAYFLY_RETURN_IF_ERROR(CheckFunction(node.text, kind, position));
      break;
    case Node::Kind::kParentheses: inside = position; break;
    case Node::Kind::kNot:
    case Node::Kind::kAnd:
    case Node::Kind::kOr: inside = Position::kCondition; break;
    default: break;
  }
  for (const Node& child : node.children) {
    MAYFLY_RETURN_IF_ERROR(CheckWords(child, kind, inside));
    if (node.kind == Node::Kind::kFunction && IsCallOf(child, kListAppend) &&
        node.text == kListAppend) {
      return RefuseMisplaced(kListAppend, kind);
    }
  }
  return {};
}

}  // namespace mayfly::expressions

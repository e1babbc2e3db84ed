#include "expressions/update.h"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <utility>

#include "expressions/binder.h"
#include "expressions/projection.h"
#include "expressions/syntax/parser.h"
#include "expressions/syntax/path_overlap.h"
#include "expressions/syntax/word_check.h"
#include "expressions/update_plan.h"

namespace mayfly::expressions {
namespace {

constexpr ExpressionKind kKind = ExpressionKind::kUpdate;

UpdateAction::Kind KindOf(std::string_view keyword) {
  if (keyword == "SET") return UpdateAction::Kind::kSet;
  if (keyword == "REMOVE") return UpdateAction::Kind::kRemove;
  return keyword == "ADD" ? UpdateAction::Kind::kAdd : UpdateAction::Kind::kDelete;
}

// Checks the words clause by clause, and that no kind of clause is repeated. A repeated clause is
// checked with the first of its kind.
Status CheckClauses(const std::vector<ClauseSyntax>& clauses) {
  std::set<std::string_view> seen;
  for (const ClauseSyntax& first : clauses) {
    if (!seen.insert(first.keyword).second) continue;
    std::size_t times = 0;
    for (const ClauseSyntax& clause : clauses) {
      if (clause.keyword != first.keyword) continue;
      ++times;
      for (const ActionSyntax& action : clause.actions) {
        MAYFLY_RETURN_IF_ERROR(CheckWords(action.path, kKind));
        for (const Node& value : action.value) {
          MAYFLY_RETURN_IF_ERROR(CheckWords(value, kKind, Position::kOperand));
        }
      }
    }
    if (times > 1) {
      return Refused(
          kKind, fmt::format("The \"{}\" section can only be used once in an update expression;",
                             first.keyword));
    }
  }
  return {};
}

// ADD takes numbers and sets, DELETE sets.
Status CheckMembers(std::string_view keyword, const Operand& operand) {
  // In the order of AttributeType.
  constexpr std::array<std::string_view, 7> kRefusedTypes = {
      "STRING", "NUMBER", "BINARY", "BOOLEAN", "NULL", "LIST", "MAP"};
  const auto type = static_cast<std::size_t>(operand.value->type());
  if (type >= kRefusedTypes.size()) return {};
  if (keyword == "ADD" && operand.value->number() != nullptr) return {};
  return Refused(kKind, fmt::format("Incorrect operand type for operator or function; operator: "
                                    "{0}, operand type: {1}, typeSet: ALLOWED_FOR_{0}_OPERAND",
                                    keyword, kRefusedTypes.at(type)));
}

struct WrittenAction {
  std::string_view keyword;
  const ActionSyntax* syntax;
};

// Checks that the names of all paths in it resolve.
Status BindNames(const Node& node, Binder& binder) {
  if (node.kind == Node::Kind::kPath) {
    MAYFLY_TRY(const Path path, binder.BindPath(node.path));
    return {};
  }
  for (const Node& child : node.children) MAYFLY_RETURN_IF_ERROR(BindNames(child, binder));
  return {};
}

// Binds targets first, then names, then values, both from the last action to the first: this order
// decides which of several errors is reported.
Result<UpdatePlan> Bind(const std::vector<ClauseSyntax>& clauses, Arguments& arguments) {
  Binder binder(kKind, arguments);
  UpdatePlan plan;
  std::vector<WrittenAction> written;
  for (std::size_t i = 0; i < clauses.size(); ++i) {
    for (const ActionSyntax& syntax : clauses[i].actions) {
      MAYFLY_TRY(Path path, binder.BindPath(syntax.path));
      plan.paths.push_back(path);
      plan.actions.push_back({.kind = KindOf(clauses[i].keyword),
                              .clause = i,
                              .path = std::move(path),
                              .operand = {}});
      written.push_back({.keyword = clauses[i].keyword, .syntax = &syntax});
    }
  }
  MAYFLY_RETURN_IF_ERROR(CheckOverlaps(plan.paths, kKind));
  for (std::size_t i = written.size(); i-- > 0;) {
    for (const Node& value : written[i].syntax->value) {
      MAYFLY_RETURN_IF_ERROR(BindNames(value, binder));
    }
  }
  for (std::size_t i = written.size(); i-- > 0;) {
    if (written[i].syntax->value.empty()) continue;
    MAYFLY_TRY(plan.actions[i].operand, binder.BindOperand(written[i].syntax->value.front()));
    if (written[i].keyword == "ADD" || written[i].keyword == "DELETE") {
      MAYFLY_RETURN_IF_ERROR(CheckMembers(written[i].keyword, plan.actions[i].operand));
    }
  }
  return plan;
}

}  // namespace

Update::Update(std::unique_ptr<const UpdatePlan> plan) : plan_(std::move(plan)) {}
Update::Update(Update&&) noexcept = default;
Update& Update::operator=(Update&&) noexcept = default;
Update::~Update() = default;

Result<Update> Update::Parse(std::string_view text, Arguments& arguments) {
  MAYFLY_TRY(const std::vector<ClauseSyntax> clauses, ParseUpdateSyntax(text, arguments.bounded()));
  MAYFLY_RETURN_IF_ERROR(CheckClauses(clauses));
  MAYFLY_TRY(UpdatePlan plan, Bind(clauses, arguments));
  return Update(std::make_unique<const UpdatePlan>(std::move(plan)));
}

Result<Item> Update::Apply(const Item& before) const { return expressions::Apply(*plan_, before); }

std::set<std::string> Update::Attributes() const {
  std::set<std::string> attributes;
  for (const Path& path : plan_->paths) attributes.insert(path.attribute());
  return attributes;
}

bool Update::OnlyTakes() const {
  return std::ranges::all_of(plan_->actions, [](const UpdateAction& action) {
    return action.kind == UpdateAction::Kind::kRemove || action.kind == UpdateAction::Kind::kDelete;
  });
}

Item Update::Touched(const Item& item) const { return Project(plan_->paths, item); }

}  // namespace mayfly::expressions

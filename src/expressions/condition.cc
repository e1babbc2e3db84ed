#include "expressions/condition.h"

#include <utility>

#include "expressions/condition_node.h"

namespace mayfly::expressions {
namespace {

void Collect(const Operand& operand, std::set<std::string>& attributes) {
  if (operand.kind == Operand::Kind::kPath) attributes.insert(operand.path.attribute());
  for (const Operand& argument : operand.arguments) Collect(argument, attributes);
}

void Collect(const ConditionNode& node, std::set<std::string>& attributes) {
  for (const ConditionNode& child : node.children) Collect(child, attributes);
  for (const Operand& operand : node.operands) Collect(operand, attributes);
}

}  // namespace

Condition::Condition(std::unique_ptr<const ConditionNode> root) : root_(std::move(root)) {}
Condition::Condition(Condition&&) noexcept = default;
Condition& Condition::operator=(Condition&&) noexcept = default;
Condition::~Condition() = default;

Result<Condition> Condition::Parse(std::string_view text, Role role, Arguments& arguments) {
  const ExpressionKind kind =
      role == Role::kCondition ? ExpressionKind::kCondition : ExpressionKind::kFilter;
  MAYFLY_TRY(ConditionNode root, ParseCondition(text, kind, arguments));
  return Condition(std::make_unique<const ConditionNode>(std::move(root)));
}

bool Condition::Holds(const Item& item) const { return expressions::Holds(*root_, item); }

std::set<std::string> Condition::Attributes() const {
  std::set<std::string> attributes;
  Collect(*root_, attributes);
  return attributes;
}

}  // namespace mayfly::expressions

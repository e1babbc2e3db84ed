// binder.h - resolves placeholders and checks what depends on them: operands that exist, and their
// number and types. Words are checked before (word_check.h).
#pragma once

#include <initializer_list>
#include <string_view>
#include <vector>

#include "expressions/syntax/arguments.h"
#include "expressions/syntax/expression_kind.h"
#include "expressions/syntax/operand.h"
#include "expressions/syntax/path.h"
#include "expressions/syntax/syntax.h"
#include "mayfly/result.h"

namespace mayfly::expressions {

class Binder {
 public:
  // The arguments must outlive it.
  Binder(ExpressionKind kind, Arguments& arguments) : kind_(kind), arguments_(arguments) {}

  Result<Path> BindPath(const PathSyntax& path);
  Result<Operand> BindOperand(const Node& node);
  Result<std::vector<Operand>> BindOperands(const std::vector<Node>& nodes);

  // Invalid unless a function has the number, kinds and types of operands that it needs. They must
  // be bound.
  Status CheckFunction(std::string_view name, const std::vector<Operand>& operands) const;

  // Invalid unless each operand whose type is known has one of these types.
  Status CheckTypes(std::string_view name, const std::vector<Operand>& operands,
                    std::initializer_list<AttributeType> allowed) const;

  // Invalid when the first one is a path that is repeated.
  Status CheckDistinct(std::string_view name, const std::vector<Operand>& operands) const;

  Status Refuse(std::string_view message) const { return Refused(kind_, message); }

 private:
  Status CheckAttributeType(const Operand& wanted) const;

  ExpressionKind kind_;
  Arguments& arguments_;
};

}  // namespace mayfly::expressions

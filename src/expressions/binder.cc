#include "expressions/binder.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <string>
#include <utility>

#include "base/check.h"
#include "expressions/syntax/functions.h"
#include "expressions/syntax/limits.h"

namespace mayfly::expressions {
namespace {

std::string IncorrectType(std::string_view name, std::string_view type) {
  return fmt::format(
      "Incorrect operand type for operator or function; operator or function: {}, operand type: {}",
      name, type);
}

Operand::Kind FunctionKind(std::string_view name) {
  if (name == "size") return Operand::Kind::kSize;
  if (name == "if_not_exists") return Operand::Kind::kIfNotExists;
  MAYFLY_CHECK(name == "list_append", "a function that is no operand");
  return Operand::Kind::kListAppend;
}

}  // namespace

Result<Path> Binder::BindPath(const PathSyntax& syntax) {
  Path path;
  for (const PathSyntax::Step& step : syntax.steps) {
    switch (step.kind) {
      case PathSyntax::Step::Kind::kName: path.steps.emplace_back(std::string(step.text)); break;
      case PathSyntax::Step::Kind::kIndex: {
        std::size_t index = 0;
        std::from_chars(step.text.data(), step.text.data() + step.text.size(), index);
        path.steps.emplace_back(index);
        break;
      }
      case PathSyntax::Step::Kind::kPlaceholder: {
        const std::string* name = arguments_.Name(std::string(step.text));
        if (name == nullptr) {
          return Refuse(
              fmt::format("An expression attribute name used in the document path is not "
                          "defined; attribute name: {}",
                          step.text));
        }
        path.steps.emplace_back(*name);
        break;
      }
    }
  }
  if (path.steps.size() > kPathStepsMax) {
    return Refuse(fmt::format("The document path has too many nesting levels; nesting levels: {}",
                              path.steps.size()));
  }
  return path;
}

Result<std::vector<Operand>> Binder::BindOperands(const std::vector<Node>& nodes) {
  std::vector<Operand> operands;
  for (const Node& node : nodes) {
    MAYFLY_TRY(Operand operand, BindOperand(node));
    operands.push_back(std::move(operand));
  }
  return operands;
}

Result<Operand> Binder::BindOperand(const Node& in_parentheses) {
  const Node& node = Bare(in_parentheses);
  Operand operand;
  switch (node.kind) {
    case Node::Kind::kPath: {
      operand.kind = Operand::Kind::kPath;
      MAYFLY_TRY(operand.path, BindPath(node.path));
      return operand;
    }
    case Node::Kind::kValue: {
      operand.value = arguments_.Value(std::string(node.text));
      if (operand.value == nullptr) {
        return Refuse(
            fmt::format("An expression attribute value used in expression is not "
                        "defined; attribute value: {}",
                        node.text));
      }
      return operand;
    }
    case Node::Kind::kFunction: {
      operand.kind = FunctionKind(node.text);
      MAYFLY_TRY(operand.arguments, BindOperands(node.children));
      MAYFLY_RETURN_IF_ERROR(CheckFunction(node.text, operand.arguments));
      return operand;
    }
    default: {
      MAYFLY_CHECK(node.kind == Node::Kind::kArithmetic, "a condition where an operand is");
      operand.kind = node.text == "+" ? Operand::Kind::kAdd : Operand::Kind::kSubtract;
      MAYFLY_TRY(operand.arguments, BindOperands(node.children));
      MAYFLY_RETURN_IF_ERROR(CheckTypes(node.text, operand.arguments, {AttributeType::kNumber}));
      return operand;
    }
  }
}

Status Binder::CheckFunction(std::string_view name, const std::vector<Operand>& operands) const {
  const FunctionSpec* spec = FindFunction(name);
  MAYFLY_CHECK(spec != nullptr, "a function that passed without being known");
  if (operands.size() != spec->operands) {
    return Refuse(
        fmt::format("Incorrect number of operands for operator or function; operator or "
                    "function: {}, number of operands: {}",
                    name, operands.size()));
  }
  if (spec->first_is_path && operands.front().kind != Operand::Kind::kPath) {
    return Refuse(
        fmt::format("Operator or function requires a document path; operator or "
                    "function: {}",
                    name));
  }
  using Type = AttributeType;
  if (name == "size") {
    return CheckTypes(name, operands,
                      {Type::kString, Type::kBinary, Type::kList, Type::kMap, Type::kStringSet,
                       Type::kNumberSet, Type::kBinarySet});
  }
  if (name == "list_append") return CheckTypes(name, operands, {Type::kList});
  MAYFLY_RETURN_IF_ERROR(CheckDistinct(name, operands));
  if (name == "begins_with") return CheckTypes(name, operands, {Type::kString, Type::kBinary});
  if (name == "attribute_type") return CheckAttributeType(operands[1]);
  return {};
}

Status Binder::CheckAttributeType(const Operand& wanted) const {
  const auto type = TypeOf(wanted);
  if (type != AttributeType::kString) {
    return Refuse(IncorrectType(
        "attribute_type", type ? AttributeTypeName(*type) : "{NS,SS,L,BS,N,M,B,BOOL,NULL,S}"));
  }
  const std::string& name = *wanted.value->string();
  for (std::uint8_t i = 0; i <= static_cast<std::uint8_t>(AttributeType::kBinarySet); ++i) {
    if (AttributeTypeName(static_cast<AttributeType>(i)) == name) return {};
  }
  return Refuse(
      fmt::format("Invalid attribute type name found; type: {}, valid types: "
                  "{{B,NULL,SS,BOOL,L,BS,N,NS,S,M}}",
                  name));
}

Status Binder::CheckTypes(std::string_view name, const std::vector<Operand>& operands,
                          std::initializer_list<AttributeType> allowed) const {
  for (const Operand& operand : operands) {
    const auto type = TypeOf(operand);
    if (!type || std::ranges::find(allowed, *type) != allowed.end()) continue;
    return Refuse(IncorrectType(name, AttributeTypeName(*type)));
  }
  return {};
}

Status Binder::CheckDistinct(std::string_view name, const std::vector<Operand>& operands) const {
  const Operand& first = operands.front();
  if (first.kind != Operand::Kind::kPath) return {};
  for (std::size_t i = 1; i < operands.size(); ++i) {
    if (operands[i].kind != Operand::Kind::kPath || operands[i].path != first.path) continue;
    return Refuse(
        fmt::format("The first operand must be distinct from the remaining operands for "
                    "this operator or function; operator: {}, first operand: {}",
                    name, Describe(first.path)));
  }
  return {};
}

}  // namespace mayfly::expressions

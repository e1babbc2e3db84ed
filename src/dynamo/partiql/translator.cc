#include "dynamo/partiql/translator.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <array>
#include <map>
#include <utility>

#include "base/text.h"

namespace mayfly::partiql {
namespace {

using Kind = Term::Kind;

constexpr std::size_t kInOperandsMax = 100;

struct ConditionFunction {
  std::string_view name;
  std::size_t operands;
};
// Each has a path as its first operand.
constexpr std::array kConditionFunctions = std::to_array<ConditionFunction>({
    {"attribute_exists", 1},
    {"attribute_not_exists", 1},
    {"attribute_type", 2},
    {"begins_with", 2},
    {"contains", 2},
});

Status Unrecognized(const Term& call) {
  return Status::Invalid(
      fmt::format("Unrecognized function: {} at {}", call.text, ToText(call.position)));
}

Status WrongNumber(const Term& call) {
  return Status::Invalid(
      fmt::format("Incorrect number of operands for operator or function; operator or function: "
                  "{}, number of operands: {}",
                  call.text, call.children.size()));
}

Status TooManyOperands(std::size_t count) {
  return Status::Invalid(fmt::format(
      "The IN operator is provided with too many operands; number of operands: {}", count));
}

bool IsJoint(const Term& term) { return term.kind == Kind::kAnd || term.kind == Kind::kOr; }

}  // namespace

std::string Translator::NameText(const std::string& name) {
  std::string& placeholder = placeholders_[name];
  if (placeholder.empty()) {
    placeholder = fmt::format("#n{}", arguments_.names.size());
    arguments_.names.emplace(placeholder, name);
  }
  return placeholder;
}

std::string Translator::ValueText(AttributeValue value) {
  std::string placeholder = fmt::format(":v{}", arguments_.values.size());
  arguments_.values.emplace(placeholder, std::move(value));
  return placeholder;
}

std::string Translator::PathText(const Path& path) {
  std::string text;
  for (const PathStep& step : path) {
    if (const auto* const index = std::get_if<std::size_t>(&step)) {
      text += fmt::format("[{}]", *index);
    } else {
      text += (text.empty() ? "" : ".") + NameText(std::get<std::string>(step));
    }
  }
  return text;
}

Result<std::string> Translator::All(const std::vector<const Term*>& terms) {
  std::vector<std::string> parts;
  for (const Term* const term : terms) {
    MAYFLY_TRY(std::string part, terms.size() > 1 ? Inner(*term) : Condition(*term));
    parts.push_back(std::move(part));
  }
  return fmt::format("{}", fmt::join(parts, " AND "));
}

// As a part of another condition. DynamoDB refuses parentheses that say nothing.
Result<std::string> Translator::Inner(const Term& term) {
  MAYFLY_TRY(std::string text, Condition(term));
  return IsJoint(term) ? "(" + text + ")" : text;
}

Result<std::string> Translator::Joined(const Term& term, std::string_view joint) {
  std::vector<std::string> parts;
  for (const Term& child : term.children) {
    MAYFLY_TRY(std::string part, Inner(child));
    parts.push_back(std::move(part));
  }
  return fmt::format("{}", fmt::join(parts, joint));
}

Result<std::string> Translator::Condition(const Term& term) {
  switch (term.kind) {
    case Kind::kAnd: return Joined(term, " AND ");
    case Kind::kOr: return Joined(term, " OR ");
    case Kind::kNot: {
      MAYFLY_TRY(const std::string inner, Inner(term.children[0]));
      return "NOT " + inner;
    }
    case Kind::kComparison: return Comparison(term);
    case Kind::kBetween: return Between(term);
    case Kind::kIn: return In(term);
    case Kind::kIsMissing: {
      MAYFLY_TRY(const std::string path, PathOf(term.children[0], "IS MISSING"));
      return fmt::format("attribute_not_exists({})", path);
    }
    case Kind::kIsNull: {
      MAYFLY_TRY(const std::string path, PathOf(term.children[0], "IS NULL"));
      return fmt::format("attribute_type({}, {})", path, ValueText(AttributeValue("NULL")));
    }
    case Kind::kIsType: return Status::Invalid("Unsupported operation: IsType");
    case Kind::kCall: return Call(term);
    default:
      return Status::Invalid(fmt::format("A condition is expected at {}", ToText(term.position)));
  }
}

// Of anything but values, such as size(a), nothing is known before.
Result<std::string> Translator::Ordered(const Term& term, std::string_view comparator) {
  if (IsConstant(term)) {
    MAYFLY_TRY(const AttributeValue value, ValueOf(term, parameters_));
    if (value.string() == nullptr && value.number() == nullptr && value.binary() == nullptr) {
      return Status::Invalid(
          fmt::format("Incorrect operand type for operator or function; operator or function: {}, "
                      "operand type: {}",
                      comparator, AttributeTypeName(value.type())));
    }
  }
  return Operand(term);
}

Result<std::string> Translator::Comparison(const Term& term) {
  const Term& left = term.children[0];
  const Term& right = term.children[1];
  const bool equality = term.text == "=" || term.text == "<>";
  if (equality && (left.kind == Kind::kMissing || right.kind == Kind::kMissing)) {
    MAYFLY_TRY(const std::string path,
               PathOf(left.kind == Kind::kMissing ? right : left, "MISSING"));
    return fmt::format("attribute_{}exists({})", term.text == "=" ? "not_" : "", path);
  }
  MAYFLY_TRY(const std::string first, equality ? Operand(left) : Ordered(left, term.text));
  MAYFLY_TRY(const std::string second, equality ? Operand(right) : Ordered(right, term.text));
  return fmt::format("{} {} {}", first, term.text, second);
}

Result<std::string> Translator::Between(const Term& term) {
  MAYFLY_TRY(const std::string operand, Ordered(term.children[0], "BETWEEN"));
  MAYFLY_TRY(const std::string lower, Ordered(term.children[1], "BETWEEN"));
  MAYFLY_TRY(const std::string upper, Ordered(term.children[2], "BETWEEN"));
  return fmt::format("{} BETWEEN {} AND {}", operand, lower, upper);
}

Result<std::string> Translator::In(const Term& term) {
  MAYFLY_TRY(const std::string operand, Operand(term.children[0]));
  const Term& list = term.children[1];
  std::vector<std::string> among;
  if (list.kind == Kind::kParameter) {
    const AttributeValue& value = parameters_.at(list.parameter);
    if (value.list() == nullptr) return Status::Invalid("The parameter of IN must be a list");
    if (value.list()->size() > kInOperandsMax) return TooManyOperands(value.list()->size());
    for (const AttributeValue& one : *value.list()) among.push_back(ValueText(one));
  }
  if (list.children.size() > kInOperandsMax) return TooManyOperands(list.children.size());
  for (const Term& one : list.children) {
    MAYFLY_TRY(std::string text, Operand(one));
    among.push_back(std::move(text));
  }
  if (among.empty()) return Status::Invalid("The IN operator needs at least one operand");
  return fmt::format("{} IN ({})", operand, fmt::join(among, ", "));
}

Result<std::string> Translator::PathOf(const Term& term, std::string_view function) {
  if (term.kind == Kind::kPath) return PathText(term.path);
  return Status::Invalid(fmt::format(
      "Operator or function requires a document path; operator or function: {}", function));
}

Result<std::string> Translator::Call(const Term& term) {
  const auto function =
      std::find_if(kConditionFunctions.begin(), kConditionFunctions.end(),
                   [&](const ConditionFunction& known) { return known.name == term.text; });
  if (function == kConditionFunctions.end()) return Unrecognized(term);
  if (term.children.size() != function->operands) return WrongNumber(term);
  MAYFLY_TRY(const std::string path, PathOf(term.children[0], term.text));
  if (function->operands == 1) return fmt::format("{}({})", term.text, path);
  MAYFLY_TRY(const std::string operand, Operand(term.children[1]));
  return fmt::format("{}({}, {})", term.text, path, operand);
}

Result<std::string> Translator::Operand(const Term& term) {
  if (term.kind == Kind::kPath) return PathText(term.path);
  if (IsConstant(term)) {
    MAYFLY_TRY(AttributeValue value, ValueOf(term, parameters_));
    return ValueText(std::move(value));
  }
  if (term.kind != Kind::kCall) {
    return Status::Invalid(
        fmt::format("A value or a path is expected at {}", ToText(term.position)));
  }
  if (term.text != "size") return Unrecognized(term);
  if (term.children.size() != 1) return WrongNumber(term);
  MAYFLY_TRY(const std::string path, PathOf(term.children[0], term.text));
  return fmt::format("size({})", path);
}

// What SET gives an attribute.
Result<std::string> Translator::Assigned(const Term& term) {
  const bool sum = term.kind == Kind::kSum;
  const bool joins =
      term.kind == Kind::kCall && (term.text == "list_append" || term.text == "if_not_exists");
  if (term.kind == Kind::kCall && !joins) return Unrecognized(term);
  if (!sum && !joins) return Operand(term);
  if (term.children.size() != 2) return WrongNumber(term);
  MAYFLY_TRY(const std::string first, Assigned(term.children[0]));
  MAYFLY_TRY(const std::string second, Assigned(term.children[1]));
  if (sum) return fmt::format("{} {} {}", first, term.text, second);
  return fmt::format("{}({}, {})", term.text, first, second);
}

// SET a = set_add(a, <<...>>) and set_delete.
Result<std::string> Translator::SetMembers(const UpdateStatement::Assignment& assignment) {
  const Term& call = *assignment.value;
  const std::string name = ToUpper(call.text);
  if (call.children.size() != 2) {
    return Status::Invalid(
        fmt::format("{} must have exactly two arguments at {}", name, ToText(call.position)));
  }
  const Term& target = call.children[0];
  if (target.kind != Kind::kPath || target.path != assignment.path) {
    return Status::Invalid(
        fmt::format("The first argument to {} must equal the assignment value at {}", name,
                    ToText(call.position)));
  }
  const auto refuse = [&] {
    return Status::Invalid(
        fmt::format("The second argument to {} must be a value with type SET at {}", name,
                    ToText(target.position)));
  };
  if (!IsConstant(call.children[1])) return refuse();
  MAYFLY_TRY(AttributeValue members, ValueOf(call.children[1], parameters_));
  if (members.type() < AttributeType::kStringSet) return refuse();
  const std::string path = PathText(assignment.path);
  return fmt::format("{} {}", path, ValueText(std::move(members)));
}

Result<std::string> Translator::Update(
    const std::vector<UpdateStatement::Assignment>& assignments) {
  std::map<std::string_view, std::vector<std::string>> clauses;
  for (const UpdateStatement::Assignment& assignment : assignments) {
    const bool is_call = assignment.value && assignment.value->kind == Kind::kCall;
    if (!assignment.value) {
      clauses["REMOVE"].push_back(PathText(assignment.path));
    } else if (is_call &&
               (assignment.value->text == "set_add" || assignment.value->text == "set_delete")) {
      MAYFLY_TRY(std::string members, SetMembers(assignment));
      clauses[assignment.value->text == "set_add" ? "ADD" : "DELETE"].push_back(std::move(members));
    } else {
      const std::string path = PathText(assignment.path);
      MAYFLY_TRY(const std::string value, Assigned(*assignment.value));
      clauses["SET"].push_back(fmt::format("{} = {}", path, value));
    }
  }
  std::vector<std::string> parts;
  for (const auto& [clause, changes] : clauses) {
    parts.push_back(fmt::format("{} {}", clause, fmt::join(changes, ", ")));
  }
  return fmt::format("{}", fmt::join(parts, " "));
}

}  // namespace mayfly::partiql

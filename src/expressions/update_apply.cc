// update_apply.cc - applies an update to an item (update_plan.h).
#include <algorithm>
#include <optional>
#include <string>
#include <utility>

#include "expressions/syntax/limits.h"
#include "expressions/update_plan.h"
#include "items/item_size.h"

namespace mayfly::expressions {
namespace {

Status Missing() {
  return Status::Invalid(
      "The provided expression refers to an attribute that does not exist in the item");
}

Status WrongPath() {
  return Status::Invalid(
      "The document path provided in the update expression is invalid for update");
}

Status WrongType() {
  return Status::WrongType("An operand in the update expression has an incorrect data type");
}

Status TooLarge() {
  return Status::Invalid("Item size to update has exceeded the maximum allowed size");
}

// Internally, WrongType marks an error that takes precedence; callers see Invalid.
Status AsInvalid(const Status& status) {
  if (status.code() != StatusCode::kWrongType) return status;
  return Status::Invalid(std::string(status.message()));
}

Result<AttributeValue> Evaluate(const Operand& operand, const Item& before);

Result<AttributeValue> EvaluateSum(const Operand& operand, const Item& before) {
  MAYFLY_TRY(const AttributeValue a, Evaluate(operand.arguments[0], before));
  if (a.number() == nullptr) return WrongType();
  MAYFLY_TRY(const AttributeValue b, Evaluate(operand.arguments[1], before));
  if (b.number() == nullptr) return WrongType();
  MAYFLY_TRY(Number result, operand.kind == Operand::Kind::kAdd
                                ? Add(*a.number(), *b.number())
                                : Subtract(*a.number(), *b.number()));
  return AttributeValue(std::move(result));
}

Result<AttributeValue> EvaluateAppend(const Operand& operand, const Item& before) {
  MAYFLY_TRY(AttributeValue a, Evaluate(operand.arguments[0], before));
  if (a.list() == nullptr) return WrongType();
  MAYFLY_TRY(AttributeValue b, Evaluate(operand.arguments[1], before));
  if (b.list() == nullptr) return WrongType();
  for (AttributeValue& element : *b.list()) a.list()->push_back(std::move(element));
  if (items::SizeOf(a) > kWrittenBytesMax) return TooLarge();
  return a;
}

Result<AttributeValue> Evaluate(const Operand& operand, const Item& before) {
  switch (operand.kind) {
    case Operand::Kind::kValue: return *operand.value;
    case Operand::Kind::kIfNotExists: {
      const AttributeValue* found = Find(before, operand.arguments[0].path);
      if (found != nullptr) return *found;
      return Evaluate(operand.arguments[1], before);
    }
    case Operand::Kind::kListAppend: return EvaluateAppend(operand, before);
    case Operand::Kind::kAdd:
    case Operand::Kind::kSubtract: return EvaluateSum(operand, before);
    default: {
      const AttributeValue* found = Find(before, operand.path);
      if (found == nullptr) return Missing();
      return *found;
    }
  }
}

template <typename Set>
void Change(UpdateAction::Kind kind, Set& set, const Set& members) {
  for (const auto& member : members) {
    if (kind == UpdateAction::Kind::kAdd) {
      set.insert(member);
    } else {
      set.erase(member);
    }
  }
}

bool IsEmptySet(const AttributeValue& value) {
  return (value.string_set() != nullptr && value.string_set()->empty()) ||
         (value.number_set() != nullptr && value.number_set()->empty()) ||
         (value.binary_set() != nullptr && value.binary_set()->empty());
}

// ADD or DELETE to an existing value: a number or a set of the operand's type.
Result<AttributeValue> ChangeMembers(const UpdateAction& action, AttributeValue value) {
  const AttributeValue& by = *action.operand.value;
  if (value.type() != by.type()) return WrongType();
  if (value.number() != nullptr) {
    MAYFLY_TRY(Number sum, Add(*value.number(), *by.number()));
    return AttributeValue(std::move(sum));
  }
  if (auto* strings = value.string_set()) Change(action.kind, *strings, *by.string_set());
  if (auto* numbers = value.number_set()) Change(action.kind, *numbers, *by.number_set());
  if (auto* binaries = value.binary_set()) Change(action.kind, *binaries, *by.binary_set());
  return value;
}

// The new value at an action's path, or nothing.
Result<std::optional<AttributeValue>> Outcome(const UpdateAction& action, const Item& before) {
  if (action.kind == UpdateAction::Kind::kRemove) return std::optional<AttributeValue>();
  if (action.kind == UpdateAction::Kind::kSet) {
    MAYFLY_TRY(AttributeValue value, Evaluate(action.operand, before));
    return std::optional(std::move(value));
  }
  const AttributeValue* found = Find(before, action.path);
  if (found == nullptr) {
    if (action.kind == UpdateAction::Kind::kDelete) return std::optional<AttributeValue>();
    return std::optional(*action.operand.value);
  }
  MAYFLY_TRY(AttributeValue value, ChangeMembers(action, *found));
  if (IsEmptySet(value)) return std::optional<AttributeValue>();
  return std::optional(std::move(value));
}

Path ParentOf(const Path& path) { return {.steps = {path.steps.begin(), path.steps.end() - 1}}; }

enum class Parent : std::uint8_t { kFits, kMissing, kOther };

// Whether the path has a map for a name, or a list for an index.
Parent LookAtParent(const Path& path, const Item& before) {
  if (path.steps.size() == 1) return Parent::kFits;
  const AttributeValue* parent = Find(before, ParentOf(path));
  if (parent == nullptr) return Parent::kMissing;
  const bool name = std::holds_alternative<std::string>(path.steps.back());
  const bool fits = name ? parent->map() != nullptr : parent->list() != nullptr;
  return fits ? Parent::kFits : Parent::kOther;
}

struct Write {
  const Path* path;
  std::optional<AttributeValue> value;  // Nothing: removed.
};

// In the order in which DynamoDB reports errors: parents of another type; operands of wrong types;
// then, from the last clause to the first, missing parents and operands.
Result<std::vector<Write>> Decide(const UpdatePlan& plan, const Item& before) {
  std::vector<Result<std::optional<AttributeValue>>> outcomes;
  for (const UpdateAction& action : plan.actions) {
    if (LookAtParent(action.path, before) == Parent::kOther) return WrongPath();
  }
  std::size_t bytes = 0;
  for (const UpdateAction& action : plan.actions) {
    outcomes.push_back(Outcome(action, before));
    const auto& outcome = outcomes.back();
    if (outcome.status().code() == StatusCode::kWrongType) return AsInvalid(outcome.status());
    if (outcome && *outcome) bytes += items::SizeOf(**outcome);
    if (bytes > kWrittenBytesMax) return TooLarge();
  }
  const std::size_t clauses = plan.actions.empty() ? 0 : plan.actions.back().clause + 1;
  for (std::size_t clause = clauses; clause-- > 0;) {
    for (const UpdateAction& action : plan.actions) {
      if (action.clause != clause) continue;
      if (LookAtParent(action.path, before) != Parent::kFits) return WrongPath();
    }
    for (std::size_t i = 0; i < plan.actions.size(); ++i) {
      if (plan.actions[i].clause == clause && !outcomes[i]) return outcomes[i].error();
    }
  }
  std::vector<Write> writes;
  for (std::size_t i = 0; i < plan.actions.size(); ++i) {
    writes.push_back({.path = &plan.actions[i].path, .value = *std::move(outcomes[i])});
  }
  return writes;
}

void Put(Item& item, const Path& path, AttributeValue value) {
  if (path.steps.size() == 1) {
    item.insert_or_assign(path.attribute(), std::move(value));
    return;
  }
  AttributeValue* parent = Find(item, ParentOf(path));
  if (const auto* name = std::get_if<std::string>(&path.steps.back())) {
    parent->map()->insert_or_assign(*name, std::move(value));
    return;
  }
  const std::size_t index = std::get<std::size_t>(path.steps.back());
  AttributeValue::List& list = *parent->list();
  if (index < list.size()) {
    list[index] = std::move(value);
  } else {
    list.push_back(std::move(value));
  }
}

void Take(Item& item, const Path& path) {
  if (path.steps.size() == 1) {
    item.erase(path.attribute());
    return;
  }
  AttributeValue* parent = Find(item, ParentOf(path));
  if (const auto* name = std::get_if<std::string>(&path.steps.back())) {
    parent->map()->erase(*name);
    return;
  }
  const std::size_t index = std::get<std::size_t>(path.steps.back());
  parent->list()->erase(parent->list()->begin() + static_cast<std::ptrdiff_t>(index));
}

}  // namespace

// Writes come in the order of their paths, so that those past a list's end are appended in the
// order of their indexes; removals after them and backwards, so that smaller indexes stay valid.
Result<Item> Apply(const UpdatePlan& plan, const Item& before) {
  MAYFLY_TRY(std::vector<Write> writes, Decide(plan, before));
  std::ranges::sort(
      writes, {}, [](const Write& write) -> const auto& { return write.path->steps; });
  Item after = before;
  for (Write& write : writes) {
    if (write.value) Put(after, *write.path, *std::move(write.value));
  }
  for (auto write = writes.rbegin(); write != writes.rend(); ++write) {
    const bool goes = !write->value && Find(before, *write->path) != nullptr;
    if (goes) Take(after, *write->path);
  }
  return after;
}

}  // namespace mayfly::expressions

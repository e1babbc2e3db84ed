#include "dynamo/partiql/key_match.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "dynamo/partiql/limits.h"

namespace mayfly::partiql {
namespace {

using Kind = Term::Kind;

bool IsAttribute(const Term& term, const std::string& name) {
  return term.kind == Kind::kPath && term.path.size() == 1 &&
         std::get<std::string>(term.path.front()) == name;
}

void Flatten(const Term& term, std::vector<const Term*>& conjuncts) {
  if (term.kind != Kind::kAnd) {
    conjuncts.push_back(&term);
    return;
  }
  for (const Term& child : term.children) Flatten(child, conjuncts);
}

// The constant that `name` is compared with; null: it is not, or not with a constant.
const Term* ComparedWith(const Term& term, const std::string& name) {
  if (term.kind != Kind::kComparison) return nullptr;
  const Term& left = term.children[0];
  const Term& right = term.children[1];
  if (IsAttribute(left, name) && IsConstant(right)) return &right;
  return IsAttribute(right, name) && IsConstant(left) ? &left : nullptr;
}

const Term* EqualTo(const Term& term, const std::string& name) {
  return term.text == "=" ? ComparedWith(term, name) : nullptr;
}

// A condition that Query takes for a sort key.
bool IsRange(const Term& term, const std::string& name) {
  const auto constant = [](const Term& one) { return IsConstant(one); };
  switch (term.kind) {
    case Kind::kComparison: return term.text != "<>" && ComparedWith(term, name) != nullptr;
    case Kind::kBetween:
      return IsAttribute(term.children[0], name) &&
             std::all_of(term.children.begin() + 1, term.children.end(), constant);
    case Kind::kCall:
      return term.text == "begins_with" && term.children.size() == 2 &&
             IsAttribute(term.children[0], name) && IsConstant(term.children[1]);
    default: return false;
  }
}

using Values = std::optional<std::vector<AttributeValue>>;

Result<Values> AmongValues(const Term& list, const Parameters& parameters) {
  if (list.kind == Kind::kParameter) {
    const AttributeValue& value = parameters.at(list.parameter);
    if (value.list() == nullptr) return Status::Invalid("The parameter of IN must be a list");
    return Values(*value.list());
  }
  std::vector<AttributeValue> values;
  for (const Term& one : list.children) {
    if (!IsConstant(one)) return Values();
    MAYFLY_TRY(AttributeValue value, ValueOf(one, parameters));
    values.push_back(std::move(value));
  }
  return Values(std::move(values));
}

// The values that the condition leaves an attribute; nothing: it says something else.
Result<Values> ValuesOf(const Term& term, const std::string& name, const Parameters& parameters) {
  if (const Term* const equal = EqualTo(term, name)) {
    MAYFLY_TRY(AttributeValue value, ValueOf(*equal, parameters));
    return Values({std::move(value)});
  }
  if (term.kind == Kind::kIn && IsAttribute(term.children[0], name)) {
    return AmongValues(term.children[1], parameters);
  }
  if (term.kind != Kind::kOr) return Values();
  std::vector<AttributeValue> values;
  for (const Term& child : term.children) {
    MAYFLY_TRY(Values some, ValuesOf(child, name, parameters));
    if (!some) return Values();
    for (AttributeValue& value : *some) values.push_back(std::move(value));
  }
  return Values(std::move(values));
}

Status AddPartitions(std::vector<AttributeValue> values, KeyMatch& match) {
  for (AttributeValue& value : values) {
    const auto same = std::find(match.partitions.begin(), match.partitions.end(), value);
    if (same == match.partitions.end()) match.partitions.push_back(std::move(value));
  }
  if (match.partitions.size() <= kPartitionsMax) return {};
  return Status::Invalid(fmt::format(
      "The IN operator is provided with too many operands for a hash key; number of operands: {}",
      match.partitions.size()));
}

}  // namespace

Result<KeyMatch> MatchKeys(const std::optional<Term>& where, const tables::ReadSchema& schema,
                           const Parameters& parameters) {
  KeyMatch match;
  if (!where) return match;
  std::vector<const Term*> conjuncts;
  Flatten(*where, conjuncts);
  for (const Term* const term : conjuncts) {
    if (match.partitions.empty()) {
      MAYFLY_TRY(Values values, ValuesOf(*term, schema.partition, parameters));
      if (values && !values->empty()) {
        MAYFLY_RETURN_IF_ERROR(AddPartitions(*std::move(values), match));
        continue;
      }
    }
    if (schema.sort && match.sort == nullptr && IsRange(*term, *schema.sort)) {
      match.sort = term;
      if (const Term* const equal = EqualTo(*term, *schema.sort)) {
        MAYFLY_TRY(match.sort_equal, ValueOf(*equal, parameters));
      }
      continue;
    }
    match.rest.push_back(term);
  }
  // Without a partition, a range of sort keys is a condition like others.
  if (match.partitions.empty() && match.sort != nullptr) match.rest.push_back(match.sort);
  return match;
}

}  // namespace mayfly::partiql

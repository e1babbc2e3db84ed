#include "dynamo/partiql/values.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <utility>

namespace mayfly::partiql {
namespace {

using Kind = Term::Kind;

Result<AttributeValue> ValueAt(const Term& term, const Parameters& parameters,
                               const std::string& where);

// "1." and ".5" are numbers here.
std::string WithDigits(std::string text) {
  const std::size_t point = text.find('.');
  if (point == std::string::npos) return text;
  if (point == 0 || text[point - 1] == '-') return text.insert(point, "0");
  if (point + 1 == text.size() || text[point + 1] == 'e' || text[point + 1] == 'E') {
    return text.erase(point, 1);
  }
  return text;
}

Result<AttributeValue> NumberAt(const std::string& text, const std::string& where) {
  Result<Number> number = Number::Parse(WithDigits(text));
  if (!number) {
    return Status::Invalid(fmt::format("{} under {}", number.error().message(), where));
  }
  return AttributeValue(*std::move(number));
}

Result<std::vector<AttributeValue>> ChildrenAt(const Term& term, const Parameters& parameters,
                                               const std::string& where) {
  std::vector<AttributeValue> values;
  for (const Term& child : term.children) {
    MAYFLY_TRY(AttributeValue value,
               ValueAt(child, parameters, fmt::format("{}[{}]", where, values.size())));
    values.push_back(std::move(value));
  }
  return values;
}

// Makes a set of the members, all of which have the type of the first.
template <typename Set, typename Get>
Result<AttributeValue> SetOf(const std::vector<AttributeValue>& members, const Get& get) {
  Set set;
  for (const AttributeValue& member : members) {
    const auto* const one = get(member);
    if (one == nullptr)
      return Status::Invalid("Bags with members of several types are not supported");
    if (!set.insert(*one).second) {
      return Status::Invalid(
          "One or more parameter values were invalid: Input collection contains duplicates.");
    }
  }
  return AttributeValue(std::move(set));
}

Result<AttributeValue> TextsOf(const std::vector<AttributeValue>& members) {
  auto set = SetOf<AttributeValue::StringSet>(
      members, [](const AttributeValue& member) { return member.string(); });
  std::vector<std::string> texts;
  for (const AttributeValue& member : members) {
    if (member.string() == nullptr) return set;
    texts.push_back(*member.string());
  }
  if (set) return set;
  return Status::Invalid(
      fmt::format("One or more parameter values were invalid: Input collection [{}] contains "
                  "duplicates.",
                  fmt::join(texts, ", ")));
}

Result<AttributeValue> BagAt(const Term& term, const Parameters& parameters,
                             const std::string& where) {
  MAYFLY_TRY(const std::vector<AttributeValue> members, ChildrenAt(term, parameters, where));
  if (members.empty()) return Status::Invalid("Empty bags are not supported");
  switch (members.front().type()) {
    case AttributeType::kString: return TextsOf(members);
    case AttributeType::kNumber:
      return SetOf<AttributeValue::NumberSet>(
          members, [](const AttributeValue& member) { return member.number(); });
    case AttributeType::kBinary:
      return SetOf<AttributeValue::BinarySet>(
          members, [](const AttributeValue& member) { return member.binary(); });
    default: return Status::Invalid("Bags have strings, numbers or binaries as their members");
  }
}

Result<Item> TupleAt(const Term& term, const Parameters& parameters, const std::string& where,
                     bool is_item) {
  Item item;
  for (std::size_t i = 0; i < term.children.size(); ++i) {
    const std::string& name = term.names[i];
    // DynamoDB begins anew with each attribute of an item.
    MAYFLY_TRY(AttributeValue value, ValueAt(term.children[i], parameters,
                                             is_item ? where : fmt::format("{}.{}", where, name)));
    if (!item.emplace(name, std::move(value)).second) {
      return Status::Invalid(fmt::format("The name '{}' stands twice in one value", name));
    }
  }
  return item;
}

std::string_view NameOf(const Term& term) {
  switch (term.kind) {
    case Kind::kCall: return term.text;
    case Kind::kPath: return "path";
    case Kind::kMissing: return "missing";
    default: return "operation";
  }
}

Result<AttributeValue> ValueAt(const Term& term, const Parameters& parameters,
                               const std::string& where) {
  switch (term.kind) {
    case Kind::kString: return AttributeValue(term.text);
    case Kind::kNumber: return NumberAt(term.text, where);
    case Kind::kTrue: return AttributeValue(true);
    case Kind::kFalse: return AttributeValue(false);
    case Kind::kNull: return AttributeValue(Null());
    case Kind::kParameter: return parameters.at(term.parameter);
    case Kind::kList: {
      MAYFLY_TRY(AttributeValue::List list, ChildrenAt(term, parameters, where));
      return AttributeValue(std::move(list));
    }
    case Kind::kBag: return BagAt(term, parameters, where);
    case Kind::kTuple: {
      MAYFLY_TRY(Item map, TupleAt(term, parameters, where, false));
      return AttributeValue(std::move(map));
    }
    default:
      return Status::Invalid(fmt::format("Unsupported data type: {} under key {} at {}",
                                         NameOf(term), where, ToText(term.position)));
  }
}

constexpr const char* kRoot = "root";

}  // namespace

bool IsConstant(const Term& term) {
  switch (term.kind) {
    case Kind::kString:
    case Kind::kNumber:
    case Kind::kTrue:
    case Kind::kFalse:
    case Kind::kNull:
    case Kind::kParameter:
    case Kind::kList:
    case Kind::kBag:
    case Kind::kTuple: return true;
    default: return false;
  }
}

Result<AttributeValue> ValueOf(const Term& term, const Parameters& parameters) {
  return ValueAt(term, parameters, kRoot);
}

Result<Item> ItemOf(const Term& term, const Parameters& parameters) {
  if (term.kind == Kind::kTuple) return TupleAt(term, parameters, kRoot, true);
  MAYFLY_TRY(AttributeValue value, ValueOf(term, parameters));
  if (value.map() == nullptr) return Status::Invalid("The value to insert must be a tuple");
  return std::move(*value.map());
}

}  // namespace mayfly::partiql

#include "apps/mayfly/transfer/json_rows.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <unordered_set>

#include "apps/mayfly/terminal/output.h"
#include "apps/mayfly/terminal/units.h"
#include "base/printable.h"
#include "base/text.h"
#include "core/layout/limits.h"
#include "dynamo/json/base64.h"
#include "dynamo/json/json.h"

namespace mayfly::app {
namespace {

using boost::json::object;
using server::DumpedValue;
using types::ValueType;

// Exact: the parser of JSON may round a fraction otherwise than it was written.
Cell ScoreCell(double score) {
  constexpr double kWholeMax = 1e15;
  if (std::abs(score) < kWholeMax && score == std::trunc(score)) return Cell::Real(score);
  return Cell::Text(fmt::format("{}", score));
}

std::vector<std::string> MembersOf(const DumpedValue& value) {
  std::vector<std::string> members;
  const char* const name = value.type == ValueType::kList ? "value" : "name";
  for (const std::string& one : value.elements)
    members.push_back(JsonOf({{name, Cell::Text(one)}}));
  for (const auto& field : value.fields) {
    members.push_back(JsonOf({{"name", Cell::Text(field.name)},
                              {"value", Cell::Text(field.value)},
                              {"deadline", Cell::Instant(field.deadline)}}));
  }
  for (const auto& [member, score] : value.scores) {
    members.push_back(JsonOf({{"name", Cell::Text(member)}, {"score", ScoreCell(score)}}));
  }
  return members;
}

Result<WallTime> Plausible(WallTime deadline) {
  if (deadline >= core::kPlausibleFirst) return deadline;
  return Status::Invalid(fmt::format(
      "the deadline {} is probably in seconds; milliseconds are expected", ToMs(deadline)));
}

// A field that import does not know is a misunderstanding: a row with "ttl" would live for ever.
Status CheckFields(const object& from, std::string_view what,
                   const std::vector<std::string_view>& allowed) {
  for (const auto& [json_name, value] : from) {
    const std::string_view name(json_name.data(), json_name.size());
    if (std::find(allowed.begin(), allowed.end(), name) != allowed.end()) continue;
    return Status::Invalid(fmt::format("{} has no field '{}'; it may have {}", what,
                                       Printable(name), fmt::join(allowed, ", ")));
  }
  return {};
}

Result<std::string> BytesUnder(const object& from, const std::string& name) {
  if (from.contains(name) && from.contains(name + "_base64")) {
    return Status::Invalid(fmt::format("'{}' and '{}_base64' are both there", name, name));
  }
  if (const auto* const text = from.if_contains(name); text != nullptr && text->is_string()) {
    return std::string(dynamo::View(text->get_string()));
  }
  const auto* const coded = from.if_contains(name + "_base64");
  if (coded == nullptr || !coded->is_string()) {
    return Status::Invalid(fmt::format("there is no text under '{}' or '{}_base64'", name, name));
  }
  return BytesFromBase64(dynamo::View(coded->get_string()));
}

Result<std::optional<WallTime>> DeadlineUnder(const object& from) {
  std::optional<WallTime> deadline;
  const auto* const found = from.if_contains("deadline");
  if (found == nullptr || found->is_null()) return deadline;
  if (found->is_int64()) {
    MAYFLY_TRY(deadline, Plausible(WallTimeFromMs(found->get_int64())));
  } else if (found->is_string()) {
    MAYFLY_TRY(deadline, DeadlineFrom(std::string(dynamo::View(found->get_string()))));
  } else {
    return Status::Invalid("'deadline' is neither a number of milliseconds nor an instant");
  }
  return deadline;
}

Result<double> ScoreUnder(const object& from) {
  const auto* const found = from.if_contains("score");
  if (found != nullptr && found->is_number()) return found->to_number<double>();
  double score = 0;
  if (found != nullptr && found->is_string()) {
    const auto text = dynamo::View(found->get_string());
    const char* const end = text.data() + text.size();
    const auto [stop, error] = std::from_chars(text.data(), end, score);
    if (error == std::errc() && stop == end && !std::isnan(score)) return score;
  }
  return Status::Invalid("'score' is neither a number nor one as text");
}

Result<ValueType> TypeNamed(std::string_view name) {
  for (const ValueType type :
       {ValueType::kHash, ValueType::kList, ValueType::kSet, ValueType::kSortedSet}) {
    if (types::NameOf(type) == name) return type;
  }
  return Status::Invalid(
      fmt::format("'{}' is no type; it is string, hash, list, set or zset", name));
}

std::vector<std::string_view> MemberFields(ValueType type) {
  switch (type) {
    case ValueType::kHash: return {"name", "name_base64", "value", "value_base64", "deadline"};
    case ValueType::kList: return {"value", "value_base64"};
    case ValueType::kSortedSet: return {"name", "name_base64", "score"};
    default: return {"name", "name_base64"};
  }
}

Status AddMember(const object& member, DumpedValue& value) {
  MAYFLY_RETURN_IF_ERROR(CheckFields(member,
                                     fmt::format("a member of a {}", types::NameOf(value.type)),
                                     MemberFields(value.type)));
  std::string name;
  if (value.type != ValueType::kList) {
    MAYFLY_TRY(name, BytesUnder(member, "name"));
  }
  switch (value.type) {
    case ValueType::kHash: {
      MAYFLY_TRY(std::string text, BytesUnder(member, "value"));
      MAYFLY_TRY(const auto deadline, DeadlineUnder(member));
      value.fields.push_back({std::move(name), std::move(text), deadline});
      return {};
    }
    case ValueType::kSortedSet: {
      MAYFLY_TRY(const double score, ScoreUnder(member));
      value.scores.push_back({std::move(name), score});
      return {};
    }
    case ValueType::kSet: value.elements.push_back(std::move(name)); return {};
    default: break;
  }
  MAYFLY_TRY(std::string element, BytesUnder(member, "value"));
  value.elements.push_back(std::move(element));
  return {};
}

// Those below must be different; a file that says otherwise is refused, not guessed about.
Status CheckNames(const DumpedValue& value) {
  std::unordered_set<std::string_view> names;
  bool twice = false;
  for (const auto& field : value.fields) twice |= !names.insert(field.name).second;
  for (const auto& one : value.scores) twice |= !names.insert(one.name).second;
  if (value.type == ValueType::kSet) {
    for (const auto& one : value.elements) twice |= !names.insert(one).second;
  }
  return twice ? Status::Invalid("a member is there twice") : Status();
}

Result<DumpedValue> CollectionIn(const object& from, std::string_view type) {
  DumpedValue value;
  MAYFLY_TRY(value.type, TypeNamed(type));
  const auto* const members = from.if_contains("members");
  if (members == nullptr || !members->is_array() || members->get_array().empty()) {
    return Status::Invalid("there is no list of members under 'members', of one at least");
  }
  for (const auto& member : members->get_array()) {
    if (!member.is_object()) return Status::Invalid("a member is no JSON object");
    MAYFLY_RETURN_IF_ERROR(AddMember(member.get_object(), value));
  }
  MAYFLY_RETURN_IF_ERROR(CheckNames(value));
  return value;
}

}  // namespace

std::string JsonOf(const TargetRow& row) {
  std::vector<Field> fields = {{"key", Cell::Text(row.key)},
                               {"deadline", Cell::Instant(row.deadline)}};
  if (!row.collection) {
    fields.emplace_back("value", Cell::Text(row.value));
    return JsonOf(fields);
  }
  fields.emplace_back("type", Cell::Text(types::NameOf(row.collection->type)));
  std::string text = JsonOf(fields);
  text.pop_back();
  return fmt::format("{},\"members\":[{}]}}", text, fmt::join(MembersOf(*row.collection), ","));
}

Result<TargetRow> RowFromJson(std::string_view text) {
  const auto parsed = dynamo::ParseJson(text);
  if (!parsed) return Status::Invalid(fmt::format("no JSON object: {}", parsed.error().message()));
  if (!parsed->is_object()) return Status::Invalid("no JSON object");
  const object& from = parsed->get_object();
  TargetRow row;
  MAYFLY_TRY(row.key, BytesUnder(from, "key"));
  MAYFLY_TRY(row.deadline, DeadlineUnder(from));
  if (from.contains("type")) {
    MAYFLY_TRY(row.type, BytesUnder(from, "type"));
  }
  if (row.type == types::NameOf(ValueType::kString)) {
    MAYFLY_RETURN_IF_ERROR(CheckFields(
        from, "a string", {"key", "key_base64", "deadline", "type", "value", "value_base64"}));
    MAYFLY_TRY(row.value, BytesUnder(from, "value"));
  } else {
    MAYFLY_TRY(const ValueType type, TypeNamed(row.type));
    MAYFLY_RETURN_IF_ERROR(CheckFields(from, fmt::format("a {}", types::NameOf(type)),
                                       {"key", "key_base64", "deadline", "type", "members"}));
    MAYFLY_TRY(row.collection, CollectionIn(from, row.type));
  }
  return row;
}

Result<WallTime> DeadlineFrom(const std::string& text) {
  const bool digits = std::all_of(text.begin(), text.end(), IsDigit) && text.size() < 18;
  if (digits && !text.empty()) return Plausible(WallTimeFromMs(std::stoll(text)));
  return ParseInstant(text);
}

Result<std::string> BytesFromBase64(std::string_view text) {
  auto bytes = dynamo::FromBase64(text);
  if (!bytes) return Status::Invalid("bad Base64");
  return *std::move(bytes);
}

}  // namespace mayfly::app

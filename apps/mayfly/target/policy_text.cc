#include "apps/mayfly/target/policy_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <functional>

#include "apps/mayfly/terminal/units.h"
#include "base/text.h"

namespace mayfly::app {
namespace {

using Length = std::optional<Millis>;

struct PolicyField {
  std::string_view name;
  std::string_view takes;
  bool (*set)(KeyspacePolicy& policy, const std::string& value);
  Cell (*get)(const KeyspacePolicy& policy);
  bool by_timestamp = false;  // For keyspaces ordered by timestamp, which a server has none of.
};

bool IsNumber(std::string_view text) {
  return !text.empty() && std::all_of(text.begin(), text.end(), IsDigit);
}

template <Length KeyspacePolicy::*kMember>
bool SetLength(KeyspacePolicy& policy, const std::string& value) {
  if (value == "none") {
    policy.*kMember = std::nullopt;
    return true;
  }
  const auto length = ParseDuration(IsNumber(value) ? value + "ms" : value);
  if (!length || *length <= Millis(0)) return false;
  policy.*kMember = *length;
  return true;
}

template <Length KeyspacePolicy::*kMember>
Cell GetLength(const KeyspacePolicy& policy) {
  return Cell::Length(policy.*kMember);
}

template <Length KeyspacePolicy::*kMember>
constexpr PolicyField LengthField(std::string_view name, bool by_timestamp = false) {
  return {name, "a length of time such as 30d, or none", SetLength<kMember>, GetLength<kMember>,
          by_timestamp};
}

bool SetRequire(KeyspacePolicy& policy, const std::string& value) {
  policy.require_ttl = value == "yes";
  return value == "yes" || value == "no";
}

bool SetBreach(KeyspacePolicy& policy, const std::string& value) {
  policy.breach = value == "clamp" ? PolicyBreach::kClamp : PolicyBreach::kRefuse;
  return value == "clamp" || value == "refuse";
}

bool SetJitter(KeyspacePolicy& policy, const std::string& value) {
  std::uint32_t jitter = 0;
  const auto [end, error] = std::from_chars(value.data(), value.data() + value.size(), jitter);
  if (error != std::errc() || end != value.data() + value.size() || jitter > 900) return false;
  policy.jitter_permille = jitter;
  return true;
}

constexpr std::string_view kEventWords[] = {"off", "key", "value"};

bool SetEvents(KeyspacePolicy& policy, const std::string& value) {
  const auto* const found = std::find(std::begin(kEventWords), std::end(kEventWords), value);
  if (found == std::end(kEventWords)) return false;
  policy.events = static_cast<EventDetail>(found - std::begin(kEventWords));
  return true;
}

bool SetOrder(KeyspacePolicy& policy, const std::string& value) {
  policy.order = value == "timestamp" ? RowOrder::kTimestamp : RowOrder::kArrival;
  return value == "timestamp" || value == "arrival";
}

bool SetHistory(KeyspacePolicy& policy, const std::string& value) {
  const auto length = ParseDuration(value);
  if (length) policy.history = *length;
  return length.has_value();
}

constexpr PolicyField kFields[] = {
    LengthField<&KeyspacePolicy::default_ttl>("default-ttl"),
    LengthField<&KeyspacePolicy::min_ttl>("min-ttl"),
    LengthField<&KeyspacePolicy::max_ttl>("max-ttl"),
    {"require", "yes or no", SetRequire,
     [](const KeyspacePolicy& p) { return Cell::Text(p.require_ttl ? "yes" : "no"); }},
    {"breach", "refuse or clamp", SetBreach,
     [](const KeyspacePolicy& p) {
       return Cell::Text(p.breach == PolicyBreach::kClamp ? "clamp" : "refuse");
     }},
    {"jitter", "thousandths, 0 to 900", SetJitter,
     [](const KeyspacePolicy& p) { return Cell::Count(p.jitter_permille); }},
    {"events", "off, key or value", SetEvents,
     [](const KeyspacePolicy& p) { return Cell::Text(kEventWords[static_cast<int>(p.events)]); }},
    LengthField<&KeyspacePolicy::purge_within>("purge-within"),
    {"order", "arrival or timestamp", SetOrder,
     [](const KeyspacePolicy& p) {
       return Cell::Text(p.order == RowOrder::kTimestamp ? "timestamp" : "arrival");
     },
     true},
    {"history", "a length of time such as 1h", SetHistory,
     [](const KeyspacePolicy& p) { return Cell::Length(p.history); }, true},
    LengthField<&KeyspacePolicy::late_max>("late-max", true),
};

}  // namespace

Status SetPolicyField(KeyspacePolicy& policy, const std::string& name, const std::string& value) {
  for (const PolicyField& field : kFields) {
    if (field.name != name) continue;
    if (field.set(policy, value)) return {};
    return Status::Invalid(fmt::format("{} takes {}, not '{}'", name, field.takes, value));
  }
  std::string names;
  for (const PolicyField& field : kFields) {
    names += fmt::format("{}{}", names.empty() ? "" : ", ", field.name);
  }
  return Status::Invalid(fmt::format("a policy has no field '{}'; it has {}", name, names));
}

std::vector<Field> PolicyFields(const KeyspacePolicy& policy) {
  std::vector<Field> fields;
  for (const PolicyField& field : kFields) {
    if (field.by_timestamp && policy.order != RowOrder::kTimestamp) continue;
    fields.emplace_back(std::string(field.name), field.get(policy));
  }
  return fields;
}

}  // namespace mayfly::app

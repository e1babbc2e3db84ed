#include "policies.h"

#include <cmath>

#include "values.h"

namespace mayfly::python {
namespace {

namespace py = pybind11;

constexpr std::initializer_list<std::pair<const char*, PolicyBreach>> kBreaches = {
    {"refuse", PolicyBreach::kRefuse}, {"clamp", PolicyBreach::kClamp}};
constexpr std::initializer_list<std::pair<const char*, EventDetail>> kDetails = {
    {"off", EventDetail::kOff},
    {"key", EventDetail::kKey},
    {"key_and_value", EventDetail::kKeyAndValue}};
constexpr std::initializer_list<std::pair<const char*, RowOrder>> kOrders = {
    {"arrival", RowOrder::kArrival}, {"timestamp", RowOrder::kTimestamp}};

}  // namespace

KeyspacePolicy ToPolicy(const py::dict& given) {
  KeyspacePolicy policy;
  const auto length = [&](const char* name) { return ToOptionalMillis(given[name], name); };
  policy.default_ttl = length("default_ttl");
  policy.min_ttl = length("min_ttl");
  policy.max_ttl = length("max_ttl");
  policy.require_ttl = given["require_ttl"].cast<bool>();
  policy.breach = Choose(given["on_breach"].cast<std::string>(), "on_breach", kBreaches);
  const double jitter = given["jitter"].cast<double>();
  if (!(jitter >= 0 && jitter <= 0.9)) Raise(Status::Invalid("jitter is a share from 0 to 0.9"));
  policy.jitter_permille = static_cast<std::uint32_t>(std::lround(jitter * 1000));
  policy.events = Choose(given["events"].cast<std::string>(), "events", kDetails);
  policy.purge_within = length("purge_within");
  policy.order = Choose(given["order"].cast<std::string>(), "order", kOrders);
  policy.history = ToMillis(given["history"], "history");
  policy.late_max = length("late_max");
  return policy;
}

py::dict ToDict(const KeyspacePolicy& policy) {
  py::dict made;
  made["default_ttl"] = ToSeconds(policy.default_ttl);
  made["min_ttl"] = ToSeconds(policy.min_ttl);
  made["max_ttl"] = ToSeconds(policy.max_ttl);
  made["require_ttl"] = policy.require_ttl;
  made["on_breach"] = NameOf(policy.breach, kBreaches);
  made["jitter"] = policy.jitter_permille / 1000.0;
  made["events"] = NameOf(policy.events, kDetails);
  made["purge_within"] = ToSeconds(policy.purge_within);
  made["order"] = NameOf(policy.order, kOrders);
  made["history"] = ToSeconds(policy.history);
  made["late_max"] = ToSeconds(policy.late_max);
  return made;
}

}  // namespace mayfly::python

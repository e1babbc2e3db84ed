#include "tests/core/model_inputs.h"

#include <chrono>
#include <iterator>

namespace mayfly::core::suite {

using std::chrono::hours;

std::string ModelInputs::Key() {
  constexpr std::string_view kAlphabet("\0ab\xff", 4);
  if (random_.OneIn(200)) return "";
  // Two draws, the smaller one: short keys meet more often.
  std::string key(std::min(random_.Between(1, 4), random_.Between(1, 4)), '\0');
  for (char& byte : key) byte = kAlphabet[random_.Below(kAlphabet.size())];
  return key;
}

std::string ModelInputs::Prefix() {
  if (random_.OneIn(2)) return "";
  return Key().substr(0, 2);
}

std::string ModelInputs::Value() {
  return random_.Bytes(random_.OneIn(60) ? random_.Below(6000) : random_.Below(24));
}

WallTime ModelInputs::InstantNearNow() {
  return model_.now + Millis(static_cast<std::int64_t>(random_.Below(120)) - 10);
}

Lifetime ModelInputs::AnyLifetime() {
  const std::uint64_t draw = random_.Below(100);
  if (draw < 20) return Lifetime::Default();
  if (draw < 55) return Lifetime::For(Millis(random_.Between(1, 200)));
  if (draw < 65) return Lifetime::For(Millis(random_.Between(1000, 4'000'000)));
  if (draw < 75) return Lifetime::Until(InstantNearNow());
  if (draw < 78) return Lifetime::Until(model_.now + hours(random_.Between(1, 1000)));
  if (draw < 86) return Lifetime::Forever();
  if (draw < 95) return Lifetime::Keep();
  switch (random_.Below(6)) {
    case 0: return Lifetime::For(Millis(0));
    case 1: return Lifetime::For(Millis(-static_cast<std::int64_t>(random_.Between(1, 1000))));
    case 2: return Lifetime::For(Millis::max());
    case 3: return Lifetime::Until(WallTimeFromMs(ToMs(model_.now) / 1000));
    case 4: return Lifetime::Until(WallTimeFromMs(ToMs(model_.now) * 1000));
    default: return Lifetime::Until(WallTimeFromMs(-5));
  }
}

KeyspacePolicy ModelInputs::Policy() {
  KeyspacePolicy policy;
  const auto ttl = [this] { return Millis(random_.Between(1, 200)); };
  if (random_.OneIn(2)) policy.default_ttl = ttl();
  if (random_.OneIn(3)) policy.min_ttl = Millis(random_.Between(1, 40));
  if (random_.OneIn(3)) policy.max_ttl = Millis(random_.Between(100, 5000));
  policy.require_ttl = random_.OneIn(4);
  policy.breach = random_.OneIn(2) ? PolicyBreach::kRefuse : PolicyBreach::kClamp;
  if (random_.OneIn(3))
    policy.jitter_permille = static_cast<std::uint32_t>(random_.Between(1, 900));
  if (random_.OneIn(40)) policy.jitter_permille = 901;
  policy.events = static_cast<EventDetail>(random_.Below(3));
  if (random_.OneIn(2)) policy.order = RowOrder::kTimestamp;
  if (policy.order == RowOrder::kArrival && !random_.OneIn(40)) return policy;
  if (!random_.OneIn(3)) policy.history = Millis(random_.Between(1, 200));
  if (random_.OneIn(2)) policy.late_max = Millis(random_.Between(1, 200));
  return policy;
}

WallTime ModelInputs::Timestamp(const KeyspacePolicy& policy) {
  const Millis near(static_cast<std::int64_t>(random_.Below(5)) - 2);
  const Millis wide(static_cast<std::int64_t>(random_.Below(160)) - 120);
  switch (random_.Below(12)) {
    case 0: return model_.now + near;
    case 1: return model_.now - policy.history + near;
    case 2: return model_.now - policy.late_max.value_or(Millis(50)) + near;
    case 3: return model_.now + policy.late_max.value_or(Millis(20)) + near;
    case 4: return model_.now - hours(random_.Below(3));
    case 5:
      if (random_.OneIn(8)) return WallTimeFromMs(ToMs(model_.now) / 1000);
      [[fallthrough]];
    default: return model_.now + wide / (random_.OneIn(2) ? 4 : 1);
  }
}

WallTime ModelInputs::AsOf(const KeyspacePolicy& policy, WallTime now) {
  const Millis near(static_cast<std::int64_t>(random_.Below(5)) - 2);
  switch (random_.Below(5)) {
    case 0: return now + near;
    case 1: return now - policy.history + near;
    case 2: return now + Millis(random_.Below(100));
    default:
      return now - Millis(random_.Below(static_cast<std::uint64_t>(policy.history.count()) + 1));
  }
}

WriteCall ModelInputs::Write(const ModelRows& living, const KeyspacePolicy& policy) {
  WriteCall call{.key = Key(), .value = Value(), .lifetime = AnyLifetime()};
  // Half of the time on a living row.
  if (!living.empty() && random_.OneIn(2)) {
    call.key =
        std::next(living.begin(), static_cast<std::ptrdiff_t>(random_.Below(living.size())))->first;
  }
  const std::uint64_t draw = random_.Below(100);
  if (policy.order == RowOrder::kTimestamp ? random_.OneIn(2) : random_.OneIn(100)) {
    call.kind = random_.OneIn(4) ? WriteCall::Kind::kDeleteAt : WriteCall::Kind::kPutAt;
    call.timestamp = Timestamp(policy);
    const auto found = living.find(call.key);
    if (found != living.end() && found->second.timestamp && random_.OneIn(3)) {
      call.timestamp = *found->second.timestamp - Millis(1) + Millis(random_.Below(3));
    }
  } else if (draw < 40) {
    call.kind = WriteCall::Kind::kPut;
  } else if (draw < 55) {
    call.kind = WriteCall::Kind::kPutIf;
    call.condition = static_cast<PutCondition::Kind>(random_.Below(4));
    const auto found = living.find(call.key);
    call.expected = found != living.end() && !random_.OneIn(3) ? found->second.value : Value();
  } else if (draw < 63) {
    call.kind = WriteCall::Kind::kDelete;
  } else if (draw < 75) {
    call.kind = WriteCall::Kind::kUpdate;
    call.value.resize(std::min<std::size_t>(call.value.size(), 4));
    if (random_.OneIn(3)) call.lifetime = Lifetime::Keep();
  } else if (draw < 87) {
    call.kind = WriteCall::Kind::kExpire;
    call.deadline_if = static_cast<DeadlineIf>(random_.Below(5));
  } else if (draw < 91) {
    call.kind = WriteCall::Kind::kPersist;
  } else {
    call.kind = WriteCall::Kind::kTouch;
  }
  return call;
}

std::string ModelInputs::ExistingKeyspace() {
  const auto& all = model_.keyspaces;
  return std::next(all.begin(), static_cast<std::ptrdiff_t>(random_.Below(all.size())))->first;
}

}  // namespace mayfly::core::suite

#include "tests/engine/deadline_policy.h"

#include <algorithm>

#include "base/coding.h"
#include "tests/engine/rig.h"

namespace mayfly::engine::suite {
namespace {

class DeadlineJudge final : public DropPolicy::Judge {
 public:
  explicit DeadlineJudge(WallTime now) : now_(now) {}

  bool IsDead(Bytes, Bytes value) override {
    const auto deadline = DeadlineIn(value);
    return deadline && *deadline <= now_;
  }

 private:
  const WallTime now_;
};

}  // namespace

std::string Mortal(std::uint64_t deadline_ms, Bytes payload) {
  std::string value;
  AppendBigEndian64(value, deadline_ms);
  return value.append(payload);
}

std::string Immortal(Bytes payload) { return Mortal(0, payload); }

std::optional<WallTime> DeadlineIn(Bytes value) {
  std::uint64_t deadline_ms = 0;
  if (!EatBigEndian64(value, deadline_ms) || deadline_ms == 0) return std::nullopt;
  return WallTimeFromMs(static_cast<std::int64_t>(deadline_ms));
}

bool DeadlinePolicy::Judges(Role role) const {
  return std::find(roles_.begin(), roles_.end(), role) != roles_.end();
}

std::unique_ptr<DropPolicy::Judge> DeadlinePolicy::NewJudge(Role role) const {
  ++judges_[static_cast<std::size_t>(role)];
  if (!Judges(role)) return nullptr;
  return std::make_unique<DeadlineJudge>(WallTimeFromMs(now_ms_));
}

std::optional<WallTime> DeadlinePolicy::DeadlineOf(Role role, Bytes, Bytes value) const {
  return Judges(role) ? DeadlineIn(value) : std::nullopt;
}

std::shared_ptr<DeadlinePolicy> OpenWithPolicy(Rig& rig) {
  auto policy = std::make_shared<DeadlinePolicy>(std::vector{Role::kRows, Role::kMembers});
  rig.Reopen(policy);
  return policy;
}

}  // namespace mayfly::engine::suite

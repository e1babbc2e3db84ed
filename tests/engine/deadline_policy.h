// deadline_policy.h - a DropPolicy for tests: a value begins with the instant it dies.
//   | deadline_ms u64 big endian, 0: never | payload |
// Its instant changes only when the test sets it. Values too short to hold a deadline live forever.
#pragma once

#include <array>
#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "engine/drop_policy.h"

namespace mayfly::engine::suite {

class Rig;

std::string Mortal(std::uint64_t deadline_ms, Bytes payload);
std::string Immortal(Bytes payload);

// The deadline of a value; nothing when it never dies.
std::optional<WallTime> DeadlineIn(Bytes value);

class DeadlinePolicy final : public DropPolicy {
 public:
  // Judges the pairs of `roles`; those of other roles are kept, whatever they hold.
  explicit DeadlinePolicy(std::vector<Role> roles) : roles_(std::move(roles)) {}

  void SetNow(WallTime now) { now_ms_ = ToMs(now); }

  // How many compactions of `role` have asked for a judge.
  int judges(Role role) const { return judges_[static_cast<std::size_t>(role)]; }

  std::unique_ptr<Judge> NewJudge(Role role) const override;
  std::optional<WallTime> DeadlineOf(Role role, Bytes key, Bytes value) const override;

 private:
  bool Judges(Role role) const;

  const std::vector<Role> roles_;

  // Safe on their own.
  std::atomic<std::int64_t> now_ms_{0};
  mutable std::array<std::atomic<int>, kRoleCount> judges_{};
};

// The deadline of the suite's mortal rows.
inline constexpr std::uint64_t kDeadlineMs = 1'000'000;
inline constexpr WallTime kDeadline = WallTimeFromMs(kDeadlineMs);

// Reopens the rig's engine with a policy for rows and members.
std::shared_ptr<DeadlinePolicy> OpenWithPolicy(Rig& rig);

}  // namespace mayfly::engine::suite

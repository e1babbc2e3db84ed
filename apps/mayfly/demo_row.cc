#include "demo_row.h"

#include <cstdint>

#include "base/coding.h"

namespace mayfly::app {
namespace {

using engine::Role;

std::optional<WallTime> DeadlineOfPair(Role role, Bytes key, Bytes value) {
  if (role == Role::kRows) return DeadlineAtFront(value);
  if (role == Role::kExpiry) return DeadlineAtFront(key);
  return std::nullopt;
}

// The instant is frozen when the compaction starts, so that all its pairs share one.
class DemoJudge final : public engine::DropPolicy::Judge {
 public:
  DemoJudge(Role role, WallTime now) : role_(role), now_(now) {}

  bool IsDead(Bytes key, Bytes value) override {
    const std::optional<WallTime> deadline = DeadlineOfPair(role_, key, value);
    return deadline.has_value() && *deadline <= now_;
  }

 private:
  const Role role_;
  const WallTime now_;
};

class DemoPolicy final : public engine::DropPolicy {
 public:
  explicit DemoPolicy(const Clock& clock) : clock_(clock) {}

  std::unique_ptr<Judge> NewJudge(Role role) const override {
    return std::make_unique<DemoJudge>(role, clock_.Now());
  }

  std::optional<WallTime> DeadlineOf(Role role, Bytes key, Bytes value) const override {
    return DeadlineOfPair(role, key, value);
  }

 private:
  const Clock& clock_;
};

}  // namespace

std::string EncodeRow(std::optional<WallTime> deadline, Bytes payload) {
  std::string row;
  AppendBigEndian64(row, deadline ? static_cast<std::uint64_t>(ToMs(*deadline)) : 0);
  row.append(payload);
  return row;
}

std::string EncodeEntry(WallTime deadline, Bytes key) {
  std::string entry;
  AppendBigEndian64(entry, static_cast<std::uint64_t>(ToMs(deadline)));
  entry.append(key);
  return entry;
}

std::optional<WallTime> DeadlineAtFront(Bytes bytes) {
  std::uint64_t deadline_ms = 0;
  if (!EatBigEndian64(bytes, deadline_ms) || deadline_ms == 0) return std::nullopt;
  return WallTimeFromMs(static_cast<std::int64_t>(deadline_ms));
}

Bytes BehindDeadline(Bytes bytes) {
  std::uint64_t deadline_ms = 0;
  return EatBigEndian64(bytes, deadline_ms) ? bytes : Bytes();
}

std::shared_ptr<const engine::DropPolicy> NewDemoPolicy(const Clock& clock) {
  return std::make_shared<DemoPolicy>(clock);
}

}  // namespace mayfly::app

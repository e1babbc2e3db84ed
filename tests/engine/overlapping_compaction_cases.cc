// Goal: after Compact() nothing is left that was dead at the call, even in files that the engine
// was compacting by itself at that moment, with a judge of an earlier instant.
// Method: a judge that stops in the middle of the engine's own compaction until Compact() is under
// way. An engine that does not compact by itself has nothing to show here.
#include <gtest/gtest.h>

#include <atomic>
#include <functional>
#include <thread>

#include "tests/engine/cases.h"
#include "tests/engine/deadline_policy.h"
#include "tests/engine/together.h"

namespace mayfly::engine::suite {
namespace {

constexpr std::uint64_t kDeadlineMs = 1'000'000;
constexpr WallTime kDeadline = WallTimeFromMs(kDeadlineMs);
constexpr Bytes kMarker = "zz";  // After all other keys.

// The first judge of rows waits at its first pair until it is released.
class WaitingPolicy final : public DropPolicy {
 public:
  void SetNow(WallTime now) { deadlines_.SetNow(now); }
  bool waiting() const { return waiting_; }
  void LetGo() {
    let_go_ = true;
    let_go_.notify_all();
  }

  // Whether a file with the marker in it has been written.
  bool marker_written() const { return marker_written_; }

  std::unique_ptr<Judge> NewJudge(Role role) const override {
    auto judge = deadlines_.NewJudge(role);
    if (role != Role::kRows || first_taken_.exchange(true)) return judge;
    return std::make_unique<WaitingJudge>(*this, std::move(judge));
  }

  std::optional<WallTime> DeadlineOf(Role role, Bytes key, Bytes value) const override {
    if (key == kMarker) marker_written_ = true;
    return deadlines_.DeadlineOf(role, key, value);
  }

 private:
  class WaitingJudge final : public Judge {
   public:
    WaitingJudge(const WaitingPolicy& policy, std::unique_ptr<Judge> inner)
        : policy_(policy), inner_(std::move(inner)) {}

    bool IsDead(Bytes key, Bytes value) override {
      policy_.waiting_ = true;
      policy_.let_go_.wait(false);
      return inner_->IsDead(key, value);
    }

   private:
    const WaitingPolicy& policy_;  // The engine keeps it alive.
    const std::unique_ptr<Judge> inner_;
  };

  DeadlinePolicy deadlines_{std::vector{Role::kRows}};

  // Safe on their own.
  std::atomic<bool> let_go_{false};
  mutable std::atomic<bool> first_taken_{false};
  mutable std::atomic<bool> waiting_{false};
  mutable std::atomic<bool> marker_written_{false};
};

// Yields to other threads until `happened`, or up to a bound.
void YieldUntil(const std::function<bool()>& happened, std::size_t yields_max = 100'000) {
  for (std::size_t i = 0; i < yields_max && !happened(); ++i) std::this_thread::yield();
}

bool HasMarkerInAFile(Rig& rig) {
  const auto files = rig.engine().Files(Role::kRows);
  if (!files) return false;
  for (const FileInfo& file : *files) {
    if (file.last_key == kMarker) return true;
  }
  return false;
}

// Writes files that overlap until the engine compacts them and its judge waits. The buffer then
// holds nothing but a key after all of them, so that nothing else makes Compact() touch them.
void FillUntilWaiting(Rig& rig, const WaitingPolicy& policy) {
  constexpr std::size_t kRoundsMax = 12;
  for (std::size_t round = 0; round < kRoundsMax && !policy.waiting(); ++round) {
    Batch batch;
    for (std::size_t i = 0; i < 1000; ++i) {
      batch.Put(kRows, NumberedKey(i), Mortal(kDeadlineMs, std::string(100, 'x')));
    }
    rig.Commit(batch);
    rig.Put(kRows, "z" + NumberedKey(round), Immortal(""));
    YieldUntil([&policy] { return policy.waiting(); });
  }
}

// Compact() first flushes the buffer, with the marker, and then lists the files. An engine that
// first waits for its own compaction does not get that far, which is as good.
void LetCompactBegin(Rig& rig, const WaitingPolicy& policy) {
  YieldUntil([&policy] { return policy.marker_written(); });
  if (!policy.marker_written()) return;
  YieldUntil([&rig] { return HasMarkerInAFile(rig); }, 10'000);
  YieldUntil([] { return false; }, 10'000);
}

void CompactJudgesAgainWhatTheEngineIsStillCompacting(Rig& rig) {
  if (!rig.home().has_files()) return;
  const auto policy = std::make_shared<WaitingPolicy>();
  rig.Reopen(policy);
  FillUntilWaiting(rig, *policy);
  rig.Put(kRows, kMarker, Immortal(""));
  policy->SetNow(kDeadline);
  RunTogether({[&rig] { rig.Compact(Role::kRows); },
               [&] {
                 LetCompactBegin(rig, *policy);
                 policy->LetGo();
               }});
  EXPECT_EQ(rig.ScanKeys(kRows, {.range = {.end = "z"}}).size(), 0u);
  EXPECT_EQ(rig.Get(kRows, kMarker), Immortal(""));
}

}  // namespace

Cases OverlappingCompactionCases() {
  return {
      MAYFLY_CASE(CompactJudgesAgainWhatTheEngineIsStillCompacting),
  };
}

}  // namespace mayfly::engine::suite

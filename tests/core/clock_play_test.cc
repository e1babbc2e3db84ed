// Goal: whatever happens to the machine's clock, a ttl of n ms ends after n ms of running time,
// nothing dead returns unless time was reverted, no living row is removed while a jump awaits a
// decision, and no steps ahead add up to an unnoticed jump. Method: a seeded play of steps, jumps,
// closes, crashes, reboots, confirmations and reverts, beside a plain list of rows; prints its seed
// when it differs.
#include <gtest/gtest.h>

#include <map>

#include "base/random.h"
#include "core/crashing_home.h"

namespace mayfly {
namespace {

using namespace std::chrono_literals;

constexpr Millis kJumpMax = 12h;

struct PlayedRow {
  WallTime deadline;  // By the database's time when it was written.
  Millis left;        // Of running time.
  bool seen_dead = false;
  bool may_be_removed = false;  // It was seen dead while rows were removed.
};

class Play {
 public:
  explicit Play(std::uint64_t seed) : random_(seed) {}

  void Run(int steps) {
    for (int i = 0; i < steps && !::testing::Test::HasFailure(); ++i) {
      Step();
      Look();
    }
  }

 private:
  void Step() {
    const std::uint64_t draw = random_.Below(100);
    if (draw < 30) return Write();
    if (draw < 55) return Pass(Millis(random_.Between(1, 3000)));
    if (draw < 60) return Pass(Millis(random_.Between(1, 20)) * 3'600'000);
    if (draw < 68) return Set(-Millis(random_.Between(1, 100'000)));
    if (draw < 70) return Set(Millis(random_.Between(1, 100'000)));
    if (draw < 72) return Set(Millis(random_.Between(1, 11)) * 3'600'000);
    if (draw < 76) return Set(Millis(random_.Between(13, 10'000)) * 3'600'000);
    if (draw < 80) return Set(-Millis(random_.Between(13, 10'000)) * 3'600'000);
    if (draw < 84) return Remove();
    if (draw < 88) return Confirm();
    if (draw < 94) return Revert();
    Restart();
  }

  void Write() {
    const std::string key = "key" + std::to_string(random_.Below(8));
    const Millis ttl(random_.Between(1, random_.OneIn(2) ? 5000 : 50'000'000));
    ASSERT_EQ(CodeOf(home_.rows().Put(key, "value", Lifetime::For(ttl))), kOk);
    rows_[key] = {home_.database().clock_report().now + ttl, ttl};
  }

  void Pass(Millis length) {
    home_.clock().Advance(length);
    expected_ += length;
    drift_ += length / 2000;
    for (auto& [key, row] : rows_) row.left -= length;
  }

  // What the database's time has gained, step by step, on the time that passed.
  void AddUp(const ClockReport& report) {
    unexplained_ += report.now - expected_;
    expected_ = report.now;
    if (!report.physical_deletion_stopped) {
      EXPECT_LE(unexplained_, kJumpMax + drift_ + 1s) << "a jump in small steps";
    }
  }

  void Explained() {
    expected_ = home_.database().clock_report().now;
    unexplained_ = drift_ = Millis(0);
  }

  void Set(Millis by) { home_.clock().Set(home_.clock().Now() + by); }

  void Remove() {
    const bool stopped = Stopped();
    const auto before = StatisticsOf(home_.database()).rows;
    const auto report = home_.database().Purge().value();
    EXPECT_EQ(report.stopped_by_clock, Stopped());
    if (stopped) {
      EXPECT_EQ(StatisticsOf(home_.database()).rows, before);
    }
  }

  void Confirm() {
    const ClockReport report = home_.database().clock_report();
    const bool done = home_.database().ConfirmClock().ok();
    EXPECT_EQ(done, report.machine >= report.now - 1min);
    if (done) Explained();
  }

  void Revert() {
    const ClockReport before = home_.database().clock_report();
    const bool done = home_.database().RevertClock().ok();
    const Millis least = before.physical_deletion_stopped ? Millis(1min) : 100ms;
    EXPECT_EQ(done, before.now - before.machine > least);
    if (!done) return;
    if (!Stopped()) Explained();
    const WallTime now = home_.database().clock_report().now;
    EXPECT_EQ(now, std::max(before.machine, before.without_jump.value_or(before.machine)));
    for (auto& [key, row] : rows_) {
      // A row that a jump had hidden is visible again, by its deadline alone.
      const bool there = home_.rows().Exists(key).value();
      if (before.physical_deletion_stopped && !row.may_be_removed) {
        EXPECT_EQ(there, row.deadline > now) << key;
      }
      row.seen_dead = !there;
      row.left = there ? row.deadline - now : Millis(0);
    }
  }

  void Restart() {
    const WallTime before = home_.database().clock_report().now;
    // Reads have seen this instant: it is on record, or the machine's steady clock has it.
    (void)home_.rows().Exists("key0");
    const bool crash = random_.OneIn(2);
    crash ? home_.Crash() : home_.Close();
    const Millis off(random_.Between(0, random_.OneIn(3) ? 100'000'000 : 3000));
    if (random_.OneIn(2)) {
      home_.clock().Reboot(off);
      started_anew_ = true;
    } else {
      Pass(off);
    }
    if (random_.OneIn(4)) Set(-Millis(random_.Between(1, 100'000'000)));
    home_.Open();
    const WallTime after = home_.database().clock_report().now;
    EXPECT_GE(after, before);
    if (started_anew_) {
      expected_ = after;  // No clock measured how long it was off.
      for (auto& [key, row] : rows_) row.left = std::min(row.left, row.deadline - after);
      started_anew_ = false;
    }
  }

  void Look() {
    const ClockReport report = home_.database().clock_report();
    AddUp(report);
    for (auto& [key, row] : rows_) {
      const bool there = home_.rows().Exists(key).value();
      EXPECT_EQ(there, !row.seen_dead && row.deadline > report.now) << key;
      EXPECT_TRUE(!there || row.left.count() > 0) << key << " lives longer than its ttl";
      EXPECT_FALSE(there && row.seen_dead) << key << " came back";
      row.seen_dead = row.seen_dead || !there;
      row.may_be_removed = row.may_be_removed || (!there && !report.physical_deletion_stopped);
    }
  }

  bool Stopped() { return home_.database().clock_report().physical_deletion_stopped; }

  Random random_;
  CrashingHome home_;
  std::map<std::string, PlayedRow> rows_;
  bool started_anew_ = false;
  WallTime expected_ = home_.database().clock_report().now;
  Millis unexplained_ = {};
  Millis drift_ = {};  // The most that passing time has explained.
};

class ClockPlay : public ::testing::TestWithParam<std::uint64_t> {};

TEST_P(ClockPlay, KeepsTheLaw) {
  SCOPED_TRACE("seed " + std::to_string(GetParam()));
  Play(GetParam()).Run(200);
}

INSTANTIATE_TEST_SUITE_P(Seeds, ClockPlay, ::testing::Range<std::uint64_t>(1, 17));

}  // namespace
}  // namespace mayfly

// Goal: a flush begins only while RocksDB runs, or a moment after it began to resume.
// Method: jobs on threads of their own. Lower bounds of time hold on any machine; where a call must
// not wait, one quick call of several is enough.
#include "engine/rocks/files/flush_gate.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <future>
#include <thread>

#include "engine/rocks/files/limits.h"

namespace mayfly::engine {
namespace {

using Steady = std::chrono::steady_clock;

constexpr std::chrono::seconds kLongEnough{10};

// A job on a thread of its own. It begins when it is told to, and ends with this.
class Job {
 public:
  explicit Job(FlushGate& gate) : gate_(gate), thread_([this] { Run(); }) {}
  ~Job() {
    if (!EntersWithin(Millis(0))) gate_.Open();
    if (!has_begun_) Begin();
    end_.set_value();
    thread_.join();
  }
  Job(const Job&) = delete;
  Job& operator=(const Job&) = delete;

  bool EntersWithin(Steady::duration time) const {
    return when_entered_.wait_for(time) == std::future_status::ready;
  }
  // True if it has not entered for as long as a resume needs to begin.
  bool Waits() const { return !EntersWithin(kResumeBegins); }
  Steady::time_point AwaitEntered() const {
    if (EntersWithin(kLongEnough)) return when_entered_.get();
    ADD_FAILURE() << "it waits for ever";
    return {};
  }
  void Begin() {
    has_begun_ = true;
    begin_.set_value();
    began_.get_future().wait();
  }

 private:
  void Run() {
    gate_.Enter();
    entered_.set_value(Steady::now());
    begin_.get_future().wait();
    gate_.Began();
    began_.set_value();
    end_.get_future().wait();
    gate_.End();
  }

  FlushGate& gate_;
  std::promise<Steady::time_point> entered_;
  const std::shared_future<Steady::time_point> when_entered_{entered_.get_future()};
  std::promise<void> begin_;
  std::promise<void> began_;
  std::promise<void> end_;
  bool has_begun_ = false;
  std::thread thread_;  // Last: it uses the others.
};

Steady::duration TimeToClose(FlushGate& gate) {
  const auto start = Steady::now();
  gate.Close();
  return Steady::now() - start;
}

TEST(FlushGate, LetsJobsInUnlessItIsClosed) {
  FlushGate gate;
  Job(gate).AwaitEntered();
  gate.Close();
  Job job(gate);
  EXPECT_TRUE(job.Waits());
  gate.Open();
  job.AwaitEntered();
}

TEST(FlushGate, AJobGoesOnAMomentAfterAResumeBegan) {
  FlushGate gate;
  gate.Close();
  Job early(gate);
  EXPECT_TRUE(early.Waits());
  const auto began = Steady::now();
  gate.BeginResume();
  Job late(gate);
  EXPECT_GE(early.AwaitEntered() - began, kResumeBegins);
  EXPECT_GE(late.AwaitEntered() - began, kResumeBegins);
}

TEST(FlushGate, AResumeThatFailedLeavesItClosedAndOneThatSucceededOpensIt) {
  FlushGate gate;
  gate.Close();
  Job job(gate);
  gate.BeginResume();
  gate.EndResume(false);
  EXPECT_TRUE(job.Waits());
  gate.BeginResume();
  gate.EndResume(true);
  job.AwaitEntered();
  Job(gate).AwaitEntered();
}

// A job may not have noticed that the resume it waited for has failed.
TEST(FlushGate, AJobWaitsForTheMomentOfTheResumeThatIsUnderWay) {
  FlushGate gate;
  gate.Close();
  Job job(gate);
  EXPECT_TRUE(job.Waits());
  gate.BeginResume();
  EXPECT_FALSE(job.EntersWithin(kResumeBegins / 2));
  const auto began = Steady::now();
  gate.EndResume(false);
  gate.BeginResume();
  EXPECT_GE(job.AwaitEntered() - began, kResumeBegins);
}

// The resume waits for its own flushes.
TEST(FlushGate, AnErrorDuringAResumeDoesNotCloseItBeforeTheResumeEnds) {
  FlushGate gate;
  gate.Close();
  gate.BeginResume();
  gate.Close();
  Job(gate).AwaitEntered();
  gate.EndResume(false);
  Job job(gate);
  EXPECT_TRUE(job.Waits());
  gate.Open();
}

TEST(FlushGate, ClosingWaitsAMomentForAJobThatIsEntering) {
  FlushGate gate;
  Job job(gate);
  job.AwaitEntered();
  EXPECT_GE(TimeToClose(gate), kResumeBegins);
  job.Begin();
  auto quickest = Steady::duration::max();
  for (int i = 0; i < 5; ++i) quickest = std::min(quickest, TimeToClose(gate));
  EXPECT_LT(quickest, kResumeBegins);
}

TEST(FlushGate, ClosingEndsItsWaitWhenTheJobBegins) {
  auto quickest = Steady::duration::max();
  for (int i = 0; i < 5; ++i) {
    FlushGate gate;
    Job job(gate);
    job.AwaitEntered();
    auto closing = std::async(std::launch::async, [&gate] { return TimeToClose(gate); });
    if (closing.wait_for(kResumeBegins / 10) != std::future_status::timeout) continue;
    job.Begin();  // It waits by now, or hardly ever not.
    quickest = std::min(quickest, closing.get());
  }
  EXPECT_LT(quickest, kResumeBegins);
}

// The error may be that of the flush whose thread reports it.
TEST(FlushGate, ClosingDoesNotWaitForTheJobOfItsOwnThread) {
  auto quickest = Steady::duration::max();
  for (int i = 0; i < 5; ++i) {
    FlushGate gate;
    gate.Enter();
    quickest = std::min(quickest, TimeToClose(gate));
    gate.End();
  }
  EXPECT_LT(quickest, kResumeBegins);
}

TEST(FlushGate, AJobThatBeganIsNotCountedAgainWhenItEnds) {
  FlushGate gate;
  gate.Enter();
  gate.Began();
  gate.End();
  Job job(gate);
  job.AwaitEntered();
  EXPECT_GE(TimeToClose(gate), kResumeBegins);
}

}  // namespace
}  // namespace mayfly::engine

// Goal: jobs run beside their callers, one after the other, can be watched and ended, and their
// results can be queried until they are dropped. Method: jobs that wait for the test.
#include "server/session/jobs/jobs.h"

#include <gtest/gtest.h>

#include <semaphore>

#include "server/command/limits.h"
#include "wire/byte_buffer.h"

namespace mayfly::server {
namespace {

class JobsTest : public ::testing::Test {
 protected:
  // A job that says it has begun, and waits until it may end.
  Jobs::Run Waiting() {
    return [this](JobControl& control) -> Result<JobResult> {
      begun_.release();
      may_end_.acquire();
      if (!control.Report(7, 10)) return Status::Conflict("cancelled");
      return JobResult([](ReplyWriter& reply) { reply.Bulk("found"); });
    };
  }

  JobInfo Await(std::uint64_t id, JobState state) {
    for (;;) {
      const JobInfo info = *jobs_.Find(id);
      if (info.state == state) return info;
      std::this_thread::yield();
    }
  }

  std::counting_semaphore<> begun_{0};
  std::counting_semaphore<> may_end_{0};
  ManualClock clock_{WallTimeFromMs(1'700'000'000'000)};
  ManualClock real_clock_{WallTimeFromMs(0)};
  Jobs jobs_{clock_, real_clock_};
};

TEST_F(JobsTest, TellsHowFarAJobIsAndWhatItFound) {
  const std::uint64_t id = *jobs_.Start("look", Waiting());
  begun_.acquire();
  EXPECT_EQ(jobs_.Find(id)->state, JobState::kRunning);
  EXPECT_EQ(jobs_.Find(id)->result, nullptr);
  may_end_.release();
  const JobInfo done = Await(id, JobState::kDone);
  EXPECT_EQ(done.kind, "look");
  EXPECT_EQ(done.done, 7U);
  EXPECT_EQ(done.all, 10U);
  OutputBuffer out;
  ReplyWriter reply(out, ProtocolVersion::kResp2);
  done.result(reply);
  EXPECT_EQ(out.view(), "$5\r\nfound\r\n");
}

TEST_F(JobsTest, IsDatedByOneClockAndMeasuredByTheOther) {
  const WallTime started = clock_.Now();
  const std::uint64_t id = *jobs_.Start("look", Waiting());
  begun_.acquire();
  clock_.Advance(std::chrono::hours(1));
  real_clock_.Advance(Millis(30));
  EXPECT_EQ(jobs_.Find(id)->took, Millis(30)) << "so far";
  real_clock_.Advance(Millis(12));
  may_end_.release();
  const JobInfo done = Await(id, JobState::kDone);
  EXPECT_EQ(done.took, Millis(42));
  EXPECT_EQ(done.started, started);
  real_clock_.Advance(Millis(1));
  EXPECT_EQ(jobs_.Find(id)->took, Millis(42)) << "it has ended";
}

TEST_F(JobsTest, RunsOneAfterTheOtherAndRefusesWhenTooManyWait) {
  for (std::uint64_t id = 1; id <= kJobsWaitingMax; ++id) {
    EXPECT_EQ(*jobs_.Start("look", Waiting()), id);
  }
  EXPECT_EQ(jobs_.Start("look", Waiting()).error().code(), StatusCode::kBusy);
  begun_.acquire();
  EXPECT_EQ(jobs_.Find(1)->state, JobState::kRunning);
  EXPECT_EQ(jobs_.Find(2)->state, JobState::kWaiting);
  for (std::size_t i = 0; i < kJobsWaitingMax; ++i) may_end_.release();
  Await(kJobsWaitingMax, JobState::kDone);
  EXPECT_EQ(jobs_.List().size(), kJobsWaitingMax);
  EXPECT_EQ(jobs_.List().front().id, kJobsWaitingMax);
}

TEST_F(JobsTest, EndsOneThatRunsAndOneThatWaits) {
  const std::uint64_t runs = *jobs_.Start("look", Waiting());
  const std::uint64_t waits = *jobs_.Start("look", Waiting());
  begun_.acquire();
  EXPECT_TRUE(jobs_.Cancel(waits).ok());
  EXPECT_EQ(jobs_.Find(waits)->state, JobState::kCancelled);
  EXPECT_TRUE(jobs_.Cancel(runs).ok());
  may_end_.release();
  EXPECT_NE(Await(runs, JobState::kCancelled).error, "");
  EXPECT_TRUE(jobs_.Cancel(runs).IsNotFound()) << "it has ended";
  EXPECT_TRUE(jobs_.Cancel(99).IsNotFound());
}

TEST_F(JobsTest, ForgetsWhatWasFoundBeforeAnInstant) {
  may_end_.release();
  const std::uint64_t id = *jobs_.Start("look", Waiting());
  Await(id, JobState::kDone);
  jobs_.ForgetResults(clock_.Now());
  EXPECT_NE(jobs_.Find(id)->result, nullptr);
  clock_.Advance(Millis(1));
  jobs_.ForgetResults(clock_.Now());
  EXPECT_EQ(jobs_.Find(id)->result, nullptr);
  EXPECT_EQ(jobs_.Find(id)->state, JobState::kDone);
}

TEST_F(JobsTest, KeepsTheLastOfThoseThatEnded) {
  for (std::uint64_t id = 1; id <= 2 * kJobsKept; ++id) {
    may_end_.release();
    ASSERT_EQ(*jobs_.Start("look", Waiting()), id);
    Await(id, JobState::kDone);
  }
  EXPECT_LE(jobs_.List().size(), kJobsKept);
  EXPECT_TRUE(jobs_.Find(1).status().IsNotFound());
}

}  // namespace
}  // namespace mayfly::server

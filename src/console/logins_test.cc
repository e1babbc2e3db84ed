// Goal: a login ends when it should, and an id is worth nothing but for what it was drawn for.
// Method: a manual clock; users of ACL where a change of them ends a login.
#include "console/logins.h"

#include <gtest/gtest.h>

#include "console/limits.h"
#include "console/login_attempts.h"

namespace mayfly::console {
namespace {

using std::chrono::seconds;

class SomeUser final : public server::Principal {
 public:
  explicit SomeUser(std::shared_ptr<bool> holds) : holds_(std::move(holds)) {}
  std::string name() const override { return "ann"; }
  std::shared_ptr<server::Principal> Copy() const override {
    return std::make_shared<SomeUser>(holds_);
  }
  bool Holds() const override { return *holds_; }

 private:
  std::shared_ptr<bool> holds_;  // Shared with its copies and the test.
};

class LoginsTest : public testing::Test {
 protected:
  Logins::Opened Open() { return logins_.Open(std::make_shared<SomeUser>(holds_)); }

  ManualClock clock_{WallTimeFromMs(1'700'000'000'000)};
  server::Config config_;
  std::shared_ptr<bool> holds_ = std::make_shared<bool>(true);
  Logins logins_{config_, clock_};
};

TEST_F(LoginsTest, AreFoundByTheirIdAlone) {
  const auto one = Open();
  const auto other = Open();
  EXPECT_NE(one.id, other.id);
  EXPECT_NE(one.login->csrf(), other.login->csrf());
  EXPECT_NE(one.id, one.login->csrf());
  EXPECT_EQ(logins_.Find(one.id), one.login);
  EXPECT_EQ(logins_.Find(one.login->csrf()), nullptr);
  EXPECT_EQ(logins_.Find(""), nullptr);
  EXPECT_EQ(logins_.Find(one.id.substr(1)), nullptr);
  EXPECT_EQ(one.login->user(), "ann");
}

TEST_F(LoginsTest, EndWhenTheyAreIdle) {
  ASSERT_TRUE(config_.SetAtStart("console-idle", "100").ok());
  const auto opened = Open();
  clock_.Advance(seconds(100) - Millis(1));
  EXPECT_NE(logins_.Find(opened.id), nullptr) << "and this is a use of it";
  clock_.Advance(seconds(100) - Millis(1));
  EXPECT_NE(logins_.Find(opened.id), nullptr);
  clock_.Advance(seconds(100));
  EXPECT_EQ(logins_.Find(opened.id), nullptr);
  EXPECT_EQ(logins_.size(), 0u);
}

TEST_F(LoginsTest, ToListenIsNoUse) {
  ASSERT_TRUE(config_.SetAtStart("console-idle", "100").ok());
  const auto opened = Open();
  clock_.Advance(seconds(99));
  EXPECT_EQ(logins_.Find(opened.id, Logins::Use::kDoesNotCount), opened.login);
  clock_.Advance(seconds(1));
  EXPECT_EQ(logins_.Find(opened.id, Logins::Use::kDoesNotCount), nullptr);
}

TEST_F(LoginsTest, EndInAnyCase) {
  ASSERT_TRUE(config_.SetAtStart("console-lifetime", "50").ok());
  const auto opened = Open();
  clock_.Advance(seconds(50) - Millis(1));
  EXPECT_NE(logins_.Find(opened.id), nullptr);
  clock_.Advance(Millis(1));
  EXPECT_EQ(logins_.Find(opened.id), nullptr);
}

TEST_F(LoginsTest, EndWithTheirUser) {
  const auto opened = Open();
  EXPECT_NE(opened.login->principal(), nullptr);
  *holds_ = false;
  EXPECT_EQ(opened.login->principal(), nullptr);
  EXPECT_EQ(logins_.Find(opened.id), nullptr);
  *holds_ = true;
  EXPECT_EQ(logins_.Find(opened.id), nullptr) << "it does not come back";
}

TEST_F(LoginsTest, TheOneUsedLongestAgoEndsForOneTooMany) {
  const auto first = Open();
  clock_.Advance(seconds(1));
  const auto second = Open();
  clock_.Advance(seconds(1));
  EXPECT_NE(logins_.Find(first.id), nullptr);
  for (std::size_t i = 2; i < kLoginsMax; ++i) Open();
  EXPECT_EQ(logins_.size(), kLoginsMax);
  clock_.Advance(seconds(1));
  Open();
  EXPECT_EQ(logins_.size(), kLoginsMax);
  EXPECT_EQ(logins_.Find(second.id), nullptr);
  EXPECT_NE(logins_.Find(first.id), nullptr);
}

TEST(LoginAttempts, AreGivenBackOneByOne) {
  ManualClock clock(WallTimeFromMs(1'700'000'000'000));
  LoginAttempts attempts(clock);
  for (int i = 0; i < kAttemptsMax; ++i) {
    EXPECT_TRUE(attempts.Left("here")) << i;
    attempts.Failed("here");
  }
  EXPECT_FALSE(attempts.Left("here"));
  EXPECT_TRUE(attempts.Left("elsewhere"));
  clock.Advance(kAttemptEvery - Millis(1));
  EXPECT_FALSE(attempts.Left("here"));
  clock.Advance(Millis(1));
  EXPECT_TRUE(attempts.Left("here"));
  attempts.Failed("here");
  EXPECT_FALSE(attempts.Left("here"));
  clock.Advance(kAttemptEvery * kAttemptsMax);
  for (int i = 0; i < kAttemptsMax; ++i) attempts.Failed("here");
  EXPECT_FALSE(attempts.Left("here"));
}

TEST(LoginAttempts, AnAddressIsNotFreedByOthers) {
  ManualClock clock(WallTimeFromMs(1'700'000'000'000));
  LoginAttempts attempts(clock);
  for (int i = 0; i < kAttemptsMax; ++i) attempts.Failed("here");
  for (std::size_t i = 0; i < 2 * kAddressesMax; ++i) attempts.Failed(std::to_string(i));
  EXPECT_FALSE(attempts.Left("here"));
}

}  // namespace
}  // namespace mayfly::console

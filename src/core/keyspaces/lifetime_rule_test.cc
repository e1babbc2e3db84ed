// Goal: the law of TTL's rows about lifetimes: which are refused, and what deadline the others
// give. Method: each row by itself, at the edges; time is tried one before, on and one after a
// limit.
#include "core/keyspaces/lifetime_rule.h"

#include <gtest/gtest.h>

#include <limits>
#include <set>

#include "core/layout/limits.h"

namespace mayfly::core {
namespace {

constexpr WallTime kNow = WallTimeFromMs(1'700'000'000'000);
constexpr std::int64_t kLastMs = std::numeric_limits<std::int64_t>::max();
constexpr std::optional<std::optional<WallTime>> kNoRow = std::nullopt;
constexpr std::optional<std::optional<WallTime>> kImmortalRow = std::optional<WallTime>();

// The deadline a write at kNow gives, or why it is refused.
Result<std::optional<WallTime>> Deadline(Lifetime lifetime, const KeyspacePolicy& policy = {},
                                         std::optional<std::optional<WallTime>> old = kNoRow,
                                         Bytes key = "key") {
  MAYFLY_TRY(const Span span, (LifetimeRule{.policy = policy}.Apply(lifetime, key, old, kNow)));
  return DeadlineOf(span, kNow);
}

// The ttl it gives; -1 for none.
std::int64_t Ttl(Lifetime lifetime, const KeyspacePolicy& policy = {},
                 std::optional<std::optional<WallTime>> old = kNoRow, Bytes key = "key") {
  const auto deadline = Deadline(lifetime, policy, old, key);
  EXPECT_TRUE(deadline.has_value()) << deadline.status().ToString();
  if (!deadline || !*deadline) return -1;
  return (**deadline - kNow).count();
}

void ExpectInvalid(Lifetime lifetime, const std::string& words, const KeyspacePolicy& policy = {}) {
  const Status status = Deadline(lifetime, policy).status();
  EXPECT_EQ(status.code(), StatusCode::kInvalid);
  EXPECT_NE(status.message().find(words), std::string::npos) << status.message();
}

Lifetime For(std::int64_t ms) { return Lifetime::For(Millis(ms)); }
Lifetime Until(std::int64_t ms) { return Lifetime::Until(WallTimeFromMs(ms)); }

TEST(LifetimeRule, CountsATtlFromNow) {
  EXPECT_EQ(Ttl(For(1)), 1);
  EXPECT_EQ(Ttl(For(1500)), 1500);
}

TEST(LifetimeRule, RefusesATtlOfZeroOrLess) {
  ExpectInvalid(For(0), "a ttl of 0 ms");
  ExpectInvalid(For(-1), "a ttl of -1 ms");
  ExpectInvalid(For(std::numeric_limits<std::int64_t>::min()), "must be positive");
}

TEST(LifetimeRule, RefusesADeadlinePastTheEndOfTime) {
  EXPECT_EQ(Ttl(For(kLastMs - ToMs(kNow))), kLastMs - ToMs(kNow));
  ExpectInvalid(For(kLastMs - ToMs(kNow) + 1), "the last instant");
  ExpectInvalid(For(kLastMs), "the last instant");
}

TEST(LifetimeRule, NamesTheUnitOfAnImplausibleInstant) {
  ExpectInvalid(Until(ToMs(kNow) / 1000), "looks like seconds");
  ExpectInvalid(Until(ToMs(kNow) * 1000), "looks like microseconds");
  ExpectInvalid(Until(0), "looks like seconds");
  ExpectInvalid(Until(-1), "looks like seconds");
  ExpectInvalid(Until(kLastMs), "microseconds or nanoseconds");
}

TEST(LifetimeRule, DrawsTheLineOfPlausibilityExactly) {
  EXPECT_FALSE(Deadline(Until(ToMs(kPlausibleFirst) - 1)).has_value());
  EXPECT_TRUE(Deadline(Until(ToMs(kPlausibleFirst))).has_value());
  EXPECT_TRUE(Deadline(Until(ToMs(kPlausibleLast))).has_value());
  EXPECT_FALSE(Deadline(Until(ToMs(kPlausibleLast) + 1)).has_value());
}

TEST(LifetimeRule, TakesAnyInstantWhenToldTo) {
  const KeyspacePolicy policy;
  const LifetimeRule rule{.policy = policy, .allow_any_instant = true};
  for (const std::int64_t ms : {std::int64_t{-5}, std::int64_t{0}, kLastMs}) {
    const auto span = rule.Apply(Until(ms), "key", kNoRow, kNow);
    ASSERT_TRUE(span.has_value()) << span.status().ToString();
    EXPECT_EQ(ToMs(**DeadlineOf(*span, kNow)), ms);
  }
}

TEST(LifetimeRule, LetsAPastInstantThroughWhateverThePolicy) {
  const KeyspacePolicy policy{.min_ttl = Millis(100), .max_ttl = Millis(200), .require_ttl = true};
  EXPECT_EQ(Ttl(Until(ToMs(kNow) - 1), policy), -1);  // One before, as a deadline in the past.
  EXPECT_EQ(Ttl(Until(ToMs(kNow)), policy), 0);
  ExpectInvalid(Until(ToMs(kNow) + 1), "minimum of 100 ms", policy);
}

TEST(LifetimeRule, HasNoDeadlineForEverOrByDefault) {
  EXPECT_EQ(Ttl(Lifetime::Forever()), -1);
  EXPECT_EQ(Ttl(Lifetime::Default()), -1);
  EXPECT_EQ(Ttl(Lifetime::Keep()), -1);
}

TEST(LifetimeRule, TakesTheKeyspacesDefault) {
  const KeyspacePolicy policy{.default_ttl = Millis(70)};
  EXPECT_EQ(Ttl(Lifetime::Default(), policy), 70);
  EXPECT_EQ(Ttl(Lifetime::Forever(), policy), -1);
}

TEST(LifetimeRule, KeepsTheDeadlineOfTheRowThatIsReplaced) {
  const KeyspacePolicy policy{.default_ttl = Millis(70), .max_ttl = Millis(100)};
  EXPECT_EQ(Ttl(Lifetime::Keep(), policy, std::optional(kNow + Millis(12'345))), 12'345);
  EXPECT_EQ(Ttl(Lifetime::Keep(), policy, kImmortalRow), -1) << "it had it by an earlier policy";
  EXPECT_EQ(Ttl(Lifetime::Keep(), policy, kNoRow), 70) << "a new row has the default";
}

TEST(LifetimeRule, RefusesWhatIsOutsideTheBounds) {
  const KeyspacePolicy policy{.min_ttl = Millis(100), .max_ttl = Millis(200)};
  ExpectInvalid(For(99), "minimum of 100 ms", policy);
  EXPECT_EQ(Ttl(For(100), policy), 100);
  EXPECT_EQ(Ttl(For(200), policy), 200);
  ExpectInvalid(For(201), "maximum of 200 ms", policy);
  ExpectInvalid(Until(ToMs(kNow) + 99), "minimum", policy);
  EXPECT_EQ(Ttl(Until(ToMs(kNow) + 200), policy), 200);
  ExpectInvalid(Until(ToMs(kNow) + 201), "maximum", policy);
  ExpectInvalid(Lifetime::Forever(), "wants a deadline", policy);
  ExpectInvalid(Lifetime::Default(), "wants a deadline", policy);
}

TEST(LifetimeRule, ClampsToTheNearestAllowedAndSaysSo) {
  const KeyspacePolicy policy{
      .min_ttl = Millis(100), .max_ttl = Millis(200), .breach = PolicyBreach::kClamp};
  EXPECT_EQ(Ttl(For(1), policy), 100);
  EXPECT_EQ(Ttl(For(150), policy), 150);
  EXPECT_EQ(Ttl(For(kLastMs), policy), 200);
  EXPECT_EQ(Ttl(Until(ToMs(kNow) + 500), policy), 200);
  EXPECT_EQ(Ttl(Lifetime::Forever(), policy), 200);
  const LifetimeRule rule{.policy = policy};
  EXPECT_TRUE(rule.Apply(For(1), "key", kNoRow, kNow)->clamped);
  EXPECT_TRUE(rule.Apply(Lifetime::Forever(), "key", kNoRow, kNow)->clamped);
  EXPECT_FALSE(rule.Apply(For(150), "key", kNoRow, kNow)->clamped);
  ExpectInvalid(For(0), "must be positive", policy);  // A mistake is not a breach.
}

TEST(LifetimeRule, RequiresADeadlineWhenThePolicyDoes) {
  KeyspacePolicy policy{.default_ttl = Millis(70), .require_ttl = true};
  ExpectInvalid(Lifetime::Forever(), "wants a deadline", policy);
  EXPECT_EQ(Ttl(Lifetime::Default(), policy), 70);
  policy.breach = PolicyBreach::kClamp;
  EXPECT_EQ(Ttl(Lifetime::Forever(), policy), 70);
}

TEST(LifetimeRule, SpreadsTtlsByKeyAndAlwaysTheSame) {
  const KeyspacePolicy policy{.jitter_permille = 100};
  std::set<std::int64_t> ttls;
  for (int i = 0; i < 1000; ++i) {
    const std::string key = std::to_string(i);
    const std::int64_t ttl = Ttl(For(10'000), policy, kNoRow, key);
    EXPECT_GE(ttl, 9'000);
    EXPECT_LE(ttl, 10'000);
    EXPECT_EQ(Ttl(For(10'000), policy, kNoRow, key), ttl);
    ttls.insert(ttl);
  }
  EXPECT_GT(ttls.size(), 90u) << "of 101 possible ones";
}

TEST(LifetimeRule, SpreadsDefaultsButNotInstants) {
  const KeyspacePolicy policy{.default_ttl = Millis(10'000), .jitter_permille = 900};
  std::set<std::int64_t> ttls;
  for (int i = 0; i < 50; ++i) {
    const std::string key = std::to_string(i);
    ttls.insert(Ttl(Lifetime::Default(), policy, kNoRow, key));
    EXPECT_EQ(Ttl(Until(ToMs(kNow) + 10'000), policy, kNoRow, key), 10'000);
    EXPECT_GE(Ttl(For(1), policy, kNoRow, key), 1) << "never born dead";
  }
  EXPECT_GT(ttls.size(), 40u);
}

TEST(CheckPolicy, RefusesWhatContradictsItself) {
  // clang-format off
  const KeyspacePolicy good[] = {
      {                       },
      {.default_ttl = Millis(5), .min_ttl = Millis(5), .max_ttl = Millis(5)},
      {.require_ttl = true},
      {.max_ttl = Millis(5),      .require_ttl = true, .breach = PolicyBreach::kClamp},
      {.jitter_permille = 900},
  };
  // clang-format on
  for (const KeyspacePolicy& policy : good) EXPECT_TRUE(CheckPolicy(policy).ok());
  // clang-format off
  const KeyspacePolicy bad[] = {
      {.default_ttl = Millis(0)},
      {.min_ttl = Millis(-1)},
      {.max_ttl = Millis(0)},
      {.min_ttl = Millis(6),     .max_ttl = Millis(5)},
      {.default_ttl = Millis(4),                        .min_ttl = Millis(5)},
      {.default_ttl = Millis(6),.max_ttl = Millis(5)},
      {.require_ttl = true, .breach = PolicyBreach::kClamp},
      {.jitter_permille = 901},
  };
  // clang-format on
  for (const KeyspacePolicy& policy : bad) {
    EXPECT_EQ(CheckPolicy(policy).code(), StatusCode::kInvalid);
  }
}

}  // namespace
}  // namespace mayfly::core

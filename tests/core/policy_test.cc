// Goal: a keyspace's policy decides the lifetimes of its writes, and changes no stored row.
// Method: each rule with ttls one below, on and one above its bound, refused and clamped.
#include <gtest/gtest.h>

#include <set>

#include "core/each_engine.h"
#include "core/layout/limits.h"

namespace mayfly {
namespace {

using namespace std::chrono_literals;

class Policy : public EachEngine {
 protected:
  void Set(const KeyspacePolicy& policy) { ASSERT_EQ(CodeOf(rows().SetPolicy(policy)), kOk); }

  Status Put(Lifetime lifetime) { return rows().Put("key", "value", lifetime); }

  // The ttl of a row that is written with this lifetime.
  Millis TtlAfter(Lifetime lifetime) {
    EXPECT_EQ(CodeOf(Put(lifetime)), kOk);
    return rows().Ttl("key").value_or(Millis(0));
  }

  std::uint64_t Clamped() { return database().GetStatistics().value().clamped_lifetimes; }
};

TEST_P(Policy, TheDefaultTtlIsForWritesThatDoNotSay) {
  Set({.default_ttl = 10s});
  EXPECT_EQ(TtlAfter(Lifetime::Default()), 10s);
  EXPECT_EQ(TtlAfter(Lifetime::For(3s)), 3s);
  EXPECT_EQ(TtlAfter(Lifetime::Until(kStart + 4s)), 4s);
  EXPECT_EQ(TtlAfter(Lifetime::Forever()), kForever);
  clock().Advance(1s);
  EXPECT_EQ(rows().Touch("key").value().deadline, kStart + 11s);
}

TEST_P(Policy, ATtlOutsideTheBoundsIsRefusedAndTheLimitNamed) {
  Set({.min_ttl = 5s, .max_ttl = 10s});
  const Status below = Put(Lifetime::For(5s - 1ms));
  EXPECT_EQ(CodeOf(below), kInvalid);
  EXPECT_NE(below.message().find("5000"), std::string::npos) << below.ToString();
  const Status above = Put(Lifetime::For(10s + 1ms));
  EXPECT_EQ(CodeOf(above), kInvalid);
  EXPECT_NE(above.message().find("10000"), std::string::npos) << above.ToString();
  EXPECT_EQ(CodeOf(Put(Lifetime::Until(kStart + 5s - 1ms))), kInvalid);
  EXPECT_EQ(CodeOf(Put(Lifetime::Until(kStart + 10s + 1ms))), kInvalid);
  EXPECT_EQ(CodeOf(Put(Lifetime::Forever())), kInvalid) << "for ever exceeds any maximum";
  EXPECT_EQ(CodeOf(Put(Lifetime::Default())), kInvalid);
  EXPECT_FALSE(rows().Exists("key").value()) << "nothing was written";
  for (const Millis within : {Millis(5s), Millis(5s + 1ms), Millis(10s - 1ms), Millis(10s)}) {
    EXPECT_EQ(TtlAfter(Lifetime::For(within)), within);
    EXPECT_EQ(TtlAfter(Lifetime::Until(kStart + within)), within);
  }
  EXPECT_EQ(Clamped(), 0u);
}

TEST_P(Policy, ATtlOutsideTheBoundsIsClampedAndCounted) {
  Set({.min_ttl = 5s, .max_ttl = 10s, .breach = PolicyBreach::kClamp});
  EXPECT_EQ(TtlAfter(Lifetime::For(1ms)), 5s);
  EXPECT_EQ(TtlAfter(Lifetime::For(1h)), 10s);
  EXPECT_EQ(TtlAfter(Lifetime::Until(kStart + 1ms)), 5s);
  EXPECT_EQ(TtlAfter(Lifetime::Until(kStart + 1h)), 10s);
  EXPECT_EQ(TtlAfter(Lifetime::Forever()), 10s);
  EXPECT_EQ(TtlAfter(Lifetime::Default()), 10s);
  EXPECT_EQ(Clamped(), 6u);
  EXPECT_EQ(TtlAfter(Lifetime::For(7s)), 7s);
  EXPECT_EQ(Clamped(), 6u);
  EXPECT_EQ(CodeOf(Put(Lifetime::For(0ms))), kInvalid) << "what is no ttl is not clamped to one";
}

TEST_P(Policy, ARequiredTtlLeavesNoImmortals) {
  Set({.require_ttl = true});
  EXPECT_EQ(CodeOf(Put(Lifetime::Forever())), kInvalid);
  EXPECT_EQ(CodeOf(Put(Lifetime::Default())), kInvalid);
  EXPECT_EQ(CodeOf(rows().Update("key", [](auto) { return std::optional<std::string>("x"); })),
            kInvalid);
  EXPECT_EQ(TtlAfter(Lifetime::For(1h)), 1h);
  EXPECT_EQ(CodeOf(rows().Persist("key")), kInvalid);
  EXPECT_EQ(rows().Ttl("key").value(), 1h);
  Set({.default_ttl = 2s, .require_ttl = true});
  EXPECT_EQ(TtlAfter(Lifetime::Default()), 2s);
  EXPECT_EQ(CodeOf(Put(Lifetime::Forever())), kInvalid);
}

TEST_P(Policy, ARequiredTtlClampsToTheMaximumOrElseTheDefault) {
  Set({.default_ttl = 2s, .require_ttl = true, .breach = PolicyBreach::kClamp});
  EXPECT_EQ(TtlAfter(Lifetime::Forever()), 2s);
  Set({.default_ttl = 2s, .max_ttl = 9s, .require_ttl = true, .breach = PolicyBreach::kClamp});
  EXPECT_EQ(TtlAfter(Lifetime::Forever()), 9s);
  EXPECT_EQ(TtlAfter(Lifetime::Default()), 2s);
}

TEST_P(Policy, JitterTakesAwayUpToItsShareAndIsTheSameForAKey) {
  Set({.default_ttl = 1000s, .jitter_permille = 100});
  std::set<Millis> seen;
  for (int i = 0; i < 500; ++i) {
    const std::string key = "key " + std::to_string(i);
    ASSERT_EQ(CodeOf(rows().Put(key, "value")), kOk);
    const Millis first = rows().Ttl(key).value();
    ASSERT_GE(first, 900s);
    ASSERT_LE(first, 1000s);
    ASSERT_EQ(CodeOf(rows().Put(key, "value", Lifetime::For(1000s))), kOk);
    ASSERT_EQ(rows().Ttl(key).value(), first) << "deterministic per key, whoever names the ttl";
    seen.insert(first);
  }
  EXPECT_GT(seen.size(), 90u) << "a hundred shares, well spread";
  EXPECT_LT(*seen.begin(), 910s);
  EXPECT_GT(*seen.rbegin(), 990s);
}

TEST_P(Policy, JitterLeavesInstantsAloneAndNeverTakesAll) {
  Set({.jitter_permille = 900});
  EXPECT_EQ(TtlAfter(Lifetime::Until(kStart + 1000s)), 1000s);
  for (int i = 0; i < 100; ++i) {
    const std::string key = std::to_string(i);
    ASSERT_EQ(CodeOf(rows().Put(key, "value", Lifetime::For(1ms))), kOk);
    ASSERT_EQ(rows().Ttl(key).value(), 1ms);
  }
}

TEST_P(Policy, AContradictionIsRefusedAndTheOldOneStays) {
  Set({.default_ttl = 5s});
  // clang-format off
  const KeyspacePolicy bad[] = {
      {.default_ttl = 0ms},
      {.min_ttl = -1ms},
      {.max_ttl = 0ms},
      {.min_ttl = 2s,      .max_ttl = 1s},
      {.default_ttl = 1s,                  .min_ttl = 2s},
      {.default_ttl = 3s,.max_ttl = 2s},
      {.require_ttl = true,  .breach = PolicyBreach::kClamp},
      {.jitter_permille = 901},
      {.default_ttl = Millis::max()},
      {.min_ttl = Millis::max()},
      {.max_ttl = Millis::max(), .breach = PolicyBreach::kClamp},
  };
  // clang-format on
  for (const KeyspacePolicy& policy : bad) {
    EXPECT_EQ(CodeOf(rows().SetPolicy(policy)), kInvalid);
    EXPECT_EQ(CodeOf(database().CreateKeyspace("new", policy)), kInvalid);
  }
  EXPECT_EQ(rows().policy(), (KeyspacePolicy{.default_ttl = 5s}));
  EXPECT_EQ(CodeOf(database().OpenKeyspace("new")), kNotFound);
}

// Every row can have the longest ttl that a policy may give.
TEST_P(Policy, TheLongestDefaultWorksUntilTheLastPlausibleInstant) {
  const Millis longest = WallTime::max() - core::kPlausibleLast;
  EXPECT_EQ(CodeOf(rows().SetPolicy({.default_ttl = longest + 1ms})), kInvalid);
  Set({.default_ttl = longest});
  EXPECT_EQ(TtlAfter(Lifetime::Default()), longest);
  Set({.max_ttl = Millis::max()});  // No row gets it.
  EXPECT_EQ(TtlAfter(Lifetime::For(3s)), 3s);
}

TEST_P(Policy, AChangeNeitherRevivesTheDeadNorMovesTheLiving) {
  Set({.default_ttl = 10ms});
  ASSERT_EQ(CodeOf(rows().Put("dead", "value")), kOk);
  clock().Advance(5ms);
  ASSERT_EQ(CodeOf(rows().Put("living", "value")), kOk);
  clock().Advance(5ms);
  // clang-format off
  const KeyspacePolicy later[] = {
      {.default_ttl = 1h},
      {    },
      {.min_ttl = 1h,                 .breach = PolicyBreach::kClamp},
      {.default_ttl = 1ms},
  };
  // clang-format on
  for (const KeyspacePolicy& policy : later) {
    Set(policy);
    EXPECT_FALSE(rows().Exists("dead").value());
    EXPECT_EQ(rows().Ttl("living").value(), 5ms);
    EXPECT_EQ(rows().Count().value(), 1u);
  }
  EXPECT_EQ(CodeOf(rows().Persist("dead")), kNotFound);
}

TEST_P(Policy, WhatARowHasByAnEarlierPolicyItKeeps) {
  ASSERT_EQ(CodeOf(Put(Lifetime::Forever())), kOk);
  Set({.max_ttl = 5s});
  EXPECT_EQ(TtlAfter(Lifetime::Keep()), kForever);
  EXPECT_EQ(CodeOf(Put(Lifetime::Forever())), kInvalid);
}

TEST_P(Policy, HoldsInTransactionsToo) {
  Set({.default_ttl = 10s, .max_ttl = 20s, .breach = PolicyBreach::kClamp});
  const auto transaction = *database().Begin();
  KeyspaceWriter& writer = transaction->In(rows());
  ASSERT_EQ(CodeOf(writer.Put("default", "value")), kOk);
  ASSERT_EQ(CodeOf(writer.Put("clamped", "value", Lifetime::Forever())), kOk);
  EXPECT_EQ(Clamped(), 0u) << "counted when it happens";
  ASSERT_EQ(CodeOf(transaction->Commit()), kOk);
  EXPECT_EQ(rows().Ttl("default").value(), 10s);
  EXPECT_EQ(rows().Ttl("clamped").value(), 20s);
  EXPECT_EQ(Clamped(), 1u);
}

INSTANTIATE_TEST_SUITE_P(On, Policy, AllEngines(), NameOfEngine);

}  // namespace
}  // namespace mayfly

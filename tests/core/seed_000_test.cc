// Seed 000's test plan, case by case and under its names, on the C++ API;
// src/capi/kvstore_seed_test.cc has it on kvstore.h. Method: a manual clock instead of sleeps;
// where the plan inspects its three trees, the check of rows against the index, the statistics, and
// an engine that counts its calls.
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include "base/random.h"
#include "core/database_home.h"
#include "core/new_database.h"
#include "core/one_machine.h"
#include "engine/memory/memory_engine.h"
#include "tests/engine/forwarding_engine.h"

namespace mayfly {
namespace {

constexpr Millis kMinute{60'000};
constexpr Millis kMs{1};

class Seed000 : public ::testing::TestWithParam<EngineKind> {
 protected:
  Seed000() : home_(GetParam()) {}

  Keyspace& rows() { return home_.keyspace(); }

  void PutFor(Keyspace& keyspace, const std::string& key, Millis ttl) {
    ASSERT_TRUE(keyspace.Put(key, "v", Lifetime::For(ttl)).ok());
  }

  bool Sees(const std::string& key) {
    const auto found = rows().Get(key);
    EXPECT_TRUE(found || found.error().IsNotFound()) << found.status().ToString();
    return found.has_value();
  }

  // Checks the number of stored rows, dead or alive, and of index entries, in all keyspaces.
  void ExpectStored(std::uint64_t stored_rows, std::uint64_t entries) {
    const auto report = home_.database().Check();
    ASSERT_TRUE(report.has_value()) << report.status().ToString();
    EXPECT_TRUE(report->clean());
    EXPECT_EQ(report->rows, stored_rows);
    EXPECT_EQ(report->entries, entries);
  }

  KeyspaceStatistics StatisticsOf(const std::string& name) {
    const Statistics all = home_.database().GetStatistics().value();
    for (const KeyspaceStatistics& one : all.keyspaces) {
      if (one.name == name) return one;
    }
    ADD_FAILURE() << "no statistics of " << name;
    return {};
  }

  DatabaseHome home_;
};

TEST_P(Seed000, basic_put_get_expiry) {
  PutFor(rows(), "key", kMinute);
  EXPECT_TRUE(Sees("key"));
  home_.clock().Advance(kMinute - kMs);
  EXPECT_TRUE(Sees("key"));
  home_.clock().Advance(kMs);
  EXPECT_FALSE(Sees("key"));
  home_.clock().Advance(kMs);
  EXPECT_FALSE(Sees("key"));
}

TEST_P(Seed000, lazy_delete_on_get) {
  PutFor(rows(), "key", kMinute);
  home_.clock().Advance(kMinute);
  ExpectStored(1, 1);
  EXPECT_FALSE(Sees("key"));
  ExpectStored(0, 0);
  EXPECT_EQ(home_.database().GetStatistics()->purged_by_reads, 1U);
  EXPECT_EQ(StatisticsOf("default").rows, 0U);
  EXPECT_EQ(StatisticsOf("default").mortal_rows, 0U);
}

TEST_P(Seed000, put_overwrites_ttl) {
  PutFor(rows(), "key", kMinute);
  ASSERT_TRUE(rows().Put("key", "permanent").ok());
  EXPECT_EQ(rows().Ttl("key").value(), kForever);
  ExpectStored(1, 0);
  home_.clock().Advance(10 * kMinute);
  EXPECT_EQ(home_.database().Purge()->rows, 0U);
  EXPECT_EQ(rows().Get("key").value(), "permanent");
}

TEST_P(Seed000, put_ttl_overwrites_put) {
  ASSERT_TRUE(rows().Put("key", "permanent").ok());
  PutFor(rows(), "key", kMinute);
  EXPECT_EQ(rows().Ttl("key").value(), kMinute);
  ExpectStored(1, 1);
  home_.clock().Advance(kMinute);
  EXPECT_FALSE(Sees("key"));
}

TEST_P(Seed000, put_ttl_change) {
  PutFor(rows(), "key", kMinute);
  PutFor(rows(), "key", 2 * kMinute);
  ExpectStored(1, 1);
  home_.clock().Advance(kMinute);
  EXPECT_EQ(home_.database().Purge()->rows, 0U);
  EXPECT_TRUE(Sees("key"));
  home_.clock().Advance(kMinute);
  EXPECT_FALSE(Sees("key"));
}

TEST_P(Seed000, delete_ttl_key) {
  PutFor(rows(), "key", kMinute);
  EXPECT_TRUE(rows().Delete("key").value());
  ExpectStored(0, 0);
  home_.clock().Advance(kMinute);
  EXPECT_EQ(home_.database().Purge()->rows, 0U);
}

TEST_P(Seed000, purge_empty) {
  ASSERT_TRUE(rows().Put("key", "v").ok());
  const PurgeReport report = home_.database().Purge().value();
  EXPECT_EQ(report.rows, 0U);
  EXPECT_EQ(report.stale_entries, 0U);
  EXPECT_FALSE(report.more_due);
}

TEST_P(Seed000, purge_some_expired) {
  for (int i = 0; i < 5; ++i) PutFor(rows(), "dead" + std::to_string(i), kMinute);
  for (int i = 0; i < 3; ++i) PutFor(rows(), "live" + std::to_string(i), 2 * kMinute);
  ASSERT_TRUE(rows().Put("permanent", "v").ok());
  home_.clock().Advance(kMinute);
  EXPECT_EQ(home_.database().Purge()->rows, 5U);
  ExpectStored(4, 3);
  EXPECT_TRUE(Sees("live0") && Sees("live2") && Sees("permanent"));
  EXPECT_FALSE(Sees("dead0") || Sees("dead4"));
}

TEST_P(Seed000, purge_all_expired) {
  for (int i = 0; i < 300; ++i) PutFor(rows(), "dead" + std::to_string(i), kMinute);
  EXPECT_EQ(StatisticsOf("default").mortal_rows, 300U);
  home_.clock().Advance(kMinute);
  EXPECT_EQ(StatisticsOf("default").due_rows, 300U);
  EXPECT_EQ(home_.database().Purge()->rows, 300U);
  ExpectStored(0, 0);
  // The plan's hasTtl is back at 0: nothing here has a deadline any more.
  EXPECT_EQ(StatisticsOf("default").mortal_rows, 0U);
  EXPECT_EQ(home_.database().Purge()->rows, 0U);
}

TEST_P(Seed000, ttl_remaining) {
  PutFor(rows(), "key", kMinute);
  EXPECT_EQ(rows().Ttl("key").value(), kMinute);
  home_.clock().Advance(kMinute - kMs);
  EXPECT_EQ(rows().Ttl("key").value(), kMs);
}

TEST_P(Seed000, ttl_no_ttl_key) {
  ASSERT_TRUE(rows().Put("key", "v").ok());
  EXPECT_EQ(rows().Ttl("key").value(), kForever);
}

// The plan returns 0 here. The law of TTL cannot tell a dead row from none, so it is NotFound.
TEST_P(Seed000, ttl_expired_key) {
  PutFor(rows(), "key", kMinute);
  home_.clock().Advance(kMinute);
  EXPECT_TRUE(rows().Ttl("key").status().IsNotFound());
  EXPECT_TRUE(rows().Ttl("key").status().IsNotFound());
}

TEST_P(Seed000, ttl_nonexistent) { EXPECT_TRUE(rows().Ttl("missing").status().IsNotFound()); }

TEST_P(Seed000, transaction_put_ttl) {
  const auto transaction = *home_.database().Begin();
  KeyspaceWriter& writer = transaction->In(rows());
  ASSERT_TRUE(writer.Put("a", "v", Lifetime::For(kMinute)).ok());
  ASSERT_TRUE(writer.Put("b", "v", Lifetime::For(kMinute)).ok());
  EXPECT_FALSE(Sees("a"));
  ExpectStored(0, 0);
  ASSERT_TRUE(transaction->Commit().ok());
  ExpectStored(2, 2);
  EXPECT_EQ(rows().Ttl("a").value(), kMinute);
  home_.clock().Advance(kMinute);
  EXPECT_FALSE(Sees("a") || Sees("b"));
}

TEST_P(Seed000, transaction_rollback) {
  const auto transaction = *home_.database().Begin();
  ASSERT_TRUE(transaction->In(rows()).Put("a", "v", Lifetime::For(kMinute)).ok());
  transaction->Rollback();
  EXPECT_FALSE(Sees("a"));
  ExpectStored(0, 0);
  home_.clock().Advance(kMinute);
  EXPECT_EQ(home_.database().Purge()->rows, 0U);
}

TEST_P(Seed000, cf_ttl) {
  const auto sessions = *home_.database().CreateKeyspace("sessions");
  const auto tokens = *home_.database().CreateKeyspace("tokens");
  PutFor(*sessions, "key", kMinute);
  PutFor(*tokens, "key", kMinute);
  EXPECT_TRUE(sessions->Get("key").has_value());
  EXPECT_FALSE(Sees("key"));
  home_.clock().Advance(kMinute);
  EXPECT_TRUE(sessions->Get("key").status().IsNotFound());
  PutFor(*sessions, "other", kMinute);
  home_.clock().Advance(kMinute);
  // Purging one leaves the other's rows alone.
  EXPECT_EQ(home_.database().Purge({.keyspace = sessions.get()})->rows, 1U);
  ExpectStored(1, 1);
  EXPECT_EQ(home_.database().Purge()->rows, 1U);
  ExpectStored(0, 0);
}

TEST_P(Seed000, cf_drop_cleans_ttl) {
  const auto sessions = *home_.database().CreateKeyspace("sessions");
  for (int i = 0; i < 10; ++i) PutFor(*sessions, std::to_string(i), kMinute);
  ExpectStored(10, 10);
  ASSERT_TRUE(home_.database().DropKeyspace("sessions").ok());
  ExpectStored(0, 0);
  home_.clock().Advance(kMinute);
  EXPECT_EQ(home_.database().Purge()->rows, 0U);
  EXPECT_EQ(home_.database().Purge({.keyspace = sessions.get()}).status(), Status::Invalid(""));
}

TEST_P(Seed000, error_zero_ttl) {
  ASSERT_TRUE(rows().Put("key", "old").ok());
  EXPECT_EQ(rows().Put("key", "new", Lifetime::For(Millis(0))).code(), StatusCode::kInvalid);
  EXPECT_EQ(rows().Put("key", "new", Lifetime::For(-kMs)).code(), StatusCode::kInvalid);
  EXPECT_EQ(rows().Put("key", "new", Lifetime::For(Millis::max())).code(), StatusCode::kInvalid);
  EXPECT_EQ(rows().Get("key").value(), "old");
}

TEST_P(Seed000, reopen_persistence) {
  PutFor(rows(), "key", kMinute);
  home_.Reopen();
  if (!home_.persistent()) {
    ExpectStored(0, 0);
    return;
  }
  EXPECT_EQ(rows().Ttl("key").value(), kMinute);
  home_.clock().Advance(kMinute - kMs);
  home_.Reopen();
  EXPECT_TRUE(Sees("key"));
  home_.clock().Advance(kMs);
  home_.Reopen();
  EXPECT_FALSE(Sees("key"));
}

TEST_P(Seed000, mixed_workload) {
  constexpr int kThreads = 4;
  constexpr int kSteps = 400;
  std::vector<std::thread> threads;
  for (int t = 0; t < kThreads; ++t) {
    threads.emplace_back([this, t] {
      Random random(static_cast<std::uint64_t>(t) + 1);
      for (int i = 0; i < kSteps; ++i) {
        const std::string key = "key" + std::to_string(random.Below(50));
        switch (random.Below(6)) {
          case 0: EXPECT_TRUE(rows().Put(key, "v").ok()); break;
          case 1:
          case 2:
            EXPECT_TRUE(rows().Put(key, "v", Lifetime::For(Millis(random.Between(1, 100)))).ok());
            break;
          case 3: home_.clock().Advance(kMs); break;
          case 4: EXPECT_TRUE(home_.database().Purge().has_value()); break;
          default: {
            const auto found = rows().Get(key);
            EXPECT_TRUE(found || found.error().IsNotFound());
          }
        }
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  home_.ExpectClean();
  home_.clock().Advance(kMinute);
  ASSERT_TRUE(home_.database().Purge().has_value());
  const auto report = home_.database().Check();
  EXPECT_EQ(report->entries, 0U);
  EXPECT_EQ(report->rows, rows().Count().value());
}

TEST_P(Seed000, large_dataset) {
  constexpr int kRows = 100'000;
  constexpr int kPerTransaction = 10'000;
  const auto put_from = [&](int begin) {
    return home_.database().Transact([&](Transaction& transaction) {
      KeyspaceWriter& writer = transaction.In(rows());
      for (int i = begin; i < begin + kPerTransaction; ++i) {
        MAYFLY_RETURN_IF_ERROR(writer.Put("key" + std::to_string(i), "v",
                                          Lifetime::For(i % 4 == 0 ? 2 * kMinute : kMinute)));
      }
      return Status();
    });
  };
  for (int begin = 0; begin < kRows; begin += kPerTransaction) {
    Status put = put_from(begin);
    // A commit waits ten seconds of real time for rows to leave memory. With ThreadSanitizer, on a
    // busy machine, that may take longer; then "retry later" means what it says.
    while (put.code() == StatusCode::kBusy) put = put_from(begin);
    ASSERT_TRUE(put.ok()) << put.ToString();
  }
  EXPECT_EQ(rows().Count().value(), 100'000U);
  home_.clock().Advance(kMinute);
  EXPECT_EQ(rows().Count().value(), 25'000U);
  EXPECT_EQ(home_.database().Purge()->rows, 75'000U);
  ExpectStored(25'000, 25'000);
  EXPECT_TRUE(Sees("key0"));
  EXPECT_FALSE(Sees("key1"));
  home_.clock().Advance(kMinute);
  EXPECT_EQ(home_.database().Purge()->rows, 25'000U);
  ExpectStored(0, 0);
}

INSTANTIATE_TEST_SUITE_P(Every, Seed000,
                         ::testing::Values(EngineKind::kMemory, EngineKind::kRocks,
                                           EngineKind::kMemoryFirst),
                         [](const auto& engine) { return NameOf(engine.param); });

// The calls of an engine, by role.
struct Asked {
  std::array<int, 8> gets{};  // Keys, one by one or many at once.
  std::array<int, 8> cursors{};
  std::array<int, 8> steps{};  // Keys that cursors were moved to.

  static std::size_t Of(engine::Role role) { return static_cast<std::size_t>(role); }
};

class CountingCursor final : public engine::suite::ForwardingCursor {
 public:
  CountingCursor(std::unique_ptr<engine::Cursor> inner, std::atomic<std::uint64_t>& open,
                 int& steps)
      : ForwardingCursor(std::move(inner), open), steps_(steps) {}

 private:
  void DoSeekToFirst() override { ++steps_, ForwardingCursor::DoSeekToFirst(); }
  void DoNext() override { ++steps_, ForwardingCursor::DoNext(); }

  int& steps_;
};

class CountingEngine final : public engine::suite::ForwardingEngine {
 public:
  explicit CountingEngine(Asked& asked)
      : ForwardingEngine(engine::NewMemoryEngine()), asked_(asked) {}

 private:
  Status DoGet(engine::Address at, Bytes key, PinnedBytes& value,
               const engine::Snapshot* snapshot) const override {
    ++asked_.gets[Asked::Of(at.role)];
    return ForwardingEngine::DoGet(at, key, value, snapshot);
  }
  void DoMultiGet(std::span<engine::Lookup*> lookups,
                  const engine::Snapshot* snapshot) const override {
    for (const engine::Lookup* const lookup : lookups) ++asked_.gets[Asked::Of(lookup->at.role)];
    ForwardingEngine::DoMultiGet(lookups, snapshot);
  }
  Result<std::unique_ptr<engine::Cursor>> DoNewCursor(
      engine::Address at, const engine::CursorOptions& options) const override {
    ++asked_.cursors[Asked::Of(at.role)];
    engine::CursorOptions inner_options = options;
    inner_options.snapshot = InnerOf(options.snapshot);
    MAYFLY_TRY(auto cursor, inner().NewCursor(at, inner_options));
    return std::make_unique<CountingCursor>(std::move(cursor), open_cursors(),
                                            asked_.steps[Asked::Of(at.role)]);
  }

  Asked& asked_;
};

class Seed000Counted : public ::testing::Test {
 protected:
  Seed000Counted()
      : database_(
            *core::NewDatabase(std::make_unique<CountingEngine>(asked_), {.clock = &clock_})) {}

  ManualClock clock_{kStart};
  Asked asked_;
  std::unique_ptr<Database> database_;
};

TEST_F(Seed000Counted, purge_order) {
  Keyspace& rows = database_->default_keyspace();
  ASSERT_TRUE(rows.SetPolicy({.events = EventDetail::kKey}).ok());
  // Written in another order than they die in.
  for (const int i : {3, 1, 2}) {
    ASSERT_TRUE(rows.Put("dead" + std::to_string(i), "v", Lifetime::For(kMinute * i)).ok());
  }
  for (int i = 0; i < 1000; ++i) {
    ASSERT_TRUE(rows.Put("live" + std::to_string(i), "v", Lifetime::For(kMinute * 10)).ok());
  }
  clock_.Advance(kMinute * 3);
  asked_ = {};
  EXPECT_EQ(database_->Purge()->rows, 3U);
  // Three dead entries, the first living one after them, and once more to see that it is the first.
  EXPECT_LE(asked_.steps[Asked::Of(engine::Role::kExpiry)], 6);
  EXPECT_EQ(asked_.steps[Asked::Of(engine::Role::kRows)], 0);
  EXPECT_EQ(asked_.gets[Asked::Of(engine::Role::kRows)], 3);
  std::string order;
  const std::vector<Event> events = database_->ReadEvents(0, 10).value();
  for (const Event& event : events) order += event.key + " ";
  EXPECT_EQ(order, "dead1 dead2 dead3 ");
}

TEST_F(Seed000Counted, no_overhead_non_ttl_cf) {
  Keyspace& rows = database_->default_keyspace();
  ASSERT_TRUE(rows.Put("key", "v").ok());
  asked_ = {};
  EXPECT_TRUE(rows.Get("key").has_value());
  EXPECT_EQ(asked_.gets[Asked::Of(engine::Role::kRows)], 1);
  ASSERT_TRUE(rows.Put("key", "w").ok());
  EXPECT_TRUE(rows.Delete("key").value());
  EXPECT_EQ(database_->Purge()->rows, 0U);
  EXPECT_EQ(asked_.gets[Asked::Of(engine::Role::kExpiry)], 0);
  EXPECT_EQ(asked_.cursors[Asked::Of(engine::Role::kExpiry)], 0);

  // A row with a deadline costs a read no more: the deadline is in the row.
  ASSERT_TRUE(rows.Put("mortal", "v", Lifetime::For(kMinute)).ok());
  asked_ = {};
  EXPECT_TRUE(rows.Get("mortal").has_value());
  EXPECT_EQ(asked_.gets[Asked::Of(engine::Role::kRows)], 1);
  EXPECT_EQ(asked_.gets[Asked::Of(engine::Role::kExpiry)], 0);
}

constexpr const char* kCrashFlag = "--crash";

// The process that dies: it puts a row, with or without the commit, and is killed.
int DieAround(const char* directory, bool committed) {
  ManualClock clock(kStart);
  const OneMachine machine(clock);
  const auto database =
      Database::Open({.directory = directory, .memory = MemoryProfile::kTiny, .clock = &machine});
  if (!database) return 1;
  const auto transaction = *(*database)->Begin();
  if (!transaction->In((*database)->default_keyspace())
           .Put("key", "v", Lifetime::For(kMinute))
           .ok()) {
    return 1;
  }
  if (committed && !transaction->Commit().ok()) return 1;
  ::kill(::getpid(), SIGKILL);
  return 1;
}

// Runs this program again for that: a fork alone would not have the engine's threads.
void KillAround(const std::string& directory, bool committed) {
  const pid_t child = ::fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    ::execl("/proc/self/exe", "seed_000_test", kCrashFlag, directory.c_str(), committed ? "1" : "0",
            nullptr);
    ::_exit(2);
  }
  int outcome = 0;
  ASSERT_EQ(::waitpid(child, &outcome, 0), child);
  ASSERT_TRUE(WIFSIGNALED(outcome) && WTERMSIG(outcome) == SIGKILL) << outcome;
}

TEST(Seed000Crash, crash_before_commit) {
  TemporaryDirectory directory;
  KillAround(directory.Inside("db"), false);
  ManualClock clock(kStart);
  const OneMachine machine(clock);
  const auto database = Database::Open({.directory = directory.Inside("db"), .clock = &machine});
  ASSERT_TRUE(database.has_value()) << database.status().ToString();
  EXPECT_TRUE((*database)->default_keyspace().Get("key").status().IsNotFound());
  EXPECT_EQ((*database)->Check()->entries, 0U);
}

TEST(Seed000Crash, crash_after_commit) {
  TemporaryDirectory directory;
  KillAround(directory.Inside("db"), true);
  ManualClock clock(kStart);
  const OneMachine machine(clock);
  const auto database = Database::Open({.directory = directory.Inside("db"), .clock = &machine});
  ASSERT_TRUE(database.has_value()) << database.status().ToString();
  Keyspace& rows = (*database)->default_keyspace();
  EXPECT_EQ(rows.Get("key").value(), "v");
  EXPECT_EQ(rows.Ttl("key").value(), kMinute);
  EXPECT_TRUE((*database)->Check()->clean());
  clock.Advance(kMinute);
  EXPECT_TRUE(rows.Get("key").status().IsNotFound());
}

}  // namespace
}  // namespace mayfly

int main(int argc, char** argv) {
  if (argc == 4 && std::string(argv[1]) == mayfly::kCrashFlag) {
    return mayfly::DieAround(argv[2], argv[3][0] == '1');
  }
  ::testing::InitGoogleTest(&argc, argv);
  return RUN_ALL_TESTS();
}

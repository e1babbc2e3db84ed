// Goal: threads that write, read, purge and commit on one database at once never break the
// invariants that each of them relies on. Method: bounded loops that start together on a clock that
// one of them moves; invariants are checked while they run and at the end. MAYFLY_RACES sets the
// number of races between a renewal and a purge.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <array>
#include <atomic>
#include <barrier>
#include <map>
#include <mutex>
#include <set>

#include "base/random.h"
#include "base/testing/environment.h"
#include "tests/core/database_home.h"
#include "tests/engine/together.h"

namespace mayfly {
namespace {

using engine::suite::RunTogether;

// Counts the threads whose end the others wait for.
class Workers {
 public:
  explicit Workers(int count) : left_(count) {}
  void Done() { --left_; }
  bool busy() const { return left_ > 0; }

 private:
  std::atomic<int> left_;
};

class Concurrency : public ::testing::TestWithParam<EngineKind> {
 protected:
  Concurrency() : home_(GetParam()) {
    seed_ = NumberFromEnvironment("MAYFLY_SEED", FreshSeed());
    fmt::print("MAYFLY_SEED={}\n", seed_);
  }

  // Statistics, counters, index and rows agree.
  void ExpectExactCounts(Keyspace& keyspace) {
    home_.ExpectClean();
    std::uint64_t rows = 0;
    const auto cursor = *keyspace.NewCursor();
    for (cursor->SeekToFirst(); cursor->Valid(); cursor->Next()) ++rows;
    EXPECT_EQ(keyspace.Count().value(), rows);
  }

  DatabaseHome home_;
  std::uint64_t seed_ = 0;
};

// Transfers between accounts leave their sum unchanged, for every kind of read.
class Accounts {
 public:
  static constexpr int kAccounts = 12;
  static constexpr int kEach = 100;

  explicit Accounts(Database& database)
      : database_(database), keyspace_(database.default_keyspace()) {
    for (int i = 0; i < kAccounts; ++i) {
      EXPECT_TRUE(keyspace_.Put(Name(i), std::to_string(kEach)).ok());
    }
  }

  void Transfer(Random& random) {
    const int from = static_cast<int>(random.Below(kAccounts));
    const int to = static_cast<int>(random.Below(kAccounts));
    const int amount = static_cast<int>(random.Between(1, 10));
    const Status done = database_.Transact(
        [&](Transaction& transaction) -> Status {
          KeyspaceWriter& writer = transaction.In(keyspace_);
          MAYFLY_TRY(const std::string debit, writer.Get(Name(from)));
          MAYFLY_RETURN_IF_ERROR(writer.Put(Name(from), std::to_string(std::stoi(debit) - amount)));
          MAYFLY_TRY(const std::string credit, writer.Get(Name(to)));
          return writer.Put(Name(to), std::to_string(std::stoi(credit) + amount));
        },
        kAttemptsMax);
    EXPECT_TRUE(done.ok()) << done.ToString();
  }

  // The account moves to another name and back: one row fewer and one more in the same commit.
  void Rename(int account) {
    for (const bool away : {true, false}) {
      const std::string from = away ? Name(account) : Name(account) + "'";
      const std::string to = away ? Name(account) + "'" : Name(account);
      const Status done = database_.Transact(
          [&](Transaction& transaction) -> Status {
            KeyspaceWriter& writer = transaction.In(keyspace_);
            MAYFLY_TRY(const std::string value, writer.Get(from));
            MAYFLY_TRY(const bool there, writer.Delete(from));
            EXPECT_TRUE(there);
            return writer.Put(to, value);
          },
          kAttemptsMax);
      EXPECT_TRUE(done.ok()) << done.ToString();
    }
  }

  static void ExpectSum(const KeyspaceReader& reader) {
    int sum = 0;
    int accounts = 0;
    const auto cursor = *reader.NewCursor({.prefix = "account"});
    for (cursor->SeekToFirst(); cursor->Valid(); cursor->Next(), ++accounts) {
      sum += std::stoi(std::string(cursor->value()));
    }
    EXPECT_EQ(accounts, kAccounts);
    EXPECT_EQ(sum, kAccounts * kEach);
  }

  void ExpectSumEverywhere() {
    ExpectSum(keyspace_);
    ExpectSum((*database_.NewSnapshot())->In(keyspace_));
    const auto transaction = *database_.Begin();
    ExpectSum(transaction->In(keyspace_));
  }

 private:
  static constexpr int kAttemptsMax = 100'000;
  static std::string Name(int i) { return fmt::format("account{:02}", i); }

  Database& database_;
  Keyspace& keyspace_;
};

TEST_P(Concurrency, TransfersKeepTheSumWhileRowsDieAndArePurged) {
  Database& database = home_.database();
  Keyspace& keyspace = database.default_keyspace();
  Accounts accounts(database);
  Workers workers(3);
  const std::array reapers{*database.StartReaper(), *database.StartReaper({.step_rows_max = 7})};
  constexpr int kTransfers = 150;
  const auto transfer = [&](std::uint64_t salt) {
    Random random(seed_ + salt);
    for (int i = 0; i < kTransfers; ++i) accounts.Transfer(random);
    workers.Done();
  };
  RunTogether({[&] { transfer(1); }, [&] { transfer(2); },
               [&] {
                 Random random(seed_ + 3);
                 for (int i = 0; i < 4 * kTransfers; ++i) {
                   const std::string key = fmt::format("noise{}", random.Below(100));
                   EXPECT_TRUE(
                       keyspace.Put(key, "", Lifetime::For(Millis(random.Between(1, 5)))).ok());
                 }
                 workers.Done();
               },
               [&] {
                 while (workers.busy()) accounts.ExpectSumEverywhere();
               },
               [&] {
                 while (workers.busy()) {
                   home_.clock().Advance(Millis(1));
                   EXPECT_TRUE(database.Purge({.rows_max = 10}).has_value());
                 }
               }});
  accounts.ExpectSumEverywhere();
  ExpectExactCounts(keyspace);
}

TEST_P(Concurrency, ACountIsExactWhileRowsMove) {
  Accounts accounts(home_.database());
  Keyspace& keyspace = home_.keyspace();
  Workers workers(2);
  const auto rename = [&](int account) {
    for (int i = 0; i < 150; ++i) accounts.Rename(account);
    workers.Done();
  };
  RunTogether({[&] { rename(1); }, [&] { rename(2); },
               [&] {
                 while (workers.busy()) {
                   EXPECT_EQ(keyspace.Count().value(), std::uint64_t{Accounts::kAccounts});
                 }
               }});
  ExpectExactCounts(keyspace);
}

// Every call that can tell whether a row exists.
bool Sees(Database& database, Keyspace& keyspace, const std::string& key, std::uint64_t way) {
  switch (way) {
    case 0: return keyspace.Get(key).has_value();
    case 1: return keyspace.Exists(key).value();
    case 2: {
      const std::array<Bytes, 1> keys{key};
      return (*keyspace.MultiGet(keys))[0].has_value();
    }
    case 3: {
      const auto cursor = *keyspace.NewCursor();
      cursor->SeekAtOrAfter(key);
      return cursor->Valid() && cursor->key() == key;
    }
    case 4: return (*database.NewSnapshot())->In(keyspace).Get(key).has_value();
    case 5: {
      const auto transaction = *database.Begin();
      return transaction->In(keyspace).Get(key).has_value();
    }
    default: return keyspace.Ttl(key).has_value();
  }
}

TEST_P(Concurrency, WhatOneReaderSawDeadNoLaterOneSeesAlive) {
  Database& database = home_.database();
  Keyspace& keyspace = database.default_keyspace();
  constexpr std::size_t kRows = 300;
  for (std::size_t i = 0; i < kRows; ++i) {
    const Lifetime lifetime = Lifetime::For(Millis(1 + i / 3));
    ASSERT_TRUE(keyspace.Put(fmt::format("row{:03}", i), "value", lifetime).ok());
  }
  std::array<std::atomic<bool>, kRows> seen_dead{};
  Workers workers(1);
  const auto read = [&](std::uint64_t salt) {
    Random random(seed_ + salt);
    while (workers.busy()) {
      const std::size_t row = random.Below(kRows);
      const bool was_dead = seen_dead[row];
      const std::uint64_t way = random.Below(7);
      const bool alive = Sees(database, keyspace, fmt::format("row{:03}", row), way);
      EXPECT_FALSE(was_dead && alive) << "row " << row << " came back, way " << way;
      if (!alive) seen_dead[row] = true;
    }
  };
  RunTogether({[&] { read(1); }, [&] { read(2); },
               [&] {
                 while (workers.busy()) EXPECT_TRUE(database.Purge({.rows_max = 5}).has_value());
               },
               [&] {
                 for (std::size_t i = 0; i < kRows; ++i) {
                   // Now and then the machine's clock goes back.
                   if (i % 20 == 19) home_.clock().Set(home_.clock().Now() - Millis(5));
                   home_.clock().Advance(Millis(1));
                   std::this_thread::yield();
                 }
                 workers.Done();
               }});
  EXPECT_EQ(keyspace.Count().value(), 0u);
  ExpectExactCounts(keyspace);
}

// The events that subscribers and readers of the event log have seen.
class Told {
 public:
  void Add(const Event& event) {
    const std::lock_guard lock(mutex_);
    EXPECT_TRUE(by_sequence_.emplace(event.sequence, event.key).second) << "delivered twice";
  }
  std::map<std::uint64_t, std::string> by_sequence() {
    const std::lock_guard lock(mutex_);
    return by_sequence_;
  }

 private:
  std::mutex mutex_;
  std::map<std::uint64_t, std::string> by_sequence_;  // Guarded by mutex_.
};

TEST_P(Concurrency, EveryRowThatDiesHasOneEventWhoeverRemovesIt) {
  Database& database = home_.database();
  Keyspace& keyspace = database.default_keyspace();
  ASSERT_TRUE(keyspace.SetPolicy({.events = EventDetail::kKeyAndValue}).ok());
  Told told;
  const auto subscription = *database.Subscribe([&](const Event& event) { told.Add(event); });
  constexpr int kRowsEach = 250;
  constexpr int kWriters = 2;
  Workers workers(kWriters);
  std::array<std::set<std::string>, kWriters> dying;  // Not deleted while they lived.
  const auto write = [&](int writer) {
    Random random(seed_ + static_cast<std::uint64_t>(writer));
    for (int i = 0; i < kRowsEach; ++i) {
      const std::string key = fmt::format("{}/{}", writer, i);
      EXPECT_TRUE(keyspace.Put(key, key, Lifetime::For(Millis(random.Between(1, 8)))).ok());
      const std::string other = fmt::format("{}/{}", writer, random.Below(kRowsEach));
      dying[static_cast<std::size_t>(writer)].insert(key);
      if (random.OneIn(3) && keyspace.Delete(other).value()) {
        dying[static_cast<std::size_t>(writer)].erase(other);
      }
    }
    workers.Done();
  };
  {
    const std::array reapers{*database.StartReaper(), *database.StartReaper({.step_rows_max = 3})};
    RunTogether({[&] { write(0); }, [&] { write(1); },
                 [&] {
                   Random random(seed_ + 9);
                   while (workers.busy()) {
                     EXPECT_TRUE(keyspace.Exists(fmt::format("0/{}", random.Below(kRowsEach))));
                   }
                 },
                 [&] {
                   while (workers.busy()) {
                     EXPECT_TRUE(database.Purge({.rows_max = 10}).has_value());
                     home_.clock().Advance(Millis(1));
                   }
                 }});
    home_.clock().Advance(Millis(10));
    for (const auto& reaper : reapers) reaper->AwaitIdle();
  }
  EXPECT_EQ(database.Purge().value().rows, 0u) << "the reapers left something";
  std::multiset<std::string> expected(dying[0].begin(), dying[0].end());
  expected.insert(dying[1].begin(), dying[1].end());
  std::multiset<std::string> found;
  std::map<std::uint64_t, std::string> read;
  const auto events = database.ReadEvents(0, 10'000);
  for (const Event& event : *events) {
    found.insert(event.key);
    read[event.sequence] = event.key;
    EXPECT_EQ(event.value, event.key);
  }
  EXPECT_EQ(found, expected);
  EXPECT_EQ(told.by_sequence(), read);
  EXPECT_TRUE(read.empty() || read.rbegin()->first == read.size()) << "a gap in the sequence";
  ExpectExactCounts(keyspace);
}

// One race: the clock reaches the row's deadline while one thread renews it and another removes the
// dead.
class RenewalRace {
 public:
  static constexpr Millis kTtl{10};
  static constexpr Millis kRenewedTtl{1000};

  explicit RenewalRace(DatabaseHome& home) : home_(home) {}

  void Prepare(std::uint64_t round) {
    round_ = round;
    ASSERT_TRUE(home_.keyspace().Put("key", "value", Lifetime::For(kTtl)).ok());
    deadline_ = home_.clock().Now() + kTtl;
  }

  void MoveClock() { home_.clock().Advance(kTtl); }

  void Renew() {
    const Lifetime lifetime = Lifetime::For(kRenewedTtl);
    switch (round_ % 3) {
      case 0: {
        const auto row = home_.keyspace().Touch("key", lifetime);
        renewed_ = row.has_value();
        if (row) renewed_until_ = *row->deadline;
        break;
      }
      case 1: renewed_ = home_.keyspace().Expire("key", lifetime).has_value(); break;
      default: EXPECT_TRUE(home_.keyspace().Put("key", "value", lifetime).ok()); renewed_ = true;
    }
  }

  void RemoveTheDead() {
    if (round_ % 2 == 0) {
      EXPECT_TRUE(home_.database().Purge().has_value());
    } else {
      EXPECT_TRUE(home_.keyspace().Exists("key").has_value());
    }
  }

  // Returns whether the first row died.
  bool Verify() {
    const auto row = home_.keyspace().GetRow("key");
    EXPECT_EQ(row.has_value(), renewed_) << "round " << round_;
    if (!renewed_ || !row) return true;
    const bool before = row->deadline == deadline_ - kTtl + kRenewedTtl;
    const bool at = row->deadline == deadline_ + kRenewedTtl;
    EXPECT_TRUE(before || at) << "round " << round_;
    if (round_ % 3 == 0) {
      EXPECT_EQ(row->deadline, renewed_until_);
    }
    // Only a put renews a row at its deadline.
    EXPECT_TRUE(before || round_ % 3 == 2) << "round " << round_;
    EXPECT_TRUE(home_.keyspace().Delete("key").value());
    return at;
  }

 private:
  DatabaseHome& home_;
  std::uint64_t round_ = 0;
  WallTime deadline_;
  bool renewed_ = false;
  WallTime renewed_until_;
};

TEST_P(Concurrency, ARowRenewedWhileAPurgeRunsIsNeverLost) {
  const std::uint64_t races = NumberFromEnvironment("MAYFLY_RACES", 10'000);
  ASSERT_TRUE(home_.keyspace().SetPolicy({.events = EventDetail::kKey}).ok());
  RenewalRace race(home_);
  std::uint64_t deaths = 0;
  std::barrier<> start(3);
  std::barrier<> end(3);
  const auto run = [&](auto&& work) {
    for (std::uint64_t round = 0; round < races; ++round) {
      start.arrive_and_wait();
      work();
      end.arrive_and_wait();
    }
  };
  RunTogether({[&] { run([&] { race.Renew(); }); }, [&] { run([&] { race.RemoveTheDead(); }); },
               [&] {
                 for (std::uint64_t round = 0; round < races; ++round) {
                   race.Prepare(round);
                   start.arrive_and_wait();
                   race.MoveClock();
                   end.arrive_and_wait();
                   deaths += race.Verify();
                 }
               }});
  EXPECT_TRUE(home_.database().Purge().has_value());
  const auto statistics = home_.database().GetStatistics();
  EXPECT_EQ(statistics->events_last, deaths) << "a death without an event, or with two";
  EXPECT_GT(deaths, 0u);
  EXPECT_LT(deaths, races) << "nothing was ever renewed";
  EXPECT_EQ(statistics->stale_entries, 0u);
  home_.ExpectClean();
}

INSTANTIATE_TEST_SUITE_P(Engines, Concurrency,
                         ::testing::Values(EngineKind::kMemory, EngineKind::kRocks,
                                           EngineKind::kMemoryFirst),
                         [](const auto& one) { return NameOf(one.param); });

}  // namespace
}  // namespace mayfly

// Goal: the collections of mayfly/types.h do within a transaction what their headers say, show what
// clients of the server see, and keep what several threads do to them. Method: each call by hand on
// a database in memory, then threads whose sums must come out.
#include <gtest/gtest.h>

#include <atomic>
#include <barrier>
#include <functional>
#include <limits>
#include <map>
#include <set>
#include <thread>

#include "core/transactions/latched_transaction.h"
#include "mayfly/database.h"
#include "mayfly/types.h"
#include "types/sorted_set.h"

namespace mayfly {
namespace {

using namespace std::chrono_literals;

constexpr WallTime kBegin = WallTimeFromMs(1'700'000'000'000);

class Handles : public ::testing::Test {
 protected:
  Handles() {
    DatabaseOptions options;
    options.clock = &clock_;
    database_ = *Database::Open(options);
  }

  Keyspace& rows() { return database_->default_keyspace(); }
  std::unique_ptr<Transaction> Begin() { return *database_->Begin(); }

  void Do(const std::function<void(Transaction&)>& something) {
    const auto transaction = Begin();
    something(*transaction);
    ASSERT_TRUE(transaction->Commit().ok());
  }

  ManualClock clock_{kBegin};
  std::unique_ptr<Database> database_;
};

template <typename T>
StatusCode CodeOfResult(const Result<T>& result) {
  return result.status().code();
}

TEST_F(Handles, OfAHash) {
  Do([&](Transaction& transaction) {
    Hash hash(transaction, rows(), "hash");
    EXPECT_EQ(hash.Size().value(), 0u);
    EXPECT_EQ(CodeOfResult(hash.Get("field")), StatusCode::kNotFound);
    EXPECT_TRUE(hash.Read().value().fields.empty());
    EXPECT_TRUE(hash.Put("field", "1").value());
    EXPECT_FALSE(hash.Put("field", "2").value());
    EXPECT_TRUE(hash.Put("mortal", "3", Lifetime::For(5ms)).value());
    EXPECT_FALSE(hash.Put("never", "4", Lifetime::Until(kBegin)).value());
    EXPECT_EQ(CodeOfResult(hash.Put("bad", "5", Lifetime::For(0ms))), StatusCode::kInvalid);
    EXPECT_EQ(hash.Size().value(), 2u);
  });
  Do([&](Transaction& transaction) {
    Hash hash(transaction, rows(), "hash");
    EXPECT_EQ(hash.Get("field").value().value, "2");
    EXPECT_EQ(hash.Get("field").value().deadline, std::nullopt);
    EXPECT_EQ(hash.Get("mortal").value().deadline, kBegin + 5ms);
    std::map<std::string, std::optional<WallTime>> fields;
    const auto page = hash.Read().value();
    for (const auto& field : page.fields) fields[field.name] = field.deadline;
    EXPECT_EQ(fields, (std::map<std::string, std::optional<WallTime>>{{"field", std::nullopt},
                                                                      {"mortal", kBegin + 5ms}}));
    EXPECT_TRUE(hash.Put("mortal", "6", Lifetime::Keep()).has_value());
    EXPECT_TRUE(hash.Expire("field", Lifetime::For(7ms)).value());
    EXPECT_FALSE(hash.Expire("none", Lifetime::For(7ms)).value());
    EXPECT_EQ(CodeOfResult(hash.Expire("field", Lifetime::Keep())), StatusCode::kInvalid);
  });
  clock_.Advance(5ms);
  Do([&](Transaction& transaction) {
    Hash hash(transaction, rows(), "hash");
    EXPECT_EQ(hash.Size().value(), 1u);
    EXPECT_FALSE(hash.Remove("mortal").value());
    EXPECT_TRUE(hash.Remove("field").value());
    EXPECT_FALSE(transaction.In(rows()).Exists("hash").value());
  });
  EXPECT_FALSE(rows().Exists("hash").value());
}

TEST_F(Handles, OfAHashNameTheFieldOfAnEvent) {
  ASSERT_TRUE(rows().SetPolicy({.events = EventDetail::kKey}).ok());
  Do([&](Transaction& transaction) {
    Hash hash(transaction, rows(), "hash");
    EXPECT_TRUE(hash.Put("stays", "1").value());
    EXPECT_TRUE(hash.Put("dies", "2", Lifetime::For(5ms)).value());
    ASSERT_TRUE(transaction.In(rows()).Put("row", "v", Lifetime::For(7ms)).ok());
  });
  clock_.Advance(7ms);
  ASSERT_TRUE(database_->Purge().has_value());
  const auto events = database_->ReadEvents(0, 10).value();
  ASSERT_EQ(events.size(), 2u);
  std::set<std::optional<std::string>> fields;
  for (const Event& event : events) fields.insert(Hash::FieldOf(event));
  EXPECT_EQ(fields, (std::set<std::optional<std::string>>{std::nullopt, "dies"}));
}

TEST_F(Handles, OfAHashReadsPageByPage) {
  constexpr std::uint64_t kFields = 100;
  Do([&](Transaction& transaction) {
    Hash hash(transaction, rows(), "hash");
    for (std::uint64_t i = 0; i < kFields; ++i) {
      ASSERT_TRUE(hash.Put(std::to_string(i), "v").value());
    }
    std::set<std::string> seen;
    std::uint64_t from = 0;
    do {
      const auto page = hash.Read(from, 7).value();
      for (const auto& field : page.fields) EXPECT_TRUE(seen.insert(field.name).second);
      from = page.next;
    } while (from != 0);
    EXPECT_EQ(seen.size(), kFields);
  });
}

TEST_F(Handles, OfAList) {
  Do([&](Transaction& transaction) {
    List list(transaction, rows(), "list");
    EXPECT_EQ(CodeOfResult(list.PopFront()), StatusCode::kNotFound);
    EXPECT_EQ(list.Trim(0, 5).code(), StatusCode::kOk);
    for (const Bytes value : {"b", "c"}) ASSERT_TRUE(list.PushBack(value).ok());
    ASSERT_TRUE(list.PushFront("a").ok());
    ASSERT_TRUE(list.Insert(1, "a and a half").ok());
    ASSERT_TRUE(list.Insert(4, "d").ok());
    EXPECT_EQ(list.Insert(6, "x").code(), StatusCode::kNotFound);
  });
  Do([&](Transaction& transaction) {
    List list(transaction, rows(), "list");
    EXPECT_EQ(list.Read().value(), (std::vector<std::string>{"a", "a and a half", "b", "c", "d"}));
    EXPECT_EQ(list.Read(2, 2).value(), (std::vector<std::string>{"b", "c"}));
    EXPECT_EQ(list.Get(4).value(), "d");
    EXPECT_EQ(CodeOfResult(list.Get(5)), StatusCode::kNotFound);
    ASSERT_TRUE(list.Set(0, "A").ok());
    EXPECT_EQ(list.Set(5, "x").code(), StatusCode::kNotFound);
    ASSERT_TRUE(list.Remove(1).ok());
    EXPECT_EQ(list.Remove(4).code(), StatusCode::kNotFound);
    EXPECT_EQ(list.PopBack().value(), "d");
    EXPECT_EQ(list.PopFront().value(), "A");
    EXPECT_EQ(list.Size().value(), 2u);
    ASSERT_TRUE(list.Trim(1, 100).ok());
    EXPECT_EQ(list.Read().value(), (std::vector<std::string>{"c"}));
  });
}

TEST_F(Handles, OfASet) {
  Do([&](Transaction& transaction) {
    Set set(transaction, rows(), "set");
    EXPECT_FALSE(set.Contains("a").value());
    EXPECT_TRUE(set.Add("a").value());
    EXPECT_FALSE(set.Add("a").value());
    EXPECT_TRUE(set.Add("b").value());
  });
  Do([&](Transaction& transaction) {
    Set set(transaction, rows(), "set");
    EXPECT_EQ(set.Size().value(), 2u);
    const auto page = set.Read().value();
    EXPECT_EQ(std::set<std::string>(page.names.begin(), page.names.end()),
              (std::set<std::string>{"a", "b"}));
    EXPECT_TRUE(set.Remove("a").value());
    EXPECT_FALSE(set.Remove("a").value());
    EXPECT_TRUE(set.Contains("b").value());
  });
}

TEST_F(Handles, OfASortedSet) {
  const auto names = [](const Result<std::vector<SortedSet::Member>>& members) {
    std::string all;
    for (const auto& member : members.value()) all += member.name;
    return all;
  };
  Do([&](Transaction& transaction) {
    SortedSet set(transaction, rows(), "zset");
    EXPECT_EQ(names(set.PopLowest(3)), "");
    EXPECT_EQ(names(set.ByRank(0, 3)), "");
    EXPECT_EQ(set.CountByScore(0, 1).value(), 0u);
    for (const auto& [name, score] :
         std::map<std::string, double>{{"a", 1}, {"b", 2}, {"c", 3}, {"d", 4}, {"e", 5}}) {
      EXPECT_TRUE(set.Put(name, score).value());
    }
    EXPECT_FALSE(set.Put("a", 1.5).value());
    EXPECT_EQ(CodeOfResult(set.Put("x", std::numeric_limits<double>::quiet_NaN())),
              StatusCode::kInvalid);
  });
  Do([&](Transaction& transaction) {
    SortedSet set(transaction, rows(), "zset");
    EXPECT_EQ(set.Score("a").value(), 1.5);
    EXPECT_EQ(set.Rank("c").value(), 2u);
    EXPECT_EQ(CodeOfResult(set.Score("x")), StatusCode::kNotFound);
    EXPECT_EQ(CodeOfResult(set.Rank("x")), StatusCode::kNotFound);
    EXPECT_EQ(names(set.ByRank(1, 2)), "bc");
    EXPECT_EQ(names(set.ByRank(3, UINT64_MAX)), "de");
    EXPECT_EQ(names(set.ByRank(UINT64_MAX, UINT64_MAX)), "");
    EXPECT_EQ(names(set.ByRank(0, 2, SortedSet::Order::kDescending)), "ed");
    EXPECT_EQ(names(set.ByScore(2, 4)), "bcd");
    EXPECT_EQ(names(set.ByScore(2, 4, SortedSet::Order::kDescending, 2)), "dc");
    EXPECT_EQ(set.CountByScore(2, 4).value(), 3u);
    EXPECT_EQ(set.Increment("a", 8.5).value(), 10);
    EXPECT_EQ(set.Increment("new", 7).value(), 7);
    EXPECT_EQ(names(set.PopHighest()), "a");
    EXPECT_EQ(names(set.PopLowest(2)), "bc");
    EXPECT_TRUE(set.Remove("new").value());
    EXPECT_EQ(set.Size().value(), 2u);
  });
}

TEST_F(Handles, RefuseOtherTypesAndTransactionsThatAreOver) {
  ASSERT_TRUE(rows().Put("plain", "v").ok());
  const auto transaction = Begin();
  EXPECT_EQ(CodeOfResult(Hash(*transaction, rows(), "plain").Size()), StatusCode::kWrongType);
  EXPECT_EQ(CodeOfResult(Set(*transaction, rows(), "plain").Add("a")), StatusCode::kWrongType);
  EXPECT_EQ(CodeOfResult(Set(*transaction, rows(), "").Add("a")), StatusCode::kInvalid);
  const auto timed = *database_->CreateKeyspace("timed", {.order = RowOrder::kTimestamp});
  EXPECT_EQ(CodeOfResult(Set(*transaction, *timed, "set").Add("a")), StatusCode::kUnsupported);
  transaction->Rollback();
  EXPECT_EQ(CodeOfResult(Set(*transaction, rows(), "set").Add("a")), StatusCode::kInvalid);
}

TEST_F(Handles, SeeWhatTheTransactionDoesToTheKeyInOtherWays) {
  const auto transaction = Begin();
  Set set(*transaction, rows(), "set");
  ASSERT_TRUE(set.Add("a").value());
  ASSERT_TRUE(transaction->SetSavepoint().ok());
  ASSERT_TRUE(set.Add("b").value());
  ASSERT_TRUE(transaction->RollbackToSavepoint().ok());
  EXPECT_EQ(set.Size().value(), 1u);
  EXPECT_TRUE(transaction->In(rows()).Delete("set").value());
  EXPECT_EQ(set.Size().value(), 0u);
  ASSERT_TRUE(set.Add("c").value());
  ASSERT_TRUE(transaction->Commit().ok());
  const auto after = Begin();
  EXPECT_EQ(Set(*after, rows(), "set").Read().value().names, std::vector<std::string>{"c"});
}

// Moves members between collections of all types, from several threads, beside writers that hold
// latches, as the server does. Nothing is lost or doubled, and the sorted set's order stays sound.
TEST_F(Handles, KeepEverythingThatThreadsMove) {
  constexpr int kItems = 60;
  constexpr int kMoves = 150;
  constexpr int kThreads = 3;
  Do([&](Transaction& transaction) {
    for (int i = 0; i < kItems; ++i) {
      ASSERT_TRUE(List(transaction, rows(), "list").PushBack(std::to_string(i)).ok());
    }
  });
  std::atomic<int> conflicts = 0;
  std::barrier all_have_read(kThreads + 1);
  const auto move = [&](Transaction& transaction) -> Status {
    List list(transaction, rows(), "list");
    SortedSet sorted(transaction, rows(), "sorted");
    Set set(transaction, rows(), "set");
    if (auto item = list.PopFront()) {
      return sorted.Put(*item, static_cast<double>(item->size())).status();
    }
    MAYFLY_TRY(const auto lowest, sorted.PopLowest());
    if (!lowest.empty()) return set.Add(lowest.front().name).status();
    MAYFLY_TRY(const auto page, set.Read(0, 1));
    if (page.names.empty()) return {};
    MAYFLY_RETURN_IF_ERROR(set.Remove(page.names.front()).status());
    return list.PushBack(page.names.front());
  };
  std::vector<std::thread> threads;
  for (int t = 0; t < kThreads; ++t) {
    threads.emplace_back([&] {
      for (int i = 0; i < kMoves; ++i) {
        const auto transaction = Begin();
        EXPECT_TRUE(move(*transaction).ok());
        all_have_read.arrive_and_wait();
        const Status committed = transaction->Commit();
        EXPECT_TRUE(committed.ok() || committed.code() == StatusCode::kConflict);
        if (!committed.ok()) ++conflicts;
      }
    });
  }
  threads.emplace_back([&] {
    for (int i = 0; i < kMoves; ++i) {
      all_have_read.arrive_and_wait();
      if (i % 3 != 0) continue;
      auto latched = core::BeginLatched(*database_, {.keys = {{&rows(), "sorted"}}});
      auto sorted = types::SortedSet::Open((*latched)->In(rows()), "sorted");
      EXPECT_TRUE(sorted->Put("by the server", i).has_value());
      EXPECT_TRUE((*latched)->Commit().ok());
    }
  });
  for (std::thread& thread : threads) thread.join();
  EXPECT_GT(conflicts.load(), 0);
  std::multiset<std::string> items;
  const auto transaction = Begin();
  const auto left = List(*transaction, rows(), "list").Read().value();
  items.insert(left.begin(), left.end());
  const auto page = Set(*transaction, rows(), "set").Read(0, 10'000).value();
  items.insert(page.names.begin(), page.names.end());
  SortedSet sorted(*transaction, rows(), "sorted");
  const auto all = sorted.ByRank(0, 10'000).value();
  for (std::uint64_t rank = 0; rank < all.size(); ++rank) {
    EXPECT_EQ(sorted.Rank(all[rank].name).value(), rank);
    items.insert(all[rank].name);
  }
  items.erase("by the server");
  ASSERT_EQ(items.size(), static_cast<std::size_t>(kItems));
  for (int i = 0; i < kItems; ++i) EXPECT_EQ(items.count(std::to_string(i)), 1u) << i;
  EXPECT_TRUE(database_->Check().value().clean());
}

}  // namespace
}  // namespace mayfly

// Goal: calls on the same items from several threads lose nothing, see no half of a transaction and
// do not deadlock. Method: threads that count; sums that must come out.
#include <algorithm>
#include <thread>

#include "tables/protocol_tables.h"
#include "tables/tables_home.h"

namespace mayfly {
namespace {

constexpr int kThreads = 4;
constexpr int kRounds = 200;

class TablesConcurrency : public EachTables {
 protected:
  TablesConcurrency() {
    Make(PlainSpec("a_table"));
    Make(PlainSpec("b_table"));
  }

  static UpdateItemRequest Add(const std::string& table, const std::string& id, std::int64_t by) {
    return {.table = table,
            .key = {{"id", id}},
            .update = "ADD n :by",
            .arguments = {.values = {{":by", N(by)}}}};
  }

  static void InThreads(const std::function<void(int)>& work) {
    std::vector<std::thread> threads;
    for (int i = 0; i < kThreads; ++i) threads.emplace_back(work, i);
    for (std::thread& thread : threads) thread.join();
  }

  std::int64_t CountOf(const std::string& table, const std::string& id) {
    return std::stoll(Get(table, {{"id", id}})->at("n").number()->text());
  }
};

TEST_P(TablesConcurrency, CountersLoseNothing) {
  InThreads([&](int) {
    for (int i = 0; i < kRounds; ++i) {
      EXPECT_TRUE(tables().UpdateItem(Add("a_table", "1", 1)).has_value());
    }
  });
  EXPECT_EQ(CountOf("a_table", "1"), kThreads * kRounds);
}

TEST_P(TablesConcurrency, WritesTogetherLoseNothing) {
  InThreads([&](int thread) {
    std::vector<tables::ItemWrite> writes;
    for (int i = 0; i < 10; ++i) {
      writes.emplace_back(Add(i % 2 == 0 ? "a_table" : "b_table", std::to_string(i % 4), 1));
    }
    if (thread % 2 == 0) std::reverse(writes.begin(), writes.end());
    for (int i = 0; i < kRounds; ++i) {
      const auto outcomes = tables().WritePrefix(writes);
      ASSERT_EQ(outcomes.size(), writes.size());
      for (const auto& outcome : outcomes) EXPECT_TRUE(outcome.has_value());
      EXPECT_TRUE(tables().UpdateItem(Add("a_table", "0", 1)).has_value());
    }
  });
  EXPECT_EQ(CountOf("a_table", "0"), kThreads * kRounds * 4);
  EXPECT_EQ(CountOf("b_table", "1"), kThreads * kRounds * 3);
  EXPECT_EQ(CountOf("a_table", "2"), kThreads * kRounds * 2);
  EXPECT_EQ(CountOf("b_table", "3"), kThreads * kRounds * 2);
}

// One item is written by a latched transaction, several by an optimistic one; both write this one.
TEST_P(TablesConcurrency, WritesByThemselvesAndInTransactionsMeetOnAnItem) {
  InThreads([&](int thread) {
    for (int i = 0; i < kRounds; ++i) {
      if (thread % 2 == 0) {
        EXPECT_TRUE(tables().UpdateItem(Add("a_table", "1", 1)).has_value());
        continue;
      }
      const auto done =
          tables().TransactWriteItems({{Add("a_table", "1", 1)}, {Add("a_table", "2", 1)}});
      ASSERT_TRUE(done.has_value()) << done.status().ToString();
      EXPECT_TRUE(done->written);
    }
  });
  EXPECT_EQ(CountOf("a_table", "1"), kThreads * kRounds);
  EXPECT_EQ(CountOf("a_table", "2"), kThreads / 2 * kRounds);
}

TEST_P(TablesConcurrency, VersionsLetOneThrough) {
  std::atomic<int> written = 0;
  Put("a_table", {{"id", "1"}});
  const std::uint64_t version =
      tables().GetItem({.table = "a_table", .key = {{"id", "1"}}})->version;
  InThreads([&](int) {
    const auto put =
        tables().PutItem({.table = "a_table", .item = {{"id", "1"}}, .expected_version = version});
    if (put.value().written) ++written;
  });
  EXPECT_EQ(written, 1);
}

TEST_P(TablesConcurrency, CrossedTransactionsDoNotWaitForEachOther) {
  InThreads([&](int thread) {
    std::vector<TransactWrite> actions = {{Add("a_table", "1", 1)},
                                          {Add("b_table", "1", 1)},
                                          {Add("a_table", "2", 1)},
                                          {Add("b_table", "2", 1)}};
    if (thread % 2 == 1) std::reverse(actions.begin(), actions.end());
    for (int i = 0; i < kRounds; ++i) {
      const auto done = tables().TransactWriteItems(actions);
      ASSERT_TRUE(done.has_value()) << done.status().ToString();
      EXPECT_TRUE(done->written);
    }
  });
  for (const char* table : {"a_table", "b_table"}) {
    EXPECT_EQ(CountOf(table, "1"), kThreads * kRounds);
    EXPECT_EQ(CountOf(table, "2"), kThreads * kRounds);
  }
}

TEST_P(TablesConcurrency, ATokenIsUsedOnceByWhoeverIsFirst) {
  InThreads([&](int) {
    for (int i = 0; i < 20; ++i) {
      const auto done =
          tables().TransactWriteItems({{Add("a_table", "1", 1)}}, "token" + std::to_string(i));
      EXPECT_TRUE(done.has_value()) << done.status().ToString();
    }
  });
  EXPECT_EQ(CountOf("a_table", "1"), 20);
}

// Money moves between two items; a snapshot of both has all of it.
TEST_P(TablesConcurrency, ReadsOfSeveralItemsSeeWholeTransactions) {
  Put("a_table", {{"id", "1"}, {"n", N(1000)}});
  Put("b_table", {{"id", "1"}, {"n", N(1000)}});
  InThreads([&](int thread) {
    for (int i = 0; i < kRounds; ++i) {
      if (thread % 2 == 0) {
        EXPECT_TRUE(tables()
                        .TransactWriteItems({{Add("a_table", "1", -1)}, {Add("b_table", "1", 1)}})
                        .value()
                        .written);
        continue;
      }
      const auto both = tables().TransactGetItems(
          {{.table = "a_table", .key = {{"id", "1"}}}, {.table = "b_table", .key = {{"id", "1"}}}});
      std::int64_t sum = 0;
      for (const FoundItem& found : both.value()) {
        sum += std::stoll(found.item->at("n").number()->text());
      }
      EXPECT_EQ(sum, 2000);
    }
  });
}

// An entry moves within its index with every write; there is always exactly one.
TEST_P(TablesConcurrency, AnIndexHasOneEntryPerItemAtEveryMoment) {
  Make(PostsSpec());
  Put("posts", {{"user", "a"}, {"nr", N(1)}, {"topic", "t"}, {"score", N(0)}, {"x", N(0)}});
  InThreads([&](int thread) {
    for (int i = 0; i < kRounds; ++i) {
      if (thread % 2 == 0) {
        EXPECT_TRUE(tables()
                        .UpdateItem({.table = "posts",
                                     .key = {{"user", "a"}, {"nr", N(1)}},
                                     .update = "SET score = :s, x = :s",
                                     .arguments = {.values = {{":s", N(i * kThreads + thread)}}}})
                        .has_value());
        continue;
      }
      EXPECT_EQ(tables().Scan({.table = "posts", .index = "by_topic"}).value().count, 1U);
      const auto local =
          tables().Scan({.table = "posts", .index = "by_score", .all_attributes = true});
      ASSERT_TRUE(local.has_value()) << local.status().ToString();
      ASSERT_EQ(local->items.size(), 1U);
      EXPECT_EQ(local->items[0].at("score"), local->items[0].at("x"));
    }
  });
}

// Each record's old image is the new image of the one before it.
TEST_P(TablesConcurrency, AStreamTellsEveryWriteInOrder) {
  TableSpec spec = PlainSpec("told");
  spec.stream = StreamView::kNewAndOldImages;
  Make(spec);
  InThreads([&](int) {
    for (int i = 0; i < kRounds; ++i) {
      EXPECT_TRUE(tables().UpdateItem(Add("told", "1", 1)).has_value());
    }
  });
  const std::string label = tables().DescribeTable("told").value().stream_label;
  const auto records = tables().ReadStream("told", label, 0, 10'000);
  ASSERT_TRUE(records.has_value()) << records.status().ToString();
  ASSERT_EQ(records->size(), static_cast<std::size_t>(kThreads * kRounds));
  for (std::size_t i = 1; i < records->size(); ++i) {
    EXPECT_GT((*records)[i].sequence, (*records)[i - 1].sequence);
    EXPECT_EQ((*records)[i].old_image, (*records)[i - 1].new_image);
  }
}

INSTANTIATE_TEST_SUITE_P(Engines, TablesConcurrency, AllEngines(), NameOfEngine);

}  // namespace
}  // namespace mayfly

// Goal: the cost of a call depends on its items and not on the size of the table.
// Method: an engine that counts; tables with many other items.
#include "core/new_database.h"
#include "engine/memory/memory_engine.h"
#include "tables/tables_home.h"
#include "tests/core/counting_engine.h"

namespace mayfly {
namespace {

constexpr int kItems = 500;

class TableCosts : public ::testing::Test {
 protected:
  TableCosts()
      : costs_(std::make_shared<EngineCosts>()),
        database_(
            *core::NewDatabase(std::make_unique<CountingEngine>(engine::NewMemoryEngine(), costs_),
                               {.clock = &clock_})),
        tables_(*Tables::Open(*database_)) {}

  void Put(const std::string& table, const Item& item) {
    ASSERT_TRUE(tables_->PutItem({.table = table, .item = item}).has_value());
  }

  // What a call costs.
  template <typename Call>
  EngineCosts CostOf(const Call& call) {
    *costs_ = {};
    call();
    return *costs_;
  }

  ManualClock clock_{kStart};
  const std::shared_ptr<EngineCosts> costs_;  // Shared with the engine.
  const std::unique_ptr<Database> database_;
  const std::unique_ptr<Tables> tables_;
};

Item File(const std::string& disk, const std::string& path) {
  return {{"id", disk}, {"path", path}};
}

TEST_F(TableCosts, ListsSeekFromOneToTheNext) {
  TableSpec spec = PlainSpec("files");
  spec.sort = KeyAttribute{"path", KeyType::kString};
  ASSERT_TRUE(tables_->CreateTable(spec).has_value());
  for (int i = 0; i < kItems; ++i) {
    Put("files", File("c", "a/" + std::to_string(i)));
    Put("files", File("d", "b/" + std::to_string(i)));
  }
  const EngineCosts partitions =
      CostOf([&] { EXPECT_EQ(tables_->ListPartitionKeys("files")->size(), 2U); });
  EXPECT_LE(partitions.cursor_moves, 4U);
  const EngineCosts prefixes =
      CostOf([&] { EXPECT_EQ(tables_->ListSortKeyPrefixes("files", "c", "/")->size(), 1U); });
  EXPECT_LE(prefixes.cursor_moves, 2U);
}

TEST_F(TableCosts, AnItemDoesNotPayForOtherTablesNorOtherItems) {
  ASSERT_TRUE(tables_->CreateTable(PlainSpec("one")).has_value());
  const auto cost = [&](const std::string& id) {
    const EngineCosts put = CostOf([&] { Put("one", {{"id", id}}); });
    const EngineCosts get = CostOf([&] {
      EXPECT_TRUE(tables_->GetItem({.table = "one", .key = {{"id", id}}})->item.has_value());
    });
    return put.gets + put.cursor_moves + put.changes + get.gets + get.cursor_moves;
  };
  cost("first of all");  // Warms up caches.
  const std::uint64_t alone = cost("a");
  for (int i = 0; i < 50; ++i) {
    const std::string other = "other" + std::to_string(i);
    ASSERT_TRUE(tables_->CreateTable(PlainSpec(other)).has_value());
    for (int j = 0; j < 10; ++j) Put(other, {{"id", std::to_string(j)}});
  }
  for (int i = 0; i < kItems; ++i) Put("one", {{"id", std::to_string(i)}});
  EXPECT_LE(cost("b"), alone);
}

TEST_F(TableCosts, APageReadsItsItemsAlone) {
  ASSERT_TRUE(tables_->CreateTable(PostsSpec()).has_value());
  for (int i = 0; i < kItems; ++i) {
    Put("posts", {{"user", "a"}, {"nr", N(i)}, {"topic", "t"}, {"score", N(i)}});
  }
  QueryRequest request = {
      .table = "posts",
      .key_condition = "#u = :u AND nr > :n",
      .arguments = {.names = {{"#u", "user"}}, .values = {{":u", "a"}, {":n", N(kItems / 2)}}},
      .limit = 3};
  for (const bool forward : {true, false}) {
    request.forward = forward;
    const EngineCosts costs = CostOf([&] { EXPECT_EQ(tables_->Query(request)->count, 3U); });
    EXPECT_LE(costs.cursor_moves, 4U);
  }
  const EngineCosts get = CostOf([&] {
    EXPECT_TRUE(tables_->GetItem({.table = "posts", .key = {{"user", "a"}, {"nr", N(7)}}})
                    ->item.has_value());
  });
  EXPECT_EQ(get.gets, 1U);
  EXPECT_EQ(get.cursor_moves, 0U);
}

TEST_F(TableCosts, AnUpdateLeavesIndexesAloneThatItDoesNotConcern) {
  ASSERT_TRUE(tables_->CreateTable(PostsSpec()).has_value());
  Put("posts", {{"user", "a"}, {"nr", N(1)}, {"topic", "t"}, {"score", N(1)}});
  const auto update = [&](const std::string& attribute, std::int64_t to) {
    return CostOf([&] {
             EXPECT_TRUE(tables_
                             ->UpdateItem({.table = "posts",
                                           .key = {{"user", "a"}, {"nr", N(1)}},
                                           .update = "SET " + attribute + " = :to",
                                           .arguments = {.values = {{":to", N(to)}}}})
                             .has_value());
           })
        .changes;
  };
  update("likes", 1);
  const std::uint64_t other = update("likes", 2);
  const std::uint64_t moved = update("score", 2);
  EXPECT_EQ(other, 1U) << "the item's row";
  EXPECT_GE(moved, other + 4) << "two entries go, two come";
}

}  // namespace
}  // namespace mayfly

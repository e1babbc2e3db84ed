// Goal: writes applied together have the same outcomes and effects as one after the other, and
// share their commits. Method: on each engine, a manual clock; then on an engine that counts
// commits and can refuse them.
#include "core/new_database.h"
#include "engine/memory/memory_engine.h"
#include "tables/protocol_tables.h"
#include "tables/schema/item_limits.h"
#include "tables/tables_home.h"
#include "tests/core/counting_engine.h"
#include "tests/engine/forwarding_engine.h"

namespace mayfly {
namespace {

using tables::ItemWrite;
using Writes = std::vector<ItemWrite>;
using Outcomes = std::vector<Result<WriteOutcome>>;

Item Key(const std::string& id) { return {{"id", id}}; }
Item Of(const std::string& id, std::int64_t n) { return {{"id", id}, {"n", N(n)}}; }
PutItemRequest PutOf(const Item& item, const std::string& table = "plain") {
  return {.table = table, .item = item};
}
PutItemRequest PutNew(const Item& item) {
  return {.table = "plain", .item = item, .condition = "attribute_not_exists(id)"};
}
UpdateItemRequest AddOne(const std::string& id, ReturnValues shown = ReturnValues::kNone) {
  return {.table = "plain",
          .key = Key(id),
          .update = "ADD n :one",
          .arguments = {.values = {{":one", N(1)}}},
          .return_values = shown};
}

class WritesTogether : public EachTables {
 protected:
  WritesTogether() { Make(PlainSpec()); }

  // All of them, in as many calls as it takes.
  Outcomes All(const Writes& writes) {
    Outcomes all;
    calls_ = 0;
    while (all.size() < writes.size()) {
      ++calls_;
      Outcomes some = tables().WritePrefix(std::span(writes).subspan(all.size()));
      EXPECT_FALSE(some.empty());
      if (some.empty()) break;
      for (auto& outcome : some) all.push_back(std::move(outcome));
    }
    return all;
  }

  std::optional<Item> Plain(const std::string& id) { return Get("plain", Key(id)); }

  int calls_ = 0;
};

TEST_P(WritesTogether, OfNothingAreNothing) { EXPECT_TRUE(tables().WritePrefix({}).empty()); }

TEST_P(WritesTogether, SeeTheOnesBefore) {
  const Outcomes outcomes = All({PutOf(Of("1", 5)), AddOne("1", ReturnValues::kAllNew),
                                 PutNew(Of("1", 0)), DeleteItemRequest{"plain", Key("1")},
                                 PutNew(Of("1", 9)), AddOne("1", ReturnValues::kAllOld)});
  ASSERT_EQ(outcomes.size(), 6U);
  EXPECT_EQ(outcomes[1]->attributes, Of("1", 6));
  EXPECT_FALSE(outcomes[2]->written);
  EXPECT_TRUE(outcomes[4]->written);
  EXPECT_EQ(outcomes[5]->attributes, Of("1", 9));
  EXPECT_EQ(Plain("1"), Of("1", 10));
  EXPECT_LT(outcomes[0]->version, outcomes[1]->version);
  EXPECT_LT(outcomes[1]->version, outcomes[4]->version);
}

TEST_P(WritesTogether, FailByThemselves) {
  Put("plain", Of("there", 1));
  UpdateItemRequest no_sum = AddOne("text");
  Put("plain", {{"id", "text"}, {"n", "no"}});
  PutItemRequest no_condition = PutOf(Of("3", 3));
  no_condition.condition = "nonsense(";
  PutItemRequest shown = PutNew(Of("there", 2));
  shown.on_failure = OnFailure::kAllOld;
  const Outcomes outcomes = All({PutOf(Of("1", 1)), PutOf(Of("2", 2), "nowhere"), no_condition,
                                 PutOf({{"n", N(1)}}), no_sum, shown, PutOf(Of("4", 4))});
  ASSERT_EQ(outcomes.size(), 7U);
  EXPECT_TRUE(outcomes[0].has_value());
  EXPECT_EQ(CodeOf(outcomes[1]), StatusCode::kNotFound);
  EXPECT_EQ(CodeOf(outcomes[2]), kInvalid);
  EXPECT_EQ(CodeOf(outcomes[3]), kInvalid);
  EXPECT_EQ(CodeOf(outcomes[4]), kInvalid);
  EXPECT_FALSE(outcomes[5]->written);
  EXPECT_EQ(outcomes[5]->attributes, Of("there", 1));
  EXPECT_TRUE(outcomes[6].has_value());
  EXPECT_EQ(Plain("1"), Of("1", 1));
  EXPECT_EQ(Plain("4"), Of("4", 4));
  EXPECT_EQ(Plain("there"), Of("there", 1));
}

TEST_P(WritesTogether, OfOtherTablesKeepTheirIndexesAndStreams) {
  TableSpec posts = PostsSpec();
  posts.stream = StreamView::kNewAndOldImages;
  Make(posts);
  const auto post = [](std::int64_t nr, std::int64_t score) {
    // clang-format off
    return Item{
        {"user",  "alice"},
        {"nr",    N(nr)},
        {"topic", "cats"},
        {"score", N(score)}
    };
    // clang-format on
  };
  const Outcomes outcomes =
      All({PutOf(Of("1", 1)), PutOf(post(1, 1), "posts"), PutOf(post(2, 2), "posts"),
           PutOf(Of("2", 2)), PutOf(post(1, 3), "posts")});
  for (const auto& outcome : outcomes) EXPECT_TRUE(outcome.has_value());
  const auto topics = QueryAll({.table = "posts",
                                .index = "by_topic",
                                .key_condition = "topic = :t",
                                .arguments = {.values = {{":t", "cats"}}}});
  EXPECT_EQ(topics.size(), 2U);
  const auto stream = tables().ListStreams("posts").value().at(0);
  EXPECT_EQ(AllRecords(tables(), "posts", stream.label)->size(), 3U);
  EXPECT_EQ(Plain("2"), Of("2", 2));
}

// At each instant around the death of an item: only its existence counts, and a dead item does not
// exist for a write.
TEST_P(WritesTogether, GoByTheLaw) {
  Item mortal = Of("1", 5);
  mortal["expires"] = SecondsAfterStart(10);
  Item late = Of("2", 5);
  late["expires"] = SecondsAfterStart(0);
  for (const Millis before : {Millis(1), Millis(0)}) {
    Put("plain", mortal);
    clock().Advance(kStart + std::chrono::seconds(10) - before - clock().Now());
    const bool lives = before > Millis(0);
    const Outcomes outcomes = All(
        {PutNew(Of("1", 0)), AddOne("1", ReturnValues::kAllNew), PutOf(late), PutNew(Of("2", 7))});
    EXPECT_EQ(outcomes[0]->written, !lives);
    EXPECT_EQ(outcomes[1]->attributes->at("n"), AttributeValue(N(lives ? 6 : 1)));
    EXPECT_EQ(outcomes[2]->version, 0U) << "born dead";
    EXPECT_TRUE(outcomes[3]->written);
    ASSERT_TRUE(tables().DeleteItem({"plain", Key("2")}).has_value());
  }
}

TEST_P(WritesTogether, EndWhereTheItemsToShowGrowLarge) {
  const std::string large(300'000, 'x');
  Writes writes;
  for (int i = 0; i < 10; ++i) {
    Item item = Of(std::to_string(i), i);
    item["text"] = large;
    Put("plain", item);
    writes.emplace_back(AddOne(std::to_string(i), ReturnValues::kAllNew));
  }
  const Outcomes outcomes = All(writes);
  ASSERT_EQ(outcomes.size(), 10U);
  EXPECT_EQ(calls_, 3) << "four items pass a megabyte";
  for (int i = 0; i < 10; ++i) {
    EXPECT_EQ(outcomes[static_cast<std::size_t>(i)]->attributes->at("n"), AttributeValue(N(i + 1)));
  }
}

INSTANTIATE_TEST_SUITE_P(Engines, WritesTogether, AllEngines(), NameOfEngine);

// Refuses commits while `refuses` is set.
class RefusingEngine final : public engine::suite::ForwardingEngine {
 public:
  explicit RefusingEngine(const bool& refuses)
      : ForwardingEngine(engine::NewMemoryEngine()), refuses_(refuses) {}

 private:
  Status DoCommit(const engine::Batch& batch, Durability durability) override {
    if (refuses_) return Status::IoError("the disk is full");
    return ForwardingEngine::DoCommit(batch, durability);
  }

  const bool& refuses_;
};

TEST(WritesTogetherCosts, ShareACommit) {
  ManualClock clock{kStart};
  const auto costs = std::make_shared<EngineCosts>();
  const auto database = *core::NewDatabase(
      std::make_unique<CountingEngine>(engine::NewMemoryEngine(), costs), {.clock = &clock});
  const auto opened = *tables::ProtocolTables::Open(*database);
  ASSERT_TRUE(opened->CreateTable(PlainSpec()).has_value());
  Writes writes;
  for (std::size_t i = 0; i < tables::kWritesTogetherMax + 1; ++i) {
    writes.emplace_back(PutOf(Of(std::to_string(i), 1)));
  }
  *costs = {};
  EXPECT_EQ(opened->WritePrefix(writes).size(), tables::kWritesTogetherMax);
  EXPECT_EQ(costs->commits, 1U);
  *costs = {};
  EXPECT_TRUE(opened
                  ->BatchWriteItem(
                      {PutOf(Of("1", 2)), PutOf(Of("2", 2)), DeleteItemRequest{"plain", Key("3")}})
                  .has_value());
  EXPECT_EQ(costs->commits, 1U);
}

TEST(WritesTogetherCosts, AllFailWithTheirCommit) {
  ManualClock clock{kStart};
  bool refuses = false;
  const auto database =
      *core::NewDatabase(std::make_unique<RefusingEngine>(refuses), {.clock = &clock});
  const auto opened = *tables::ProtocolTables::Open(*database);
  ASSERT_TRUE(opened->CreateTable(PlainSpec()).has_value());
  ASSERT_TRUE(opened->PutItem(PutOf(Of("2", 1))).has_value());
  refuses = true;
  // The condition of the second one does not hold because of the first.
  const Outcomes outcomes =
      opened->WritePrefix(Writes{PutOf(Of("1", 1)), PutNew(Of("1", 2)), AddOne("2")});
  ASSERT_EQ(outcomes.size(), 3U);
  for (const auto& outcome : outcomes) EXPECT_EQ(CodeOf(outcome), StatusCode::kIoError);
  refuses = false;
  EXPECT_EQ(opened->GetItem({.table = "plain", .key = Key("1")})->item, std::nullopt);
  EXPECT_EQ(opened->GetItem({.table = "plain", .key = Key("2")})->item, Of("2", 1));
}

}  // namespace
}  // namespace mayfly

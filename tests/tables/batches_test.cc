// Goal: batches and transactions of reads and writes. Method: on each engine, a manual clock.
#include "tables/tables_home.h"

namespace mayfly {
namespace {

class TableBatches : public EachTables {
 protected:
  TableBatches() {
    Make(PlainSpec("a_table"));
    Make(PlainSpec("b_table"));
  }

  static Item Key(const std::string& id) { return {{"id", id}}; }
  static Item Of(const std::string& id, std::int64_t n) { return {{"id", id}, {"n", N(n)}}; }
  static PutItemRequest PutOf(const std::string& table, const Item& item) {
    return {.table = table, .item = item};
  }
  static DeleteItemRequest DeleteOf(const std::string& table, const std::string& id) {
    return {.table = table, .key = Key(id)};
  }
  std::optional<Item> A(const std::string& id) { return Get("a_table", Key(id)); }
};

TEST_P(TableBatches, WritesReachSeveralTables) {
  Put("b_table", Of("old", 1));
  const auto done = tables().BatchWriteItem(
      {PutOf("b_table", Of("1", 1)), PutOf("a_table", Of("1", 2)), DeleteOf("b_table", "old")});
  ASSERT_TRUE(done.has_value()) << done.status().ToString();
  EXPECT_EQ(done->size(), 3U);
  EXPECT_EQ(A("1"), Of("1", 2));
  EXPECT_EQ(Get("b_table", Key("1")), Of("1", 1));
  EXPECT_EQ(Get("b_table", Key("old")), std::nullopt);
}

TEST_P(TableBatches, OfWritesHaveBounds) {
  EXPECT_EQ(CodeOf(tables().BatchWriteItem({})), kInvalid);
  EXPECT_EQ(
      MessageOf(tables().BatchWriteItem({PutOf("a_table", Of("1", 1)), DeleteOf("a_table", "1")})),
      "Provided list of item keys contains duplicates");
  std::vector<std::variant<PutItemRequest, DeleteItemRequest>> many;
  for (int i = 0; i < 26; ++i) many.emplace_back(PutOf("a_table", Of(std::to_string(i), i)));
  EXPECT_EQ(MessageOf(tables().BatchWriteItem(many)),
            "Too many items requested for the BatchWriteItem call");
  many.pop_back();
  EXPECT_TRUE(tables().BatchWriteItem(many).has_value());
  PutItemRequest conditional = PutOf("a_table", Of("1", 1));
  conditional.condition = "attribute_exists(n)";
  EXPECT_EQ(CodeOf(tables().BatchWriteItem({conditional})), kInvalid);
}

TEST_P(TableBatches, AreRefusedWhole) {
  EXPECT_EQ(CodeOf(tables().BatchWriteItem(
                {PutOf("a_table", Of("1", 1)), PutOf("a_table", {{"n", N(1)}})})),
            kInvalid);
  EXPECT_EQ(A("1"), std::nullopt);
}

TEST_P(TableBatches, ReadsAnswerInOrder) {
  Put("a_table", Of("1", 1));
  Put("b_table", Of("1", 2));
  // clang-format off
  const auto found = tables().BatchGetItem({
      {.table = "b_table", .key = Key("1")},
      {.table = "a_table", .key = Key("none")},
      {.table = "a_table", .key = Key("1")}
  });
  // clang-format on
  ASSERT_TRUE(found.has_value()) << found.status().ToString();
  ASSERT_EQ(found->size(), 3U);
  EXPECT_EQ((*found)[0].item, Of("1", 2));
  EXPECT_EQ((*found)[1].item, std::nullopt);
  EXPECT_EQ((*found)[1].version, 0U);
  EXPECT_EQ((*found)[2].item, Of("1", 1));
  EXPECT_EQ((*found)[2].bytes, 2U + 1 + 1 + 2);
}

TEST_P(TableBatches, OfReadsHaveBounds) {
  EXPECT_EQ(MessageOf(tables().BatchGetItem(
                {{.table = "a_table", .key = Key("1")}, {.table = "a_table", .key = Key("1")}})),
            "Provided list of item keys contains duplicates");
  EXPECT_EQ(MessageOf(tables().TransactGetItems(
                {{.table = "a_table", .key = Key("1")}, {.table = "a_table", .key = Key("1")}})),
            "Transaction request cannot include multiple operations on one item");
  std::vector<GetItemRequest> many;
  for (int i = 0; i < 101; ++i) {
    many.push_back({.table = "a_table", .key = Key(std::to_string(i))});
  }
  EXPECT_EQ(CodeOf(tables().BatchGetItem(many)), kInvalid);
  EXPECT_EQ(CodeOf(tables().TransactGetItems(many)), kInvalid);
  many.pop_back();
  EXPECT_TRUE(tables().BatchGetItem(many).has_value());
  EXPECT_EQ(tables().TransactGetItems(many).value().size(), 100U);
}

TEST_P(TableBatches, ATransactionWritesAllOrNothing) {
  Put("a_table", Of("1", 1));
  const UpdateItemRequest update = {.table = "b_table",
                                    .key = Key("1"),
                                    .update = "SET n = :n",
                                    .arguments = {.values = {{":n", N(9)}}}};
  const ConditionCheck check = {.table = "a_table",
                                .key = Key("1"),
                                .condition = "n = :n",
                                .arguments = {.values = {{":n", N(1)}}},
                                .on_failure = OnFailure::kAllOld};
  const auto done =
      tables().TransactWriteItems({{check}, {update}, {PutOf("a_table", Of("2", 2))}});
  ASSERT_TRUE(done.has_value()) << done.status().ToString();
  EXPECT_TRUE(done->written);
  EXPECT_EQ(done->verdicts.size(), 3U);
  EXPECT_EQ(Get("b_table", Key("1")), Of("1", 9));

  Put("a_table", Of("1", 5));
  UpdateItemRequest wrong = update;
  wrong.update = "ADD id2 :n, n :n";
  wrong.arguments.values = {{":n", N(1)}};
  Put("b_table", {{"id", "1"}, {"n", "text"}});
  const auto refused = tables().TransactWriteItems({{check}, {wrong}, {DeleteOf("a_table", "2")}});
  ASSERT_TRUE(refused.has_value()) << refused.status().ToString();
  EXPECT_FALSE(refused->written);
  using Reason = TransactOutcome::Reason;
  EXPECT_EQ(refused->verdicts[0].reason, Reason::kConditionFailed);
  EXPECT_EQ(refused->verdicts[0].message, "The conditional request failed");
  EXPECT_EQ(refused->verdicts[0].item, Of("1", 5));
  EXPECT_EQ(refused->verdicts[1].reason, Reason::kInvalid);
  EXPECT_FALSE(refused->verdicts[1].message.empty());
  EXPECT_EQ(refused->verdicts[2].reason, Reason::kNone);
  EXPECT_EQ(A("2"), Of("2", 2)) << "nothing was written";
}

TEST_P(TableBatches, ATransactionHasEachItemOnce) {
  EXPECT_EQ(MessageOf(tables().TransactWriteItems(
                {{PutOf("a_table", Of("1", 1))}, {DeleteOf("a_table", "1")}})),
            "Transaction request cannot include multiple operations on one item");
  EXPECT_EQ(CodeOf(tables().TransactWriteItems({})), kInvalid);
  EXPECT_EQ(CodeOf(tables().TransactWriteItems(
                {{ConditionCheck{.table = "a_table", .key = Key("1"), .condition = ""}}})),
            kInvalid);
}

TEST_P(TableBatches, ATransactionHasFourMegabytesAtMost) {
  constexpr std::size_t kRest = 4;  // Of an item: two names and the key.
  const auto put_of = [](const std::string& id, std::size_t bytes) {
    return PutOf("a_table", {{"id", id}, {"b", std::string(bytes - kRest, 'x')}});
  };
  std::vector<TransactWrite> writes;
  std::vector<GetItemRequest> reads;
  for (char id = 'a'; id < 'k'; ++id) {
    writes.push_back({put_of(std::string(1, id), 400'000)});
    reads.push_back({.table = "a_table", .key = Key(std::string(1, id))});
  }
  writes.push_back({put_of("k", 194'305)});
  reads.push_back({.table = "a_table", .key = Key("k")});
  const std::string refusal =
      "The aggregate size of the items in the transaction cannot exceed 4 MB";
  for (const char* token : {"", "token"}) {
    EXPECT_EQ(MessageOf(tables().TransactWriteItems(writes, token)), refusal);
    EXPECT_EQ(A("a"), std::nullopt) << "something was written";
  }
  writes.back() = {put_of("k", 194'304)};
  ASSERT_TRUE(tables().TransactWriteItems(writes, "token").has_value()) << "a token of nothing";
  EXPECT_TRUE(tables().TransactGetItems(reads).has_value());
  Put("a_table", put_of("k", 194'305).item);
  EXPECT_EQ(MessageOf(tables().TransactGetItems(reads)), refusal);
  EXPECT_TRUE(tables().BatchGetItem(reads).has_value()) << "no transaction";
  std::vector<TransactWrite> deletes;
  for (const GetItemRequest& read : reads) {
    deletes.push_back({DeleteItemRequest{.table = "a_table", .key = read.key}});
  }
  EXPECT_EQ(MessageOf(tables().TransactWriteItems(deletes)), refusal);
  deletes.pop_back();
  EXPECT_TRUE(tables().TransactWriteItems(deletes).has_value());
}

TEST_P(TableBatches, ATokenIsGoodForOneTransaction) {
  const UpdateItemRequest add = {.table = "a_table",
                                 .key = Key("1"),
                                 .update = "ADD n :one",
                                 .arguments = {.values = {{":one", N(1)}}}};
  const auto first = tables().TransactWriteItems({{add}}, "token");
  const auto again = tables().TransactWriteItems({{add}}, "token");
  ASSERT_TRUE(first.has_value() && again.has_value());
  EXPECT_TRUE(again->written);
  EXPECT_EQ(again->bytes, first->bytes);
  EXPECT_EQ(again->verdicts.size(), 1U);
  EXPECT_EQ(A("1"), Of("1", 1)) << "counted once";
  UpdateItemRequest other = add;
  other.arguments.values = {{":one", N(2)}};
  EXPECT_EQ(CodeOf(tables().TransactWriteItems({{other}}, "token")), kConflict);
  clock().Advance(std::chrono::minutes(10) - Millis(1));
  ASSERT_TRUE(tables().TransactWriteItems({{add}}, "token").has_value());
  EXPECT_EQ(A("1"), Of("1", 1));
  clock().Advance(Millis(1));
  ASSERT_TRUE(tables().TransactWriteItems({{other}}, "token").has_value());
  EXPECT_EQ(A("1"), Of("1", 3)) << "ten minutes are over";
  EXPECT_EQ(CodeOf(tables().TransactWriteItems({{add}}, std::string(37, 't'))), kInvalid);
}

TEST_P(TableBatches, ATokenOfWhatFailedIsFree) {
  PutItemRequest put = PutOf("a_table", Of("1", 1));
  put.condition = "attribute_exists(n)";
  EXPECT_FALSE(tables().TransactWriteItems({{put}}, "token")->written);
  Put("a_table", Of("1", 7));
  EXPECT_TRUE(tables().TransactWriteItems({{put}}, "token")->written);
  EXPECT_EQ(A("1"), Of("1", 1));
}

INSTANTIATE_TEST_SUITE_P(Engines, TableBatches, AllEngines(), NameOfEngine);

}  // namespace
}  // namespace mayfly

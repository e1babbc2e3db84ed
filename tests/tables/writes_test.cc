// Goal: PutItem, UpdateItem, DeleteItem and GetItem behave as DynamoDB's, and dead items do not
// exist for any of them. Method: a table with both kinds of index on each engine, a manual clock.
#include "tables/tables_home.h"

namespace mayfly {
namespace {

class TableWrites : public EachTables {
 protected:
  TableWrites() { Make(PostsSpec()); }

  static Item Key(std::int64_t at = 1) { return {{"user", "alice"}, {"nr", N(at)}}; }
  static Item Post(const Item& more = {}) {
    Item item = Key();
    for (const auto& [name, value] : more) item[name] = value;
    return item;
  }
};

TEST_P(TableWrites, APutIsFoundAndReplaced) {
  EXPECT_EQ(Get("posts", Key()), std::nullopt);
  Put("posts", Post({{"title", "one"}, {"x", N(1)}}));
  EXPECT_EQ(Get("posts", Key()), Post({{"title", "one"}, {"x", N(1)}}));
  const auto again = tables().PutItem(
      {.table = "posts", .item = Post({{"title", "two"}}), .return_values = ReturnValues::kAllOld});
  EXPECT_EQ(again.value().attributes, Post({{"title", "one"}, {"x", N(1)}}));
  EXPECT_EQ(Get("posts", Key()), Post({{"title", "two"}}));
}

TEST_P(TableWrites, RefusesReturnValuesThatMeanNothing) {
  EXPECT_EQ(MessageOf(tables().PutItem(
                {.table = "posts", .item = Post(), .return_values = ReturnValues::kAllNew})),
            "ReturnValues can only be ALL_OLD or NONE");
  EXPECT_EQ(CodeOf(tables().DeleteItem(
                {.table = "posts", .key = Key(), .return_values = ReturnValues::kUpdatedOld})),
            kInvalid);
}

TEST_P(TableWrites, NamesATableThatIsNotThere) {
  EXPECT_EQ(CodeOf(tables().PutItem({.table = "ghosts", .item = Post()})), kNotFound);
  EXPECT_EQ(CodeOf(tables().GetItem({.table = "ghosts", .key = Key()})), kNotFound);
  const ExpressionArguments arguments = {.names = {}, .values = {{":a", AttributeValue("x")}}};
  EXPECT_EQ(CodeOf(tables().Query(
                {.table = "ghosts", .key_condition = "a = :a", .arguments = arguments})),
            kNotFound);
}

TEST_P(TableWrites, LooksAtARequestBeforeItLooksForTheTable) {
  EXPECT_EQ(CodeOf(tables().PutItem({.table = "ghosts", .item = Post(), .condition = "a ="})),
            kInvalid);
  EXPECT_EQ(CodeOf(tables().UpdateItem({.table = "ghosts", .key = Key(), .update = "SET"})),
            kInvalid);
  EXPECT_EQ(CodeOf(tables().GetItem({.table = "ghosts", .key = Key(), .projection = "a,"})),
            kInvalid);
  EXPECT_EQ(CodeOf(tables().Query({.table = "ghosts", .key_condition = "a = :a"})), kInvalid);
  EXPECT_EQ(CodeOf(tables().Scan({.table = "ghosts", .filter = "a ="})), kInvalid);
  EXPECT_EQ(CodeOf(tables().TransactWriteItems(
                {{PutItemRequest{.table = "ghosts", .item = Post()}},
                 {DeleteItemRequest{.table = "ghosts", .key = Key(), .condition = "a ="}}})),
            kInvalid);
}

TEST_P(TableWrites, AConditionDecides) {
  const auto put = [&](const std::string& condition) {
    return tables().PutItem({.table = "posts",
                             .item = Post({{"title", condition}}),
                             .condition = condition,
                             .on_failure = OnFailure::kAllOld});
  };
  EXPECT_FALSE(put("attribute_exists(#u)").has_value()) << "the placeholder is not defined";
  EXPECT_FALSE(put("attribute_exists(title)")->written);
  EXPECT_EQ(Get("posts", Key()), std::nullopt);
  EXPECT_TRUE(put("attribute_not_exists(title)")->written);
  const auto refused = put("attribute_not_exists(title)");
  EXPECT_FALSE(refused->written);
  EXPECT_EQ(refused->attributes, Post({{"title", "attribute_not_exists(title)"}}));
}

TEST_P(TableWrites, ArgumentsThatNothingUsesAreInvalid) {
  EXPECT_EQ(CodeOf(tables().PutItem({.table = "posts",
                                     .item = Post(),
                                     .condition = "attribute_not_exists(title)",
                                     .arguments = {.values = {{":x", N(1)}}}})),
            kInvalid);
  EXPECT_EQ(CodeOf(tables().PutItem(
                {.table = "posts", .item = Post(), .arguments = {.values = {{":x", N(1)}}}})),
            kInvalid);
}

TEST_P(TableWrites, VersionsGrowAndGuard) {
  const auto first = tables().PutItem({.table = "posts", .item = Post(), .expected_version = 0});
  ASSERT_TRUE(first->written);
  EXPECT_GT(first->version, 0U);
  EXPECT_EQ(tables().GetItem({.table = "posts", .key = Key()})->version, first->version);
  EXPECT_FALSE(
      tables().PutItem({.table = "posts", .item = Post(), .expected_version = 0})->written);
  const auto second =
      tables().PutItem({.table = "posts", .item = Post(), .expected_version = first->version});
  ASSERT_TRUE(second->written);
  EXPECT_GT(second->version, first->version) << "within one millisecond";
  const auto stale =
      tables().DeleteItem({.table = "posts", .key = Key(), .expected_version = first->version});
  EXPECT_FALSE(stale->written);
  EXPECT_EQ(stale->version, second->version);
  ASSERT_TRUE(tables()
                  .DeleteItem({.table = "posts", .key = Key(), .expected_version = second->version})
                  ->written);
  EXPECT_GT(tables().PutItem({.table = "posts", .item = Post()})->version, second->version)
      << "though the item was gone in between, and within the millisecond";
}

// Versions of deleted items count, too, and those of earlier runs.
TEST_P(TableWrites, VersionsGrowThoughTimeIsTakenBack) {
  const WallTime right = home_.clock().Now();
  const auto put = [&] {
    const std::uint64_t version = tables().PutItem({.table = "posts", .item = Post()})->version;
    EXPECT_TRUE(tables().DeleteItem({.table = "posts", .key = Key()})->written);
    return version;
  };
  std::uint64_t last = put();
  const auto expect_larger = [&](const std::string& when) {
    const std::uint64_t next = put();
    EXPECT_GT(next, last) << when;
    last = std::max(last, next);
  };
  const auto reopen = [&] {
    if (!home_.persistent()) return;
    tables_.reset();
    home_.Reopen();
    OpenTables();
  };
  home_.clock().Set(right + std::chrono::hours(24 * 365));
  expect_larger("during a jump");
  reopen();
  home_.clock().Set(right + std::chrono::seconds(1));
  ASSERT_EQ(CodeOf(home_.database().RevertClock()), kOk);
  reopen();
  expect_larger("after it was taken back, though this run has given none before");
  for (int run = 0; run < 3; ++run) {
    reopen();
    expect_larger("in a later run");
    home_.clock().Advance(Millis(1));
  }
}

TEST_P(TableWrites, AnUpdateMakesTheItemOrChangesIt) {
  const auto made = tables().UpdateItem({.table = "posts",
                                         .key = Key(),
                                         .update = "SET title = :t ADD likes :one",
                                         .arguments = {.values = {{":t", "x"}, {":one", N(1)}}},
                                         .return_values = ReturnValues::kAllNew});
  EXPECT_EQ(made.value().attributes, Post({{"title", "x"}, {"likes", N(1)}}));
  const auto update = [&](ReturnValues return_values) {
    return tables()
        .UpdateItem({.table = "posts",
                     .key = Key(),
                     .update = "ADD likes :one",
                     .arguments = {.values = {{":one", N(1)}}},
                     .return_values = return_values})
        .value()
        .attributes;
  };
  EXPECT_EQ(update(ReturnValues::kUpdatedOld), (Item{{"likes", N(1)}}));
  EXPECT_EQ(update(ReturnValues::kUpdatedNew), (Item{{"likes", N(3)}}));
  EXPECT_EQ(update(ReturnValues::kAllOld), Post({{"title", "x"}, {"likes", N(3)}}));
  EXPECT_EQ(update(ReturnValues::kNone), std::nullopt);
  EXPECT_EQ(Get("posts", Key()), Post({{"title", "x"}, {"likes", N(5)}}));
}

TEST_P(TableWrites, AnUpdateWithoutAnExpressionMakesTheItem) {
  EXPECT_TRUE(tables().UpdateItem({.table = "posts", .key = Key()})->written);
  EXPECT_EQ(Get("posts", Key()), Key());
}

TEST_P(TableWrites, KeysAreNotUpdated) {
  EXPECT_EQ(MessageOf(tables().UpdateItem({.table = "posts",
                                           .key = Key(),
                                           .update = "SET nr = :n",
                                           .arguments = {.values = {{":n", N(1)}}}})),
            "One or more parameter values were invalid: Cannot update attribute nr. This attribute "
            "is part of the key");
}

TEST_P(TableWrites, AnUpdateThatDoesNotFitWritesNothing) {
  Put("posts", Post({{"title", "x"}}));
  const auto update = tables().UpdateItem({.table = "posts",
                                           .key = Key(),
                                           .update = "ADD title :one",
                                           .arguments = {.values = {{":one", N(1)}}}});
  EXPECT_EQ(CodeOf(update), kInvalid);
  EXPECT_EQ(Get("posts", Key()), Post({{"title", "x"}}));
}

TEST_P(TableWrites, ADeleteShowsWhatWasThere) {
  Put("posts", Post({{"title", "x"}}));
  const auto gone =
      tables().DeleteItem({.table = "posts", .key = Key(), .return_values = ReturnValues::kAllOld});
  EXPECT_EQ(gone.value().attributes, Post({{"title", "x"}}));
  EXPECT_EQ(Get("posts", Key()), std::nullopt);
  const auto nothing =
      tables().DeleteItem({.table = "posts", .key = Key(), .return_values = ReturnValues::kAllOld});
  EXPECT_TRUE(nothing->written);
  EXPECT_EQ(nothing->attributes, std::nullopt);
}

TEST_P(TableWrites, AGetShowsWhatIsAskedFor) {
  Put("posts", Post({{"title", "x"}, {"tags", AttributeValue::List{"a", "b"}}}));
  const auto found = tables().GetItem({.table = "posts",
                                       .key = Key(),
                                       .projection = "#t, tags[1]",
                                       .arguments = {.names = {{"#t", "title"}}}});
  EXPECT_EQ(found.value().item, (Item{{"title", "x"}, {"tags", AttributeValue::List{"b"}}}));
}

TEST_P(TableWrites, APutWhoseInstantHasPassedLeavesNoItem) {
  Put("posts", Post({{"topic", "t"}, {"score", N(1)}}));
  const auto put = tables().PutItem(
      {.table = "posts",
       .item = Post({{"topic", "t"}, {"score", N(1)}, {"expires", SecondsAfterStart(0)}})});
  EXPECT_TRUE(put->written);
  EXPECT_EQ(put->version, 0U);
  EXPECT_EQ(Get("posts", Key()), std::nullopt);
  EXPECT_TRUE(ScanAll({.table = "posts", .index = "by_topic"}).empty());
}

TEST_P(TableWrites, SchemasAreEnforced) {
  TableSpec spec = PlainSpec("users");
  spec.schemas = {{.prefix = "u#", .attributes = {{"name", AttributeType::kString, true}}}};
  Make(spec);
  EXPECT_EQ(CodeOf(tables().PutItem({.table = "users", .item = {{"id", "u#1"}}})), kInvalid);
  Put("users", {{"id", "u#1"}, {"name", "a"}});
  EXPECT_EQ(CodeOf(tables().UpdateItem({.table = "users",
                                        .key = {{"id", "u#1"}},
                                        .update = "REMOVE #n",
                                        .arguments = {.names = {{"#n", "name"}}}})),
            kInvalid);
  EXPECT_EQ(Get("users", {{"id", "u#1"}}), (Item{{"id", "u#1"}, {"name", "a"}}));
}

INSTANTIATE_TEST_SUITE_P(Engines, TableWrites, AllEngines(), NameOfEngine);

}  // namespace
}  // namespace mayfly

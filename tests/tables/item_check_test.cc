// Goal: which items a table accepts, and the errors for others.
// Method: tables made by hand, no database.
#include "tables/schema/item_check.h"

#include <gtest/gtest.h>

#include "tables/tables_home.h"

namespace mayfly::tables {
namespace {

Table Posts() {
  Table table;
  table.spec = PostsSpec();
  table.indexes.push_back({.spec = table.spec.global_indexes[0], .rows = nullptr});
  table.indexes.push_back({.spec = table.spec.local_indexes[0], .local = true, .rows = nullptr});
  return table;
}

Item Post(const Item& more = {}) {
  Item item = {{"user", "alice"}, {"nr", N(1)}};
  for (const auto& [name, value] : more) item[name] = value;
  return item;
}

AttributeValue Nested(int levels) {
  AttributeValue value = "leaf";
  for (int i = 0; i < levels; ++i) value = AttributeValue::List{value};
  return value;
}

TEST(ItemCheck, KnowsTheKeysOfIndexes) {
  EXPECT_TRUE(CheckNewItem(Posts(), Post({{"topic", "t"}, {"score", N(1)}})).ok());
  EXPECT_TRUE(CheckNewItem(Posts(), Post()).ok());
  EXPECT_EQ(
      MessageOf(CheckNewItem(Posts(), Post({{"topic", N(1)}}))),
      "One or more parameter values were invalid: Type mismatch for Index Key topic Expected: "
      "S Actual: N IndexName: by_topic");
  EXPECT_EQ(MessageOf(CheckNewItem(Posts(), Post({{"topic", ""}}))),
            "One or more parameter values are not valid. A value specified for a secondary index "
            "key is not supported. The AttributeValue for a key attribute cannot contain an empty "
            "string value. IndexName: by_topic, IndexKey: topic");
  EXPECT_EQ(CheckNewItem(Posts(), Post({{"topic", std::string(2049, 't')}})).code(), kInvalid);
}

TEST(ItemCheck, OfAnUpdateLooksAtWhatChanged) {
  EXPECT_EQ(MessageOf(CheckUpdatedItem(Posts(), Post(), Post({{"topic", N(1)}}))),
            "The update expression attempted to update the secondary index key to unsupported "
            "type");
  EXPECT_EQ(MessageOf(CheckUpdatedItem(Posts(), Post(), Post({{"topic", ""}}))),
            "One or more parameter values are not valid. The update expression attempted to update "
            "a secondary index key to a value that is not supported. The AttributeValue for a key "
            "attribute cannot contain an empty string value.");
  EXPECT_EQ(MessageOf(CheckUpdatedItem(Posts(), Post(), Post({{"topic", std::string(2049, 't')}}))),
            "The update expression attempted to update the secondary index key beyond allowed size "
            "limits");
  // Older than the index, and not changed by this update.
  EXPECT_TRUE(
      CheckUpdatedItem(Posts(), Post({{"topic", N(1)}}), Post({{"topic", N(1)}, {"title", "new"}}))
          .ok());
}

TEST(ItemCheck, BoundsSizeAndNesting) {
  // "user" and "alice", "nr" and 2 bytes, "x" and the rest.
  const std::size_t rest = 409'600 - 9 - 4 - 1;
  EXPECT_TRUE(CheckNewItem(Posts(), Post({{"x", std::string(rest, 'x')}})).ok());
  const Item large = Post({{"x", std::string(rest + 1, 'x')}});
  EXPECT_EQ(MessageOf(CheckNewItem(Posts(), large)),
            "Item size has exceeded the maximum allowed size");
  EXPECT_EQ(MessageOf(CheckUpdatedItem(Posts(), Post(), large)),
            "Item size to update has exceeded the maximum allowed size");
  EXPECT_TRUE(CheckForm(Post({{"x", Nested(32)}})).ok());
  EXPECT_EQ(MessageOf(CheckForm(Post({{"x", Nested(33)}}))),
            "Nesting Levels have exceeded supported limits: Attributes in the item have nested "
            "levels beyond supported limit");
}

TEST(ItemCheck, RefusesEmptySetsAndNames) {
  const AttributeValue hidden = AttributeValue::List{AttributeValue::NumberSet()};
  EXPECT_EQ(CheckForm(Post({{"x", AttributeValue::StringSet()}})).code(), kInvalid);
  EXPECT_EQ(CheckForm(Post({{"x", hidden}})).code(), kInvalid);
  EXPECT_EQ(CheckForm(Post({{"x", AttributeValue::BinarySet()}})).code(), kInvalid);
  EXPECT_EQ(CheckForm(Post({{"", "x"}})).code(), kInvalid);
}

Table WithSchemas() {
  PartitionSchema user = {.prefix = "user#", .attributes = {}, .only_these = true};
  user.attributes.push_back({.name = "name", .required = true});
  user.attributes.push_back({.name = "age", .type = AttributeType::kNumber});
  PartitionSchema root = {.prefix = "user#root", .attributes = {}};
  root.attributes.push_back({.name = "level", .type = AttributeType::kNumber, .required = true});
  Table table = Posts();
  table.spec.schemas = {user, root};
  return table;
}

Item User(const std::string& id, const Item& more) {
  Item item = Post(more);
  item["user"] = id;
  return item;
}

TEST(ItemSchema, CountsForItsPrefix) {
  const Table table = WithSchemas();
  EXPECT_TRUE(CheckSchema(table, User("user#1", {{"name", "a"}, {"age", N(1)}})).ok());
  EXPECT_TRUE(CheckSchema(table, User("user#1", {{"name", "a"}, {"expires", N(1)}})).ok());
  EXPECT_TRUE(CheckSchema(table, User("guest#1", {{"name", N(1)}})).ok());
  EXPECT_EQ(MessageOf(CheckSchema(table, User("user#1", {}))),
            "The item does not fit the schema of prefix 'user#': attribute name is missing");
  EXPECT_EQ(MessageOf(CheckSchema(table, User("user#1", {{"name", N(1)}}))),
            "The item does not fit the schema of prefix 'user#': attribute name must be of type S "
            "and is of type N");
  EXPECT_EQ(MessageOf(CheckSchema(table, User("user#1", {{"name", "a"}, {"x", N(1)}}))),
            "The item does not fit the schema of prefix 'user#': attribute x is not among those it "
            "allows");
}

TEST(ItemSchema, WithTheLongestPrefixWins) {
  EXPECT_TRUE(CheckSchema(WithSchemas(), User("user#root1", {{"level", N(1)}})).ok());
  EXPECT_EQ(CheckSchema(WithSchemas(), User("user#root1", {{"name", "a"}})).code(), kInvalid);
}

}  // namespace
}  // namespace mayfly::tables

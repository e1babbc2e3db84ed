// Goal: a table that DynamoDB would refuse is refused, with a message that names what is wrong.
// Method: one good table, and one change of it per line.
#include "tables/schema/table_check.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <functional>
#include <string>

namespace mayfly::tables {
namespace {

TableSpec Good() {
  return {.name = "abc",
          .partition = {"p", KeyType::kString},
          .sort = KeyAttribute{"s", KeyType::kNumber}};
}

IndexSpec GlobalIndex(const std::string& name) {
  return {.name = name, .partition = {"g", KeyType::kString}};
}

IndexSpec LocalIndex(const std::string& name) {
  return {.name = name,
          .partition = {"p", KeyType::kString},
          .sort = KeyAttribute{"l", KeyType::kString}};
}

// A good table, changed. No message: it is still good.
void Try(const char* about, const std::function<void(TableSpec&)>& change, const char* message) {
  TableSpec spec = Good();
  change(spec);
  const Status status = CheckTable(spec);
  if (*message == '\0') {
    EXPECT_TRUE(status.ok()) << about << ": " << status.ToString();
    return;
  }
  EXPECT_EQ(status.code(), StatusCode::kInvalid) << about;
  EXPECT_NE(status.message().find(message), std::string::npos) << about << ": " << status.message();
}

TEST(TableCheck, NamesWhatIsWrong) {
  Try(
      "nothing changed", [](TableSpec&) {}, "");
  Try(
      "short name", [](TableSpec& t) { t.name = "ab"; }, "at least 3 characters");
  Try(
      "longest name", [](TableSpec& t) { t.name = std::string(255, 'a'); }, "");
  Try(
      "long name", [](TableSpec& t) { t.name = std::string(256, 'a'); }, "at most 255");
  Try(
      "all kinds of bytes", [](TableSpec& t) { t.name = "aZ0_-."; }, "");
  Try(
      "a slash", [](TableSpec& t) { t.name = "a/b"; }, "'a/b' has other characters");
  Try(
      "no key", [](TableSpec& t) { t.partition.name = ""; }, "1 to 255 bytes");
  Try(
      "long key", [](TableSpec& t) { t.sort->name = std::string(256, 'k'); }, "1 to 255 bytes");
  Try(
      "one key twice", [](TableSpec& t) { t.sort->name = "p"; }, "have the same name");
  Try(
      "20 global indexes",
      [](TableSpec& t) {
        for (int i = 10; i < 30; ++i)
          t.global_indexes.push_back(GlobalIndex(fmt::format("g{}", i)));
      },
      "");
  Try(
      "21 global indexes",
      [](TableSpec& t) {
        for (int i = 10; i < 31; ++i)
          t.global_indexes.push_back(GlobalIndex(fmt::format("g{}", i)));
      },
      "limit of 20");
  Try(
      "5 local indexes",
      [](TableSpec& t) {
        for (int i = 0; i < 5; ++i) t.local_indexes.push_back(LocalIndex("l0" + std::to_string(i)));
      },
      "");
  Try(
      "6 local indexes",
      [](TableSpec& t) {
        for (int i = 0; i < 6; ++i) t.local_indexes.push_back(LocalIndex("l0" + std::to_string(i)));
      },
      "limit of 5");
  Try(
      "local without sort key of the table",
      [](TableSpec& t) {
        t.sort.reset();
        t.local_indexes = {LocalIndex("loc")};
      },
      "does not have a range key, which is required");
  Try(
      "local without sort key",
      [](TableSpec& t) {
        t.local_indexes = {LocalIndex("loc")};
        t.local_indexes[0].sort.reset();
      },
      "does not have a range key for index: loc");
  Try(
      "local with another partition key",
      [](TableSpec& t) {
        t.local_indexes = {LocalIndex("loc")};
        t.local_indexes[0].partition.name = "q";
      },
      "same leading hash key");
  Try(
      "one name for two indexes",
      [](TableSpec& t) {
        t.global_indexes = {GlobalIndex("idx")};
        t.local_indexes = {LocalIndex("idx")};
      },
      "Duplicate index name: idx");
  Try(
      "short index name", [](TableSpec& t) { t.global_indexes = {GlobalIndex("i")}; },
      "IndexName must be");
  Try(
      "a key of two types",
      [](TableSpec& t) {
        t.global_indexes = {GlobalIndex("idx")};
        t.global_indexes[0].sort = KeyAttribute{"p", KeyType::kNumber};
      },
      "p is given with two types");
  Try(
      "included nothing",
      [](TableSpec& t) {
        t.global_indexes = {GlobalIndex("idx")};
        t.global_indexes[0].projection.kind = IndexProjection::Kind::kInclude;
      },
      "ProjectionType is INCLUDE, but NonKeyAttributes is not specified");
  Try(
      "all and some",
      [](TableSpec& t) {
        t.global_indexes = {GlobalIndex("idx")};
        t.global_indexes[0].projection.attributes = {"a"};
      },
      "ProjectionType is ALL, but NonKeyAttributes is specified");
  Try(
      "long ttl attribute", [](TableSpec& t) { t.ttl_attribute = std::string(256, 't'); },
      "ttl attribute");
  Try(
      "schemas of numbers",
      [](TableSpec& t) {
        t.partition.type = KeyType::kNumber;
        t.schemas = {{.prefix = "a", .attributes = {}}};
      },
      "must be a string");
  Try(
      "two schemas for a prefix",
      [](TableSpec& t) {
        t.schemas = {{.prefix = "a", .attributes = {}}, {.prefix = "a", .attributes = {}}};
      },
      "two schemas have the prefix 'a'");
  Try(
      "a schema with an attribute twice",
      [](TableSpec& t) {
        t.schemas = {{.prefix = "a", .attributes = {{.name = "x"}, {.name = "x"}}}};
      },
      "'x' twice");
}

}  // namespace
}  // namespace mayfly::tables

#include "tables_workload.h"

#include <fmt/format.h>

#include "must.h"

namespace mayfly::bench {
namespace {

constexpr std::int64_t kFarAway = 4'000'000'000;  // Seconds; the items' instant.

std::string Partition(std::size_t i) { return fmt::format("p{:08}", i / kItemsPerPartition); }
std::string Sort(std::size_t i) { return fmt::format("s{:04}", i % kItemsPerPartition); }
std::string Text(std::size_t i) { return fmt::format("{:0>100}", i); }

std::string KeyJson(std::size_t i) {
  return fmt::format(R"("p":{{"S":"{}"}},"s":{{"S":"{}"}})", Partition(i), Sort(i));
}

Item KeyItem(std::size_t i) { return {{"p", Partition(i)}, {"s", Sort(i)}}; }

}  // namespace

TableSpec BenchTable() {
  return {.name = std::string(kBenchTable),
          .partition = {"p", KeyType::kString},
          .sort = KeyAttribute{"s", KeyType::kString},
          .ttl_attribute = "dies"};
}

std::string CreateTableBody() {
  return fmt::format(R"({{"TableName":"{}","BillingMode":"PAY_PER_REQUEST",)"
                     R"("AttributeDefinitions":[{{"AttributeName":"p","AttributeType":"S"}},)"
                     R"({{"AttributeName":"s","AttributeType":"S"}}],)"
                     R"("KeySchema":[{{"AttributeName":"p","KeyType":"HASH"}},)"
                     R"({{"AttributeName":"s","KeyType":"RANGE"}}]}})",
                     kBenchTable);
}

std::string RequestBody(TableOperation operation, std::size_t i) {
  switch (operation) {
    case TableOperation::kPut:
      return fmt::format(
          R"({{"TableName":"{}","Item":{{{},"name":{{"S":"item {}"}},"n":{{"N":"{}"}},)"
          R"("text":{{"S":"{}"}},"dies":{{"N":"{}"}}}}}})",
          kBenchTable, KeyJson(i), i, i, Text(i), kFarAway);
    case TableOperation::kGet:
      return fmt::format(R"({{"TableName":"{}","Key":{{{}}}}})", kBenchTable, KeyJson(i));
    case TableOperation::kUpdate:
      return fmt::format(R"({{"TableName":"{}","Key":{{{}}},"UpdateExpression":"SET n = n + :one",)"
                         R"("ExpressionAttributeValues":{{":one":{{"N":"1"}}}}}})",
                         kBenchTable, KeyJson(i));
    case TableOperation::kQuery: break;
  }
  return fmt::format(R"({{"TableName":"{}","KeyConditionExpression":"p = :p",)"
                     R"("ExpressionAttributeValues":{{":p":{{"S":"{}"}}}}}})",
                     kBenchTable, Partition(i));
}

void Do(Tables& tables, TableOperation operation, std::size_t i) {
  const std::string table(kBenchTable);
  switch (operation) {
    case TableOperation::kPut: {
      Item item = KeyItem(i);
      item["name"] = fmt::format("item {}", i);
      item["n"] = Number(static_cast<std::int64_t>(i));
      item["text"] = Text(i);
      item["dies"] = Number(kFarAway);
      Must(tables.PutItem({.table = table, .item = std::move(item)}));
      return;
    }
    case TableOperation::kGet:
      Must(Must(tables.GetItem({.table = table, .key = KeyItem(i)})).item.has_value(),
           "an item is missing");
      return;
    case TableOperation::kUpdate:
      Must(tables.UpdateItem({.table = table,
                              .key = KeyItem(i),
                              .update = "SET n = n + :one",
                              .arguments = {.values = {{":one", Number(1)}}}}));
      return;
    case TableOperation::kQuery:
      Must(Must(tables.Query({.table = table,
                              .key_condition = "p = :p",
                              .arguments = {.values = {{":p", Partition(i)}}}}))
                   .count == kItemsPerPartition,
           "a query found something else");
      return;
  }
}

}  // namespace mayfly::bench

// tables_workload.h - the operations of tables_bench, as library calls and as DynamoDB requests.
// A table with a partition key and a sort key: 100 items to a partition, each with a name, a
// counter, 100 bytes of text and an instant far away.
#pragma once

#include <array>
#include <cstddef>
#include <string>
#include <string_view>

#include "mayfly/tables.h"

namespace mayfly::bench {

inline constexpr std::size_t kBenchItems = 10'000;
inline constexpr std::size_t kItemsPerPartition = 100;
inline constexpr std::string_view kBenchTable = "bench";

enum class TableOperation : std::uint8_t { kPut, kGet, kUpdate, kQuery };

struct NamedOperation {
  TableOperation operation;
  std::string_view name;    // On the command line.
  std::string_view target;  // Of DynamoDB.
};

inline constexpr std::array<NamedOperation, 4> kTableOperations{
    {{TableOperation::kPut, "put", "PutItem"},
     {TableOperation::kGet, "get", "GetItem"},
     {TableOperation::kUpdate, "update", "UpdateItem"},
     {TableOperation::kQuery, "query", "Query"}}};

TableSpec BenchTable();

// The request about item number `i`, as JSON.
std::string RequestBody(TableOperation operation, std::size_t i);

std::string CreateTableBody();

// Makes the same request to the library. Ends the program when it fails.
void Do(Tables& tables, TableOperation operation, std::size_t i);

}  // namespace mayfly::bench

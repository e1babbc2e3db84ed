#include "cluster/tables/table_rules.h"

#include <algorithm>
#include <array>

#include "base/check.h"

namespace mayfly::cluster {
namespace {

constexpr std::string_view kStatements =
    "PartiQL is for a server alone; use the operations on items";
constexpr std::string_view kStreams = "streams of tables are for a server alone";
constexpr std::string_view kSweeps = "items go at their instant, and no sweep is needed";

// In the order of names.
// clang-format off
constexpr std::array kRules = std::to_array<TableRule>({
    {"BatchExecuteStatement",     TableReach::kRefused, kStatements},
    {"BatchGetItem",              TableReach::kBatchGet},
    {"BatchWriteItem",            TableReach::kBatchWrite},
    {"CreateTable",               TableReach::kChange},
    {"DeleteItem",                TableReach::kItem, "Key"},
    {"DeleteTable",               TableReach::kChange},
    {"DescribeContinuousBackups", TableReach::kHome},
    {"DescribeEndpoints",         TableReach::kServer},
    {"DescribeLimits",            TableReach::kServer},
    {"DescribeStream",            TableReach::kRefused, kStreams},
    {"DescribeTable",             TableReach::kDescribe},
    {"DescribeTimeToLive",        TableReach::kHome},
    {"ExecuteStatement",          TableReach::kRefused, kStatements},
    {"ExecuteTransaction",        TableReach::kRefused, kStatements},
    {"GetItem",                   TableReach::kItem, "Key"},
    {"GetRecords",                TableReach::kRefused, kStreams},
    {"GetShardIterator",          TableReach::kRefused, kStreams},
    {"GetTTL",                    TableReach::kItem, "Key"},
    {"ListStreams",               TableReach::kRefused, kStreams},
    {"ListTables",                TableReach::kHome},
    {"ListTagsOfResource",        TableReach::kHome},
    {"PutItem",                   TableReach::kItem, "Item"},
    {"Query",                     TableReach::kQuery},
    {"RemoveTTL",                 TableReach::kItem, "Key"},
    {"Scan",                      TableReach::kScan},
    {"SetTTL",                    TableReach::kItem, "Key"},
    {"SweepExpiredTTL",           TableReach::kRefused, kSweeps},
    {"TagResource",               TableReach::kChange},
    {"TransactGetItems",          TableReach::kTransaction},
    {"TransactWriteItems",        TableReach::kTransaction},
    {"UntagResource",             TableReach::kChange},
    {"UpdateItem",                TableReach::kItem, "Key"},
    {"UpdateTable",               TableReach::kChange},
    {"UpdateTimeToLive",          TableReach::kChange},
});
// clang-format on
constexpr bool IsBefore(const TableRule& a, const TableRule& b) {
  return a.operation < b.operation;
}
static_assert(std::is_sorted(kRules.begin(), kRules.end(), IsBefore));

}  // namespace

const TableRule& RuleOf(std::string_view operation) {
  const auto found = std::lower_bound(kRules.begin(), kRules.end(), TableRule{operation}, IsBefore);
  MAYFLY_CHECK(found != kRules.end() && found->operation == operation,
               "an operation without a rule");
  return *found;
}

}  // namespace mayfly::cluster

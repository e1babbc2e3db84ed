// table_rules.h - where the operations of DynamoDB's API run on a cluster, one line each.
#pragma once

#include <cstdint>
#include <string_view>

namespace mayfly::cluster {

enum class TableReach : std::uint8_t {
  kServer,       // About no table: any server answers.
  kHome,         // About definitions: the home shard answers.
  kItem,         // About one item: the shard of its partition key.
  kQuery,        // About one partition.
  kTransaction,  // About items of one slot.
  kBatchGet,     // About items of several shards.
  kBatchWrite,
  kScan,      // About all shards, one after the other.
  kDescribe,  // Definitions from the home shard, figures from all.
  kChange,    // Changes definitions: the home shard begins, all others follow.
  kRefused,
};

struct TableRule {
  std::string_view operation;
  TableReach reach = TableReach::kRefused;
  std::string_view detail = {};  // Of kItem: the member with the key. Of kRefused: why.
};

// Every operation has one.
const TableRule& RuleOf(std::string_view operation);

}  // namespace mayfly::cluster

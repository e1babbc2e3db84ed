// index_merge.h - the entries of one partition of a global index, from all shards, in their order.
// An entry lies with its item, so each shard has a part of the partition, in order. Entries are read
// some at a time from each, and the first of all of them is next. What changes meanwhile may be missed
// or met twice, as in DynamoDB's global indexes.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "cluster/tables/shard_calls.h"
#include "dynamo/json/json.h"
#include "expressions/key_condition.h"
#include "mayfly/item.h"
#include "tables/queries/read_schema.h"

namespace mayfly::cluster {

struct IndexRange {
  std::string table;
  std::string name;  // Of the index.
  tables::ReadSchema table_schema;
  tables::ReadSchema index_schema;
  expressions::KeyCondition condition;
  bool forward = true;
  const dynamo::json::object* start_after = nullptr;  // Null: from the beginning.

  // Position of an entry in the partition: bytes that sort as the index does.
  std::string PositionOf(const Item& entry) const;

  // What a page that ends with the entry tells as its last key.
  Item LastKeyOf(const Item& entry) const;
};

// The key condition as a request has it: expression, names and values.
void WriteKeyCondition(const IndexRange& range, dynamo::json::object& request);

class IndexMerge {
 public:
  // `entries`: how many the caller wants at most. Both must outlive it.
  IndexMerge(ShardCalls& calls, const IndexRange& range, std::int64_t entries);

  // The next entry; nothing at the end, or when a shard refused, see refusal().
  std::optional<Item> Next();

  // What a shard answered instead of entries.
  const std::optional<server::TableCall>& refusal() const { return refusal_; }

 private:
  struct Entry {
    std::string position;
    Item item;
  };
  struct Part {
    std::size_t shard = 0;
    std::vector<Entry> entries = {};
    std::size_t next = 0;
    dynamo::json::object after = {};  // Empty: the range's.
    bool more = true;                 // Behind the entries.
    std::int64_t wanted = kIndexEntriesMin;

    bool IsEmpty() const { return next == entries.size(); }
  };

  void Fetch(const std::vector<Part*>& parts);
  bool Take(Part& part, const server::TableCall& answer);

  ShardCalls& calls_;
  const IndexRange& range_;
  std::vector<Part> parts_;
  std::optional<server::TableCall> refusal_;
};

}  // namespace mayfly::cluster

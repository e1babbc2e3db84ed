// protocol_tables.h - tables as a protocol serves them: the public calls, and those that let a
// server format pages from stored bytes and apply writes of several clients in one commit.
#pragma once

#include <memory>
#include <span>
#include <vector>

#include "mayfly/result.h"
#include "mayfly/tables.h"
#include "tables/items/item_write.h"
#include "tables/queries/page_sink.h"
#include "tables/queries/read_schema.h"

namespace mayfly::tables {

class ProtocolTables : public Tables {
 public:
  // As Tables::Open().
  static Result<std::unique_ptr<ProtocolTables>> Open(Database& database);

  // As Query() and Scan(), but the page's items go into the sink.
  virtual Result<ItemPage> QueryInto(const QueryRequest& request, PageSink& sink) = 0;
  virtual Result<ItemPage> ScanInto(const ScanRequest& request, PageSink& sink) = 0;

  // The keys of a table or, unless `index` is empty, of an index. NotFound: no such table; Invalid:
  // no such index. Cheaper than DescribeTable(), which counts.
  virtual Result<ReadSchema> FindReadSchema(const std::string& table, const std::string& index) = 0;

  // Applies a prefix of independent writes in order, at least one if there is any; those of tables
  // without indexes, streams and sweeps share a commit. Returns one result per write applied, as
  // its own call would; ends early where the outcomes would grow large.
  virtual std::vector<Result<WriteOutcome>> WritePrefix(std::span<const ItemWrite> writes) = 0;
};

}  // namespace mayfly::tables

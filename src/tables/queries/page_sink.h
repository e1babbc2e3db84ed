// page_sink.h - pages of Query and Scan for whoever makes something else of items than items: text,
// say, for which most items need not be made at all.
#pragma once

#include "mayfly/bytes.h"
#include "mayfly/result.h"
#include "mayfly/tables.h"

namespace mayfly::tables {

// Gets the items of a page, in order, as one or the other.
class PageSink {
 public:
  virtual ~PageSink() = default;

  // As items::EncodeItem() wrote it: an item nobody had to look into. The bytes are there until it
  // returns. An error ends the page.
  virtual Status TakeStored(Bytes stored) = 0;

  virtual void Take(Item item) = 0;

 protected:
  PageSink() = default;
};

// As Tables::Query() and Scan(), but the page's items go into the sink.
Result<ItemPage> QueryInto(Tables& tables, const QueryRequest& request, PageSink& sink);
Result<ItemPage> ScanInto(Tables& tables, const ScanRequest& request, PageSink& sink);

}  // namespace mayfly::tables

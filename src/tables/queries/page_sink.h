// page_sink.h - lets a caller take the items of a page as stored bytes, for example to format them
// as text without decoding most of them.
#pragma once

#include "mayfly/bytes.h"
#include "mayfly/result.h"
#include "mayfly/tables.h"

namespace mayfly::tables {

// Receives the items of a page, in order, in either form.
class PageSink {
 public:
  virtual ~PageSink() = default;

  // An item as items::EncodeItem() wrote it, which was not decoded. The bytes are valid during the
  // call. An error ends the page.
  virtual Status TakeStored(Bytes stored) = 0;

  virtual void Take(Item item) = 0;

 protected:
  PageSink() = default;
};

}  // namespace mayfly::tables

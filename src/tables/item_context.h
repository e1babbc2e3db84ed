// item_context.h - what every call on items works with. All of it belongs to the Tables object.
#pragma once

#include "mayfly/database.h"
#include "tables/catalog.h"
#include "tables/item_latches.h"
#include "tables/streams.h"
#include "tables/version_clock.h"

namespace mayfly::tables {

struct ItemContext {
  Database& database;
  Catalog& catalog;
  ItemLatches& latches;
  VersionClock& versions;
  Streams& streams;
};

}  // namespace mayfly::tables

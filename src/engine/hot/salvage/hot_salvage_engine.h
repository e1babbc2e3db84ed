// hot_salvage_engine.h - the engine that reads a damaged memory-first database, to save what can be
// read.
// Read-only, one state: the records of the log that are whole, in their order, over what a salvage of
// the rocks directory below reads. Given up is what damaged places held, and nothing else. Stats()
// lists these places, first those of the directory below. What a lost record may have changed shows
// as it was before, or not at all: a fold skips what later records replace.
// Why so: docs/decisions/0027-salvage.md.
#pragma once

#include <cstddef>
#include <memory>

#include "engine/engine.h"
#include "engine/hot/index/limits.h"
#include "engine/rocks/rocks_engine.h"

namespace mayfly::engine {

// Opens options.directory; excludes a writer. `options` are those of a salvage of the directory
// below. Errors are those of OpenRocksEngine(), except that missing tables are none; Unsupported when
// a newer mayfly wrote the log, Busy when its rows need more than `reserved_bytes` of addresses.
Result<std::unique_ptr<Engine>> OpenHotSalvageEngine(
    const RocksOptions& options, std::size_t reserved_bytes = hot::kArenaBytesMax);

}  // namespace mayfly::engine

// hot_reader_engine.h - the engine that reads a memory-first directory beside its writer, or
// without one.
// Refresh() applies the writer's commits. It excludes no other opener and changes no file: any
// number of readers may exist, writers may come, go and crash, and the medium may be read-only. How
// it follows: hot_follower.h. Why so: docs/decisions/0026-readers-beside-a-writer.md. A thread of
// its own refreshes once a second, so that removed files are closed without calls, too.
// Lag: after a refresh nothing is missing that was acknowledged before it. Stats().last_commit is
// the last record that is shown.
#pragma once

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "engine/engine.h"
#include "engine/hot/index/limits.h"
#include "engine/rocks/reader/reader_engine.h"

namespace mayfly::engine {

struct HotReaderOptions {
  // How the cold store below is read. With a password a writer is excluded, and the other way
  // round, because only RocksDB reads its encrypted logs.
  ReaderOptions reader = {};

  // Bytes of the log that stay in memory when the writer has folded them, beside as many as it has
  // not folded. Less reads the log again more often.
  std::uint64_t folded_bytes_max = std::uint64_t{32} << 20;

  // Addresses reserved for rows of the log, at most 64 GiB. A refresh that does not fit is Busy.
  std::size_t reserved_bytes = hot::kArenaBytesMax;

  bool huge_pages = false;  // Asks for 2 MiB pages: faster reads, more memory for small logs.
};

// Errors are those of OpenReaderEngine(), of opening the log read-only, and Busy when the writer
// folds faster than the log can be read.
Result<std::unique_ptr<Engine>> OpenHotReaderEngine(const HotReaderOptions& options);

}  // namespace mayfly::engine

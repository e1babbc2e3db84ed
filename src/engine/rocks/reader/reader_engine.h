// reader_engine.h - the engine that reads a rocks directory beside its writer, or without one.
// Refresh() takes over what the writer has committed; between two of them the state stands still.
// It excludes nobody and writes no file, so that any number of readers may be there, writers come,
// go and crash as they like, and a medium that cannot be written to will do. How it follows:
// log_follower.h. Why so: docs/decisions/0026-readers-beside-a-writer.md.
// A thread of its own looks once a second, so that it lets go of deleted files when nobody asks.
#pragma once

#include <chrono>
#include <memory>

#include "engine/rocks/rocks_engine.h"

namespace mayfly::engine {

struct ReaderOptions {
  RocksOptions rocks = {};  // Of it: directory, profile, logger, env.

  // A file that the writer deleted is let go of this long after it was missed, unless a snapshot or
  // cursor reads it. Lowering it opens tables more often while a writer compacts.
  std::chrono::milliseconds let_go_after{2000};

  // Tests look themselves.
  bool has_thread = true;
};

// As OpenRocksEngine() read-only, but never Busy with a writer.
Result<std::unique_ptr<Engine>> OpenReaderEngine(const ReaderOptions& options);

}  // namespace mayfly::engine

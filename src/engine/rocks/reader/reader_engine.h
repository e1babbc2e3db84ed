// reader_engine.h - the engine that reads a rocks directory beside its writer, or without one.
// Refresh() applies the writer's commits; between two refreshes the state does not change. It
// excludes no other opener and writes no file: any number of readers may exist, writers may come,
// go and crash, and the medium may be read-only. How it follows: log_follower.h. Why so:
// docs/decisions/0026-readers-beside-a-writer.md. A thread of its own refreshes once a second, so
// that deleted files are closed without calls, too.
#pragma once

#include <chrono>
#include <memory>

#include "engine/rocks/rocks_engine.h"

namespace mayfly::engine {

struct ReaderOptions {
  RocksOptions rocks = {};  // Used of it: directory, profile, logger, clock, env.

  // A file that the writer deleted is closed this long after that was noticed, unless a snapshot or
  // cursor reads it. Lowering it opens tables more often while a writer compacts.
  std::chrono::milliseconds let_go_after{2000};

  // False in tests, which call Refresh() themselves.
  bool has_thread = true;
};

// As OpenRocksEngine() read-only, but never Busy with a writer.
Result<std::unique_ptr<Engine>> OpenReaderEngine(const ReaderOptions& options);

}  // namespace mayfly::engine

// hot_engine.h - the memory-first engine: rows in memory, a log before them, a cold store below.
//   commit:  conditions -> log -> memory                    get: memory -> cold store
//   fold:    oldest segment of the log -> cold store -> marker -> the segment is removed
// What is replaced, deleted or dead before its segment is folded never reaches the cold store.
// Directory: docs/formats/hot_directory.md. Reasons: docs/decisions/0053-memory-first-engine.md.
#pragma once

#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>

#include "engine/disk/disk_reserve.h"
#include "engine/drop_policy.h"
#include "engine/engine.h"
#include "engine/hot/index/limits.h"
#include "engine/hot/limits.h"
#include "engine/hot/log/limits.h"
#include "engine/hot/log/log_files.h"
#include "engine/rocks/rocks_engine.h"
#include "mayfly/logger.h"

namespace mayfly::engine {

struct HotOptions {
  // Bytes of one segment of the log. Longer ones rotate less often; shorter ones are folded, and
  // give disk space back, sooner.
  std::uint64_t segment_bytes = hot::kSegmentBytesDefault;

  // Bytes of closed segments from which on the log is folded. More lets more rows die in memory, and
  // makes opening after a crash longer: about 2 s for 256 MiB. At twice as much commits are slowed,
  // and from here on while much of the oldest segment waits for its purge.
  std::uint64_t log_bytes_max = std::uint64_t{256} << 20;

  // Commits need no system call, where the file system can allocate room ahead.
  bool map_log = true;

  // Bytes that rows, versions and indexes take in memory, with the free room between them. Rows that
  // were not read lately leave it when seven eighths are used. At fifteen sixteenths commits wait for
  // room, unless they delete at least as much as they put; see memory_wait. They wait for
  // no less than 8 MiB. A budget of some MiB may be passed by a slab for each size of rows: 64 KiB,
  // above 8 KiB of key and value 512 KiB. 0: no bound but reserved_bytes.
  std::uint64_t memory_bytes_max = 0;

  // A commit that waited so long for room is Busy, and nothing of it was written: open snapshots and
  // cursors keep all versions that they show, or the fold does not succeed.
  std::chrono::milliseconds memory_wait{10'000};

  // Addresses reserved for rows, at most 64 GiB, or 32 where the machine has no more memory than that
  // (index/slab_arena.h), and less where the process may not have as many (ulimit -v); Busy where it
  // may not have 64 MiB. A commit that does not fit is Busy.
  std::size_t reserved_bytes = hot::kArenaBytesMax;

  bool huge_pages = true;  // Asks for 2 MiB pages.

  // Memory of rows is overwritten when it is given back. Costs about 50 ns per row of 160 bytes.
  bool wipe_freed = true;

  // A thread folds and evicts. False for tests that do it themselves, by Flush().
  bool has_thread = true;

  // Rows of the cold store are loaded into memory after opening, behind the first reads and commits,
  // as long as they fit: into the budget above, or without one into half of the reserved bytes. Once
  // all of them are there, a miss asks the cold store no more. Without a thread each Flush() makes
  // one step.
  bool load_at_open = true;

  // Rows of one step of the load, between which the thread does its other work. More are loaded a
  // little faster; a fold, an eviction or Close() waits for one step.
  std::size_t load_step_rows = hot::kLoadStepRows;

  // Asked by the fold about each row; see drop_policy.h. Compaction of the cold store asks its own.
  // Shared by the engine and its creator. May be null.
  std::shared_ptr<const DropPolicy> drop_policy = nullptr;

  // Receives errors of the fold. Null: silence. Must outlive the engine.
  Logger* logger = nullptr;
};

// Opens the database in cold.directory: a RocksDB database, with the log in its folder hot/. One
// that was written by plain RocksDB is taken over. Errors are those of OpenRocksEngine() and of
// HotLog::Open(), IoError on a full disk. `cold.drop_policy`, `cold.logger` and `cold.reserve_bytes`
// are used for both. Segments and log are smaller on a small disk. Unsupported: read_only.
// `files`: where the log is, for tests that break the disk. Null: the operating system.
Result<std::unique_ptr<Engine>> OpenHotEngine(const RocksOptions& cold,
                                              const HotOptions& options = {},
                                              std::unique_ptr<hot::LogFiles> files = nullptr);

// An engine without log and cold store: everything is gone when it closes.
std::unique_ptr<Engine> NewHotMemoryEngine(const HotOptions& options = {});

// Where a memory-first engine keeps its bytes.
struct HotStorage {
  std::string name;
  std::unique_ptr<Engine> cold;
  std::unique_ptr<hot::LogFiles> files;
  std::shared_ptr<const crypto::DatabaseKey> key = nullptr;  // Null: the log is not encrypted.
  // For a full disk; shared with the cold store. Null: none, and a full disk is met by the log alone.
  std::shared_ptr<DiskReserve> reserve = nullptr;
  // Measures pauses, in real time. Null: the system's. Must outlive the engine.
  const Clock* clock = nullptr;
};

// The same on any storage; for tests that break it.
Result<std::unique_ptr<Engine>> OpenHotEngineOn(HotStorage storage, const HotOptions& options);

}  // namespace mayfly::engine

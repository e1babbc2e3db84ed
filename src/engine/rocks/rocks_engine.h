// rocks_engine.h - the engine on RocksDB: one column family per role, one log for all of them.
// The log makes batches atomic over roles and orders them; its group commit shares fsyncs.
// Directory: docs/formats/rocks_directory.md.
#pragma once

#include <cstddef>
#include <memory>
#include <string>

#include "engine/drop_policy.h"
#include "engine/engine.h"
#include "mayfly/logger.h"

namespace rocksdb {
class Cache;
class Env;
}  // namespace rocksdb

namespace mayfly::engine {

class DiskSpace;

// How much memory the engine may take for buffers and caches; the figures are beside the profiles
// in rocks_profile.cc.
enum class Profile : std::uint8_t {
  kTiny,     // Beside another program's main work: under 16 MiB.
  kDefault,  // An embedded database that matters: about 200 MiB when busy.
  kServer,   // The machine's main work: about 1.5 GiB when busy.
};

struct RocksOptions {
  // Made if missing, unless read_only. Nothing else may live in it.
  std::string directory = {};

  // Opens the state as it is, changes no file, and lets other read-only openers in, but no writer.
  bool read_only = false;

  // False: a missing database is NotFound instead of made.
  bool create_if_missing = true;

  // Encrypts a new database, and opens one that was made so; see encrypted_files.h. Only looked at
  // while it is opened. Empty: not encrypted.
  Bytes password = {};

  Profile profile = Profile::kDefault;

  // Bytes of writes a role gathers before they become a file; 0: as the profile says. Tests make it
  // small to see many files.
  std::size_t write_buffer_bytes = 0;

  // Set aside for a full disk; see disk_reserve.h. At most a quarter of the disk; 0: none.
  std::uint64_t reserve_bytes = 0;

  // A log that ends in the middle of a record is what a crash leaves, and recovery drops that
  // record. A log damaged before its end is refused as Corruption, because what follows was
  // acknowledged. True, which needs read_only, opens what can be read, whatever file is damaged or
  // missing, and gives up what the damaged places held. Where that was the newest version of a key,
  // an older one shows, if there is any. Stats() tells of each such place. See salvaged_state.h.
  bool salvage = false;

  // Opens the tables alone, beside a writer: takes no lock, and leaves logs to the caller. Needs
  // read_only. Every table stays open, so that it can be read when it is deleted. For
  // reader/reader_engine.h.
  bool tables_only = false;

  // Shared with others that read the same tables. Null: one of its own.
  std::shared_ptr<rocksdb::Cache> block_cache = nullptr;

  // Asked by compaction; see drop_policy.h. Shared by the engine and whoever made it. May be null.
  std::shared_ptr<const DropPolicy> drop_policy = nullptr;

  // Told of background errors. Null: silence. Must outlive the engine.
  Logger* logger = nullptr;

  // Where files are, for tests that break the disk. Null: the operating system. Must outlive the
  // engine.
  rocksdb::Env* env = nullptr;

  // What the reserve is taken from, for the same tests. Null: the same.
  DiskSpace* disk_space = nullptr;
};

// Ok when there is something in options.directory that may be opened as the options say; else as
// OpenRocksEngine(). Changes nothing that is there.
Status CheckDirectory(const RocksOptions& options);

// Opens the database in options.directory.
// Busy when another engine, in this process or another, has it open (read-only openers exclude only
// writers). NotFound when it is missing and may not be made. Unsupported, naming both versions,
// when a newer mayfly wrote it. WrongPassword when it is encrypted and the password is missing or
// another, Invalid when there is one and it is not. Invalid when the directory holds something
// else. Corruption when files are missing or damaged. IoError when the machine refuses. Each
// message names the directory.
Result<std::unique_ptr<Engine>> OpenRocksEngine(const RocksOptions& options);

}  // namespace mayfly::engine

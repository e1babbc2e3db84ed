// rocks_engine.h - the engine on RocksDB: one column family per role, one log for all of them.
// The log makes batches atomic over roles and orders them; its group commit shares fsyncs.
// Directory: docs/formats/rocks_directory.md.
#pragma once

#include <cstddef>
#include <memory>
#include <string>

#include "engine/drop_policy.h"
#include "engine/engine.h"
#include "mayfly/clock.h"
#include "mayfly/logger.h"

namespace rocksdb {
class Cache;
class Env;
}  // namespace rocksdb

namespace mayfly::engine {

class DiskReserve;
class DiskSpace;

// How much memory the engine may take for buffers and caches; the figures are beside the profiles
// in rocks_profile.cc.
enum class Profile : std::uint8_t {
  kTiny,     // A small part of a program: under 16 MiB.
  kDefault,  // A main part of a program: about 200 MiB when busy.
  kServer,   // The machine's main task: about 1.5 GiB when busy.
};

struct RocksOptions {
  // Created if missing, unless read_only. It may contain nothing else.
  std::string directory = {};

  // Opens the state as it is, changes no file, and allows other read-only openers, but no writer.
  bool read_only = false;

  // False: a missing database is NotFound instead of created.
  bool create_if_missing = true;

  // Encrypts a new database, and opens an encrypted one; see encrypted_files.h. Used during opening
  // only. Empty: not encrypted.
  Bytes password = {};

  Profile profile = Profile::kDefault;

  // Bytes of writes a role gathers before they become a file; 0: the profile's value. Tests make it
  // small to get many files.
  std::size_t write_buffer_bytes = 0;

  // Bytes that all logs and, apart from them, all write buffers may have together, unless the
  // profile's values are lower; 0: the profile's. Set for a small disk.
  std::size_t unflushed_bytes_max = 0;

  // Set aside for a full disk; see disk_reserve.h. At most a quarter of the disk; 0: none.
  std::uint64_t reserve_bytes = 0;

  // The reserve of the engine above, which calls its AfterOpen(). Shared with that. Null: one of its
  // own, of so many bytes.
  std::shared_ptr<DiskReserve> reserve = nullptr;

  // A log that ends in the middle of a record is what a crash leaves, and recovery drops that
  // record. A log damaged before its end is refused as Corruption, because what follows was
  // acknowledged. True, which needs read_only, opens what can be read, whatever file is damaged or
  // missing, and gives up what the damaged places held. Where that was the newest version of a key,
  // an older one shows, if there is any. Stats() lists these places. See salvaged_state.h.
  bool salvage = false;

  // Opens only the tables, beside a writer: takes no lock, and leaves logs to the caller. Needs
  // read_only. Every table stays open, so that it can be read after it is deleted. For
  // reader/reader_engine.h.
  bool tables_only = false;

  // Set by the memory-first engine, whose log lies in the folder kHotLogFolder of the directory.
  // Without it a directory with such a log is refused: rows in it would be missing. Every commit then
  // counts as making room on a full disk, for it lets a part of that log go; which commits are taken
  // there is decided above.
  bool beneath_log = false;

  // Shared with other engines that read the same tables. Null: a cache of its own.
  std::shared_ptr<rocksdb::Cache> block_cache = nullptr;

  // Used by compaction; see drop_policy.h. Shared by the engine and its creator. May be null.
  std::shared_ptr<const DropPolicy> drop_policy = nullptr;

  // Receives background errors. Null: silence. Must outlive the engine.
  Logger* logger = nullptr;

  // Measures pauses: of real time, whatever clock rows have, or a pause might not end. Null: the
  // process'. Must outlive the engine.
  const Clock* clock = nullptr;

  // Where files are, for tests that break the disk. Null: the operating system. Must outlive the
  // engine.
  rocksdb::Env* env = nullptr;

  // The disk of the reserve, for the same tests. Null: the operating system. Must outlive the
  // engine.
  DiskSpace* disk_space = nullptr;
};

// The folder with the log of the memory-first engine, inside the directory. Stored; never rename.
inline constexpr const char* kHotLogFolder = "hot";

// What that folder is called while it is removed, because all of its log was folded.
inline constexpr const char* kRemovedHotLogFolder = "hot.removed";

// Removes the folder of that name, which a crash may have left. What cannot be removed is tried again
// when the database is opened for writing.
void RemoveLeftHotLog(const std::string& directory);

// True if the log of the memory-first engine is in this directory: rows may be in it and in no table.
bool HasHotLog(const std::string& directory);

// True if the directory is of the memory-first engine, whether its log is still there or not. One whose
// log is missing is refused as Corruption.
bool IsHotDirectory(const std::string& directory);

// Records that rows may be in that log, or that they are not any more, durably. The memory-first engine
// does so when it has made its log; it must have the directory open. To be called with false before the
// log is removed, when all its rows are in the tables.
Status RecordHotLog(const RocksOptions& options, bool has_log);

// The clock of these options, or its default.
const Clock& ClockOf(const RocksOptions& options);

// Ok when options.directory has a database that these options may open; otherwise the error of
// OpenRocksEngine(). Changes nothing.
Status CheckDirectory(const RocksOptions& options);

// Opens the database in options.directory.
// Busy while another engine, in this process or another, has it open (read-only openers exclude
// only writers). NotFound when it is missing and may not be created. Unsupported, naming both
// versions, when a newer mayfly wrote it. WrongPassword when it is encrypted and the password is
// missing or wrong, Invalid when a password is given and it is not encrypted. Invalid when the
// directory contains something else. Corruption when files are missing or damaged. IoError when the
// system refuses. Each message names the directory.
Result<std::unique_ptr<Engine>> OpenRocksEngine(const RocksOptions& options);

}  // namespace mayfly::engine

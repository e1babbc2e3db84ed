// engine.h - ordered bytes that change atomically: the contract every engine keeps.
// An engine knows nothing of rows, time or types. It keeps one ordered map per role, applies
// batches whole or not at all, and shows frozen states. Core builds the database on exactly this;
// whatever an engine cannot hold it says in capabilities(), and core refuses it instead of
// pretending.
//
// Invariants, checked for every engine by tests/engine:
// (1) A batch is visible whole or not at all, to every reader, at every moment, and after a crash.
// (2) A commit that returned Ok is seen by every later read; one that returned an error changed
//     nothing, unless the message says that its outcome is unknown.
// (3) What survives the death of the process, or a power cut, is a prefix of the commits in their
//     order. After the first nothing acknowledged with kProcess or more is missing, after the
//     second nothing up to the last kDisk.
// (4) A snapshot and a cursor show one state, whatever is committed meanwhile.
// (5) Damaged storage gives Corruption, never other bytes than were written.
//
// Public calls check their arguments in one place and hand on to the Do... functions of the engine,
// so that all engines refuse the same things with the same words.
// Threads: every call from any thread, except that Close() and the destructor must be alone.
// Processes: in a child made by fork() every call answers Invalid, Close() does nothing, and what
// is destroyed there leaves files, locks and threads as they are (base/owner_process.h).
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/owner_process.h"
#include "engine/address.h"
#include "engine/batch.h"
#include "engine/cursor.h"
#include "engine/deadline_stats.h"
#include "engine/validate.h"
#include "mayfly/bytes.h"
#include "mayfly/durability.h"
#include "mayfly/pinned_bytes.h"
#include "mayfly/result.h"
#include "mayfly/status.h"

namespace mayfly::crypto {
class DatabaseKey;
}  // namespace mayfly::crypto

namespace mayfly::engine {

struct Capabilities {
  // False: a batch that spans slots is refused as CrossSlot, and a cursor shows one slot.
  bool atomic_across_slots = true;
  // False: everything is gone when the engine closes, and Durability means nothing.
  bool persistent = true;
  // False: Commit, Persist and Compact answer ReadOnly.
  bool writable = true;
  // True: another process may commit to what this one reads, and Refresh() takes that over.
  bool follows = false;
};

// A state that stays. Keep it short: what it shows cannot be cleaned away. Release it before the
// engine closes. Reading from it is safe from any thread.
class Snapshot {
 public:
  virtual ~Snapshot() = default;
  Snapshot(const Snapshot&) = delete;
  Snapshot& operator=(const Snapshot&) = delete;

 protected:
  Snapshot() = default;
};

// One key of a MultiGet: what is asked, and what was found.
struct Lookup {
  Address at;
  Bytes key;
  PinnedBytes value;  // Meaningful when `status` is ok.
  Status status;      // Ok, NotFound, or why this key could not be read.
};

// A file of one role, as `mayfly prove` and the reaper see it.
struct FileInfo {
  std::string name;
  int level = 0;
  std::uint64_t bytes = 0;
  std::uint64_t entries = 0;    // Deletions included.
  std::uint64_t deletions = 0;  // Tombstones, which hold keys but no values.
  std::uint64_t covered = 0;    // Older versions of a key that has a newer one in this very file.
  std::string first_key;
  std::string last_key;
  DeadlineStats deadlines;  // Empty when the engine was opened without a DropPolicy.
  // Nothing in it was committed before this one; as EngineStats::last_commit. 0: it may be.
  std::uint64_t first_commit = 0;
};

// Counts an open handle for as long as it lives.
class HandleTicket {
 public:
  explicit HandleTicket(std::atomic<std::uint64_t>& count) : count_(count) { ++count_; }
  ~HandleTicket() { --count_; }
  HandleTicket(const HandleTicket&) = delete;
  HandleTicket& operator=(const HandleTicket&) = delete;

 private:
  std::atomic<std::uint64_t>& count_;
};

// A place that still holds some bytes, visible or not.
struct Trace {
  std::string where;  // A file's name, or the role.
  std::string what;   // In words: what the bytes are part of there.
};

// Told how far a search is, in bytes; false ends it.
using FindProgress = std::function<bool(std::uint64_t done, std::uint64_t all)>;

struct EngineStats {
  std::uint64_t disk_bytes = 0;    // Files and logs.
  std::uint64_t memory_bytes = 0;  // Buffers, caches, indexes; an estimate.
  // Files that are no part of the newest state any more: a snapshot or cursor still reads them.
  std::uint64_t obsolete_files = 0;
  // Commits are slowed down or stopped, or close to it, because compaction lags behind. Whoever
  // compacts for other reasons should wait.
  bool commits_held_back = false;
  std::uint64_t last_commit = 0;  // Grows with commits; 0 for an engine without files.
  std::uint64_t open_snapshots = 0;
  std::uint64_t open_cursors = 0;
  // How often something could not be read because a file is damaged, background work included, and
  // what was said the first time.
  std::uint64_t damage_seen = 0;
  std::string first_damage = {};
  // Of an engine that was opened for a salvage: what it gives up so far, the first hundred places.
  std::vector<std::string> given_up = {};
  // Commits that add bytes are refused, because the disk is full.
  bool disk_full = false;
};

class Engine {
 public:
  // Closes, if Close() was not called; errors of that go to the logger alone. Open snapshots or
  // cursors are a fault of the caller and end the process.
  virtual ~Engine() = default;
  Engine(const Engine&) = delete;
  Engine& operator=(const Engine&) = delete;

  const Capabilities& capabilities() const { return capabilities_; }

  // What messages call this engine: "memory", or "rocks at /var/lib/mayfly".
  const std::string& name() const { return name_; }

  // What its files are encrypted with; what is written elsewhere, backups say, should be, too.
  // Null: nothing is encrypted.
  virtual std::shared_ptr<const crypto::DatabaseKey> encryption_key() const { return nullptr; }

  // Whether somebody else, in this process or another, reads the same files beside this engine, and
  // may have deleted ones open.
  virtual bool HasReadersBeside() const { return false; }

  // Reads the value of `key` into `value`.
  // NotFound when there is none; `value` is then empty. Invalid for a bad address or key;
  // Corruption or IoError when it could not be read. The bytes live as PinnedBytes says.
  Status Get(Address at, Bytes key, PinnedBytes& value, const Snapshot* snapshot = nullptr) const;

  // Reads many keys from one state, cheaper than one by one.
  // Ok when every key was answered, NotFound being an answer; each key's own outcome is in its
  // Lookup. The first failure otherwise, the others being answered all the same.
  Status MultiGet(std::span<Lookup> lookups, const Snapshot* snapshot = nullptr) const;

  // A cursor over one role. Invalid when the bounds are reversed or too long.
  Result<std::unique_ptr<Cursor>> NewCursor(Address at, const CursorOptions& options = {}) const;

  // Freezes the present state of all roles.
  Result<std::unique_ptr<Snapshot>> NewSnapshot() const;

  // Of an engine that follows a writer in another process: takes over what that has committed by
  // now, so that reads without a snapshot, and snapshots taken from here on, show it. Returns how
  // often there was something to take over; 0 for all others. Busy when the writer changes files
  // faster than it can be followed; the state stays as it was.
  Result<std::uint64_t> Refresh() const;

  // The number of the last Refresh() that brought a change of a key of the role beginning with this
  // byte, or may have.
  virtual std::uint64_t ChangedAt(Role /*role*/, unsigned char /*first*/) const { return 0; }

  // Applies the batch, if its conditions hold.
  // Conflict when one does not: nothing is written, and the message names the key. Invalid when the
  // batch holds a bad operation. CrossSlot and ReadOnly as capabilities() tell. IoError when the
  // device refused, a full disk among them: nothing is written, and the engine takes commits again
  // as soon as there is room. The batch is not changed. An empty batch is Ok.
  Status Commit(const Batch& batch, Durability durability = Durability::kProcess);

  // Makes everything committed so far at least this durable. One call for many kProcess commits is
  // how a server fsyncs every second.
  Status Sync(Durability durability);

  // Rewrites the files of a role's range now, bottom level included, asking the DropPolicy about
  // each pair. Takes as long as it takes; reads and commits go on.
  Status Compact(Role role, const KeyRange& range = {});

  // Rewrites one file of Files(), together with what overlaps it on the way down, into the last
  // level, asking the DropPolicy about each pair: afterwards nothing it held lies in any file but
  // what somebody can see, and its tombstones are gone. Works on the calling thread, beside the
  // engine's own compactions, at about `bytes_per_second` (0: as fast as it can). False when the
  // file is gone or is being compacted.
  Result<bool> CompactFile(Role role, const std::string& name, std::uint64_t bytes_per_second = 0);

  // Removes a file unread. The caller vouches that nobody can see any pair in it, in the newest
  // state or in an open one. False when it is gone, is being compacted, or has files beneath its
  // level, whose older versions its tombstones may hide.
  Result<bool> DropFile(Role role, const std::string& name);

  // Writes what only memory and the log hold into files, and removes logs and files that nobody
  // needs. Afterwards the log holds nothing that was committed before the call.
  Status Flush();

  // Looks for the bytes in everything the engine keeps, visible or not: old versions, tombstones,
  // logs, every file. At most `traces_max` places. Slow: it reads all of it. Conflict when
  // `progress` ended it.
  Result<std::vector<Trace>> Find(Bytes needle, std::size_t traces_max = 100,
                                  const FindProgress& progress = {}) const;

  // The files of a role; none for an engine without files.
  Result<std::vector<FileInfo>> Files(Role role) const;

  Result<EngineStats> Stats() const;

  // Hands everything to the operating system and lets go of the storage.
  // Busy while snapshots or cursors are open, with their number: nothing is closed. Afterwards
  // every other call answers Invalid; closing again is Ok.
  Status Close();

 protected:
  Engine(std::string name, Capabilities capabilities);

  // What Close() and Stats() count; a derived snapshot or cursor holds a HandleTicket on one.
  std::atomic<std::uint64_t>& open_snapshots() const { return open_snapshots_; }
  std::atomic<std::uint64_t>& open_cursors() const { return open_cursors_; }

  // False in a child made by fork().
  bool is_owner() const { return owner_.IsThis(); }

  // The Conflict that Commit() answers for a condition that does not hold.
  static Status ConditionFailed(const Batch::Condition& condition);

  // For destructors of derived engines: Close(), with a broken invariant if handles are open.
  Status CloseAtDestruction();

 private:
  virtual Status DoGet(Address at, Bytes key, PinnedBytes& value,
                       const Snapshot* snapshot) const = 0;
  virtual void DoMultiGet(std::span<Lookup*> lookups, const Snapshot* snapshot) const = 0;
  virtual Result<std::unique_ptr<Cursor>> DoNewCursor(Address at,
                                                      const CursorOptions& options) const = 0;
  virtual Result<std::unique_ptr<Snapshot>> DoNewSnapshot() const = 0;
  virtual Result<std::uint64_t> DoRefresh() const { return std::uint64_t{0}; }
  virtual Status DoCommit(const Batch& batch, Durability durability) = 0;
  virtual Status DoSync(Durability durability) = 0;
  virtual Status DoCompact(Role role, const KeyRange& range) = 0;
  virtual Result<bool> DoCompactFile(Role role, const std::string& name,
                                     std::uint64_t bytes_per_second) = 0;
  virtual Result<bool> DoDropFile(Role role, const std::string& name) = 0;
  virtual Status DoFlush() = 0;
  virtual Result<std::vector<Trace>> DoFind(Bytes needle, std::size_t traces_max,
                                            const FindProgress& progress) const = 0;
  virtual Result<std::vector<FileInfo>> DoFiles(Role role) const = 0;
  virtual Result<EngineStats> DoStats() const = 0;  // Open handles are filled in by Stats().
  virtual Status DoClose() = 0;

  Status CheckOpen() const {
    if (!closed_.load(std::memory_order_acquire) && owner_.IsThis()) [[likely]]
      return {};
    return Closed();
  }
  Status RefuseGet(Address at, Bytes key) const;
  Status CheckWritable() const;
  Status Closed() const;

  const std::string name_;
  const Capabilities capabilities_;
  const OwnerProcess owner_;

  std::atomic<bool> closed_{false};
  mutable std::atomic<std::uint64_t> open_snapshots_{0};
  mutable std::atomic<std::uint64_t> open_cursors_{0};
};

inline Status Engine::Get(Address at, Bytes key, PinnedBytes& value,
                          const Snapshot* snapshot) const {
  if (closed_.load(std::memory_order_acquire) || !owner_.IsThis() || !IsGoodAddress(at) ||
      !IsGoodKey(key)) [[unlikely]] {
    value.Reset();
    return RefuseGet(at, key);
  }
  return DoGet(at, key, value, snapshot);
}

}  // namespace mayfly::engine

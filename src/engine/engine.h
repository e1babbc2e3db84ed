// engine.h - ordered bytes that change atomically: the contract every engine keeps.
// An engine knows nothing of rows, time or types. It keeps one ordered map per role, applies
// batches whole or not at all, and shows frozen states. Core builds the database on exactly this.
// An engine states in capabilities() what it cannot do, and core refuses calls that need it.
//
// Invariants, checked for every engine by tests/engine:
// (1) A batch is visible whole or not at all, to every reader, at every moment, and after a crash.
// (2) A commit that returned Ok is seen by every later read; one that returned an error changed
//     nothing, unless the message says that its outcome is unknown.
// (3) What survives the death of the process, or a power cut, is a prefix of the commits in their
//     order. After the death of the process no commit acknowledged with kProcess or more is
//     missing; after a power cut, no commit up to the last kDisk.
// (4) A snapshot and a cursor show one state, whatever is committed meanwhile.
// (5) Damaged storage gives Corruption, never other bytes than were written.
//
// Public calls check their arguments and then call the Do... functions of the engine, so that all
// engines refuse the same arguments with the same messages.
// Threads: every call from any thread, except that Close() and the destructor must be alone.
// Processes: in a child made by fork() every call returns Invalid, Close() does nothing, and
// destructors leave files, locks and threads as they are (base/owner_process.h).
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
  // False: Commit, Sync and Compact return ReadOnly.
  bool writable = true;
  // True: another process may commit to the same files, and Refresh() shows its commits.
  bool follows = false;
};

// A frozen state. Keep it short: the space of versions that it shows cannot be reclaimed. Release
// it before the engine closes. Reading from it is safe from any thread.
class Snapshot {
 public:
  virtual ~Snapshot() = default;
  Snapshot(const Snapshot&) = delete;
  Snapshot& operator=(const Snapshot&) = delete;

 protected:
  Snapshot() = default;
};

// One key of a MultiGet, and its result.
struct Lookup {
  Address at;
  Bytes key;
  PinnedBytes value;  // Meaningful when `status` is ok.
  Status status;      // Ok, NotFound, or the error of this key.
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
  // The file contains no commit before this number (EngineStats::last_commit). 0: unknown.
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

// A place where Find() found the bytes, visible or not.
struct Trace {
  std::string where;  // A file's name, or the role.
  std::string what;   // In words: what the bytes are part of.
};

// Called with the progress of a search, in bytes; returning false ends the search.
using FindProgress = std::function<bool(std::uint64_t done, std::uint64_t all)>;

struct EngineStats {
  std::uint64_t disk_bytes = 0;    // Files and logs.
  std::uint64_t memory_bytes = 0;  // Buffers, caches, indexes; an estimate.
  // Files that are not part of the newest state: a snapshot or cursor still reads them.
  std::uint64_t obsolete_files = 0;
  // Commits are slowed down or stopped, or close to it, because compaction lags behind. Callers of
  // Compact() and CompactFile() should wait.
  bool commits_held_back = false;
  std::uint64_t last_commit = 0;  // Grows with commits; 0 for an engine without files.
  std::uint64_t open_snapshots = 0;
  std::uint64_t open_cursors = 0;
  // How often a read failed because a file is damaged, background work included, and the first
  // message.
  std::uint64_t damage_seen = 0;
  std::string first_damage = {};
  // Of an engine opened for a salvage: what it has given up so far, the first hundred places.
  std::vector<std::string> given_up = {};
  // Commits that add bytes are refused, because the disk is full.
  bool disk_full = false;
  // Of a memory-first engine, since it was opened: bytes of its log, and bytes of keys and values
  // that went on to the cold store.
  std::uint64_t logged_bytes = 0;
  std::uint64_t folded_bytes = 0;
};

class Engine {
 public:
  // Closes, if Close() was not called; errors of that go to the logger only. Open snapshots or
  // cursors are a fault of the caller and end the process.
  virtual ~Engine() = default;
  Engine(const Engine&) = delete;
  Engine& operator=(const Engine&) = delete;

  const Capabilities& capabilities() const { return capabilities_; }

  // The name of this engine in messages: "memory", or "rocks at /var/lib/mayfly".
  const std::string& name() const { return name_; }

  // The key that encrypts its files; files written elsewhere, such as backups, should be encrypted
  // with it, too. Null: nothing is encrypted.
  virtual std::shared_ptr<const crypto::DatabaseKey> encryption_key() const { return nullptr; }

  // True while a reader, in this process or another, has the same files open, deleted ones possibly
  // among them.
  virtual bool HasReadersBeside() const { return false; }

  // Reads the value of `key` into `value`.
  // NotFound when there is none; `value` is then empty. Invalid for a bad address or key;
  // Corruption or IoError when it could not be read. The bytes live as PinnedBytes says.
  Status Get(Address at, Bytes key, PinnedBytes& value, const Snapshot* snapshot = nullptr) const;

  // Reads many keys from one state, cheaper than one by one. Each key's result is in its Lookup. Ok
  // when every key was found or is NotFound; otherwise the first error, and the other keys have
  // their results all the same.
  Status MultiGet(std::span<Lookup> lookups, const Snapshot* snapshot = nullptr) const;

  // Says that these keys will be read soon. An engine that keeps rows in memory fetches them into the
  // processor's cache, all at once instead of one after another. Changes nothing; a bad address or key
  // is ignored.
  void Prefetch(Address at, std::span<const Bytes> keys) const {
    if (IsGoodAddress(at) && !closed_.load(std::memory_order_acquire)) DoPrefetch(at, keys);
  }

  // A cursor over one role. Invalid when the bounds are reversed or too long.
  Result<std::unique_ptr<Cursor>> NewCursor(Address at, const CursorOptions& options = {}) const;

  // Freezes the present state of all roles.
  Result<std::unique_ptr<Snapshot>> NewSnapshot() const;

  // In an engine that follows a writer in another process: applies the writer's commits up to now,
  // so that reads without a snapshot, and new snapshots, show them. Returns how many calls so far
  // found new commits; 0 for all other engines. Busy when the writer changes files faster than they
  // can be followed; the state stays as it was.
  Result<std::uint64_t> Refresh() const;

  // The number, as Refresh() returns it, of the last refresh that may have changed a key of the
  // role that begins with this byte.
  virtual std::uint64_t ChangedAt(Role /*role*/, unsigned char /*first*/) const { return 0; }

  // Applies the batch, if its conditions hold.
  // Conflict when one does not: nothing is written, and the message names the key. Invalid when the
  // batch has a bad operation. CrossSlot and ReadOnly as capabilities() says. IoError when the
  // device refused, a full disk included: nothing is written, and the engine accepts commits again
  // as soon as there is room. The batch is not changed. An empty batch is Ok.
  Status Commit(const Batch& batch, Durability durability = Durability::kProcess);

  // Makes everything committed so far at least this durable. One call for many kProcess commits is
  // how a server fsyncs every second.
  Status Sync(Durability durability);

  // Rewrites the files of a role's range now, bottom level included, asking the DropPolicy about
  // each pair. May take long; reads and commits go on.
  Status Compact(Role role, const KeyRange& range = {});

  // Rewrites one file of Files(), together with what overlaps it on the way down, into the last
  // level, asking the DropPolicy about each pair: afterwards only visible pairs of it are left in
  // any file, and its tombstones are gone. Runs on the calling thread, beside the engine's own
  // compactions, at about `bytes_per_second` (0: no limit). False when the file is gone or is being
  // compacted.
  Result<bool> CompactFile(Role role, const std::string& name, std::uint64_t bytes_per_second = 0);

  // Removes a file unread. The caller guarantees that no pair in it is visible, in the newest state
  // or in an open one. False when the file is gone, is being compacted, or has files beneath its
  // level, whose older versions its tombstones may hide.
  Result<bool> DropFile(Role role, const std::string& name);

  // Writes memory out to files, and removes unneeded logs and files. Afterwards the log contains
  // nothing that was committed before the call.
  Status Flush();

  // Searches everything the engine keeps for the bytes, visible or not: old versions, tombstones,
  // logs, every file. Returns at most `traces_max` places. Slow: it reads all of it. Conflict when
  // `progress` ended it.
  Result<std::vector<Trace>> Find(Bytes needle, std::size_t traces_max = 100,
                                  const FindProgress& progress = {}) const;

  // The files of a role; none for an engine without files.
  Result<std::vector<FileInfo>> Files(Role role) const;

  Result<EngineStats> Stats() const;

  // Writes everything to the operating system and closes the storage.
  // Busy while snapshots or cursors are open, with their number: nothing is closed. Afterwards
  // every other call returns Invalid; closing again is Ok.
  Status Close();

 protected:
  Engine(std::string name, Capabilities capabilities);

  // The open handles that Close() and Stats() count; each snapshot or cursor holds a HandleTicket.
  std::atomic<std::uint64_t>& open_snapshots() const { return open_snapshots_; }
  std::atomic<std::uint64_t>& open_cursors() const { return open_cursors_; }

  // False in a child made by fork().
  bool is_owner() const { return owner_.IsThis(); }

  // The Conflict that Commit() returns for a condition that does not hold.
  static Status ConditionFailed(const Batch::Condition& condition);

  // For destructors of derived engines: Close(), and a failed MAYFLY_CHECK if handles are open.
  Status CloseAtDestruction();

 private:
  virtual Status DoGet(Address at, Bytes key, PinnedBytes& value,
                       const Snapshot* snapshot) const = 0;
  virtual void DoMultiGet(std::span<Lookup*> lookups, const Snapshot* snapshot) const = 0;
  virtual void DoPrefetch(Address /*at*/, std::span<const Bytes> /*keys*/) const {}
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

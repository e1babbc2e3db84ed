// database.h - a key-value database in which every row can carry the instant it dies.
//
//   auto db = mayfly::Database::Open({.directory = "sessions.db"});
//   if (!db) return db.error();
//   auto& sessions = (*db)->default_keyspace();
//   sessions.Put("session:7", "alice", mayfly::Lifetime::For(30min));
//   sessions.Get("session:7");    // "alice" for 30 minutes to the millisecond, then NotFound
//
// No thread is started unless StartReaper() is called (those of RocksDB aside). Safe from any
// thread. Several databases live side by side in a process.
//
// A database belongs to the process that opened it. In a child made by fork() every call on it and
// its handles answers Invalid, closing and destroying them is Ok and touches nothing, and exit()
// returns; the child opens databases anew, this one once the parent has closed it.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "mayfly/bytes.h"
#include "mayfly/clock.h"
#include "mayfly/durability.h"
#include "mayfly/events.h"
#include "mayfly/keyspace.h"
#include "mayfly/logger.h"
#include "mayfly/maintenance.h"
#include "mayfly/policy.h"
#include "mayfly/proof.h"
#include "mayfly/result.h"
#include "mayfly/transaction.h"

namespace mayfly {

// How much memory buffers and caches may take.
enum class MemoryProfile : std::uint8_t {
  kTiny,     // Under 16 MiB.
  kDefault,  // About 200 MiB when busy.
  kServer,   // About 1.5 GiB when busy.
};

struct DatabaseOptions {
  // Where the files are; made if missing. Empty: in memory, gone when the database closes.
  std::string directory = {};

  // Reads beside a writer in this process or another, or without one, and changes no file. Dead
  // rows are hidden all the same. Each read, snapshot and transaction shows what had been committed
  // when it began: two system calls where nothing is new, else what was written since. Starts a
  // thread, which lets go of files that the writer deleted. Subscribe() is ReadOnly here, and
  // Prove() is Busy beside a writer. With a password or salvage, reader and writer exclude each
  // other: Busy.
  bool read_only = false;

  // False: a missing database is NotFound instead of made.
  bool create_if_missing = true;

  // Opens a damaged database to save what can be read, with Backup(); needs read_only. It gives up
  // what damaged places held, and nothing else (Statistics::given_up): a row may be missing, be as
  // it was before, or be back though it was deleted there. Each dies at the deadline it carries.
  bool salvage = false;

  // Encrypts every file of a new database, and opens one that was made so. Looked at during Open()
  // alone, which takes about 0.2 s and 32 MiB for it. Empty: not encrypted. A database is one or
  // the other from the start; encryption.h makes the other of it. Reads of what is not cached cost
  // more, see docs/decisions/0025-encryption.md. Backups of an encrypted database are encrypted,
  // too.
  Bytes password = {};

  MemoryProfile memory = MemoryProfile::kDefault;

  // Of writes that do not say; see durability.h.
  Durability durability = Durability::kProcess;

  // Space set aside for a full disk, in a file of the directory; at most a quarter of the disk.
  // When the disk is full, writes that add bytes are refused as IoError, and this space goes to
  // what makes room: deletes, Clear(), purges, Reclaim() and Open(). It is set aside again when
  // there is room for it. 0: none, and a full disk may refuse these, too.
  std::uint64_t disk_reserve_bytes = 0;

  // A read outside snapshots and transactions that meets a dead row removes it.
  bool purge_on_read = true;

  // Accepts any instant as a deadline. Off, one that looks like seconds or microseconds is Invalid.
  bool allow_any_instant = false;

  // A wall clock that gains more than this on the steady one, in sum, stops physical deletion until
  // ConfirmClock() or RevertClock(); rows are hidden by the clock's word all the same. At open the
  // steady clock tells how long the database was closed; if the machine was started since, any time
  // is believed after an orderly close, and after a crash what is within this bound or what a time
  // server vouches for. Raising it lets a wrong clock remove more.
  Millis clock_jump_max = std::chrono::hours(12);

  // A snapshot, transaction or cursor older than this is taken away: its calls answer Conflict from
  // then on. For keyspaces with purge_within, whose promise it would break: what it shows cannot be
  // removed. The reaper and Reclaim() look. Nothing: they may stay open for ever. Costs a lock per
  // read from one.
  std::optional<Millis> state_age_max = std::nullopt;

  // Where time comes from. Null: the system's clock. Must outlive the database.
  const Clock* clock = nullptr;

  // Told of background work and anomalies. Null: silence. Must outlive the database.
  Logger* logger = nullptr;
};

// See Database::TakeClaim(). Given back when it goes.
class Lease {
 public:
  virtual ~Lease() = default;
};

class Database {
 public:
  // Busy when it is open for writing already, here or in another process, and this would write,
  // too; Unsupported, by name, when a newer mayfly wrote it; WrongPassword when it is encrypted and
  // the password is missing or another, Invalid when there is one and it is not; Corruption,
  // NotFound, IoError as the words say. Messages name the directory.
  static Result<std::unique_ptr<Database>> Open(const DatabaseOptions& options);

  virtual ~Database() = default;  // Closes.
  Database(const Database&) = delete;
  Database& operator=(const Database&) = delete;

  // Busy while transactions, snapshots, cursors or reapers are alive: nothing is closed. Afterwards
  // every call answers Invalid. Any other error: it is closed, but the next open sees a crash.
  virtual Status Close() = 0;

  // The keyspace called "default", which always exists.
  virtual Keyspace& default_keyspace() = 0;

  // Invalid when the name is empty, longer than 255 bytes, begins with two underscores, or is
  // taken.
  virtual Result<std::shared_ptr<Keyspace>> CreateKeyspace(const std::string& name,
                                                           const KeyspacePolicy& policy = {}) = 0;

  // NotFound when there is none of that name.
  virtual Result<std::shared_ptr<Keyspace>> OpenKeyspace(const std::string& name) = 0;

  virtual Result<std::vector<std::string>> ListKeyspaces() const = 0;

  // Removes it with all its rows at once, without events. The default one cannot be dropped.
  virtual Status DropKeyspace(const std::string& name) = 0;

  // For a layer that keeps something of its own in this database, in keyspaces it knows, and must
  // be the only one of its kind on it: Busy while somebody has the claim of that name. Nothing is
  // written, and the database does not look at names.
  virtual Result<std::unique_ptr<Lease>> TakeLease(const std::string& lease) = 0;

  virtual Result<std::unique_ptr<Transaction>> Begin() = 0;

  // Runs `work` in a transaction and commits it; on Conflict again, up to `attempts_max` times. A
  // Status of `work` that is not ok rolls back and is returned.
  Status Transact(const std::function<Status(Transaction&)>& work, int attempts_max = 16);

  virtual Result<std::unique_ptr<Snapshot>> NewSnapshot() = 0;

  // Removes dead rows of all keyspaces, oldest first within each; O(dead). Never what an open
  // snapshot or transaction still sees: that keeps its own state.
  virtual Result<PurgeReport> Purge(const PurgeOptions& options = {}) = 0;

  // Starts a thread that purges as rows die. It ends with the handle.
  virtual Result<std::unique_ptr<Reaper>> StartReaper(const ReaperOptions& options = {}) = 0;

  // Gives the space of what was purged and deleted back to the disk: removes files in which nothing
  // can be seen any more, rewrites those with a large share of it, and keeps the promises that are
  // due. Purges nothing by itself, unless `everything` is asked. Works on the calling thread.
  virtual Result<ReclaimReport> Reclaim(const ReclaimOptions& options = {}) = 0;

  // What is left of the dead, where, and why. Changes nothing.
  virtual Result<Proof> Prove(const ProofOptions& options = {}) const = 0;

  // The next events behind `after`, at most `events_max`. Read again from the last sequence you
  // have dealt with: that makes it at least once, and exactly once by sequence.
  virtual Result<std::vector<Event>> ReadEvents(std::uint64_t after,
                                                std::size_t events_max) const = 0;

  // The sequence of the newest event there ever was, kept or not; 0: none yet. Behind a sequence
  // below it there are events, or there were some that have been trimmed.
  virtual std::uint64_t LastEventSequence() const = 0;

  // Up to this sequence TrimEvents() has removed events, or Restore() has left them out; 0: neither
  // has. What is missing behind it belonged to keyspaces with purge_within.
  virtual std::uint64_t EventsTrimmedThrough() const = 0;

  // Returns how many were removed.
  virtual Result<std::uint64_t> TrimEvents(const EventTrim& trim) = 0;

  virtual Result<std::unique_ptr<EventSubscription>> Subscribe(EventCallback callback) = 0;

  // Makes everything committed so far at least this durable.
  virtual Status Sync(Durability durability) = 0;

  virtual Result<Statistics> GetStatistics() const = 0;

  virtual ClockReport clock_report() const = 0;

  // The machine's clock is right after a jump: physical deletion goes on. Ok as well when nothing
  // awaits it. Invalid while the machine's clock reads less than the database's time: what that
  // calls dead may be alive.
  virtual Status ConfirmClock() = 0;

  // The machine's clock was wrong and has been set right: the database's time goes back to what the
  // clock reads now, or to what it would be without the jump if that is later. Rows that the jump
  // had hidden are there again; none was removed. Rows written meanwhile keep their deadlines,
  // which were reckoned from the wrong time: give them new ones. Where the clock was wrong
  // without a jump (wrong from the start, say), what was removed by it stays removed. Invalid while
  // the machine's clock does not read less than the database's time: set it right first. Waits for
  // writes and a Reclaim() that are under way.
  virtual Status RevertClock() = 0;

  // Compares rows, index and counters in one frozen state. Repairs only what it names.
  virtual Result<CheckReport> Check(const CheckOptions& options = {}) = 0;

  // Writes one file with all rows, consistent while others write. Invalid when the file exists.
  virtual Result<BackupReport> Backup(const std::string& file) = 0;

  // Fills this database, which must be empty, from a backup. All or nothing: the file is checked
  // before the first row is written, and a restore that fails or is killed leaves the database
  // empty. Events are not in a backup: their numbers go on
  // behind those there were, and whoever reads on from a place he stored sees that some are gone.
  virtual Result<RestoreReport> Restore(const std::string& file,
                                        const RestoreOptions& options = {}) = 0;

 protected:
  Database() = default;
};

}  // namespace mayfly

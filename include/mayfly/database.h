// database.h - a key-value database in which every row can carry the instant it dies.
//
//   auto db = mayfly::Database::Open({.directory = "sessions.db"});
//   if (!db) return db.error();
//   auto& sessions = (*db)->default_keyspace();
//   sessions.Put("session:7", "alice", mayfly::Lifetime::For(30min));
//   sessions.Get("session:7");    // "alice" for 30 minutes to the millisecond, then NotFound
//
// No thread is started unless StartReaper() is called (those of the engine aside). Safe from any
// thread. Several databases live side by side in a process.
//
// A database belongs to the process that opened it. In a child made by fork() every call on it and
// its handles returns Invalid, closing and destroying them is Ok and touches nothing, and exit()
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

// How much memory buffers and caches may take. A memory-first database takes the second figure for
// rows beside it, once it has as many (DatabaseOptions::memory_rows_bytes_max).
enum class MemoryProfile : std::uint8_t {
  kTiny,     // Under 16 MiB, and 8 MiB.
  kDefault,  // About 200 MiB when busy, and 512 MiB.
  kServer,   // About 1.5 GiB when busy, and half of the machine's memory.
};

// What stores the rows of a database with a directory.
enum class StorageEngine : std::uint8_t {
  // As the directory's database was made; a new one is memory-first.
  kAsFound,
  // RocksDB. A memory-first database becomes one of RocksDB when it is opened for writing: its log is
  // folded into tables first, and then removed; Busy while a reader has it open. A reader gets
  // Invalid: rows may be in the log alone.
  kRocks,
  // Rows in memory first, written to a log; what lives longer than the log goes to RocksDB below.
  // Reads and writes cost a fraction, and rows that die young never reach a table. A database of
  // RocksDB is taken over; kRocks is the way back. Starts a thread. docs/decisions/0053 has the
  // reasons.
  kMemoryFirst,
};

struct DatabaseOptions {
  // Where the files are; created if missing. Empty: in memory, gone when the database closes.
  std::string directory = {};

  // Reads beside a writer in this process or another, or without one, and changes no file. Dead
  // rows are hidden all the same. Each read, snapshot and transaction shows what had been committed
  // when it began. That costs two system calls, and reading what was written since. Starts a
  // thread, which closes files that the writer deleted. Subscribe() is ReadOnly here, and Prove()
  // is Busy beside a writer. With a password or salvage, reader and writer exclude each other:
  // Busy.
  bool read_only = false;

  // False: a missing database is NotFound instead of created.
  bool create_if_missing = true;

  // Opens a damaged database to save what can be read, with Backup(); needs read_only. It gives up
  // what damaged places held, and nothing else (Statistics::given_up): a row may be missing, have
  // an older value, or reappear although a delete in a damaged place removed it. Each row dies at
  // the deadline it carries.
  bool salvage = false;

  // Encrypts every file of a new database, and opens an encrypted one. Used during Open() only,
  // which needs about 0.2 s and 32 MiB for it. Empty: not encrypted. A database is encrypted or not
  // from the start; encryption.h converts it. Reads that miss the cache cost more, see
  // docs/decisions/0025-encryption.md. Backups of an encrypted database are encrypted, too.
  Bytes password = {};

  MemoryProfile memory = MemoryProfile::kDefault;

  StorageEngine engine = StorageEngine::kAsFound;

  // Bytes that the rows of a memory-first database may take in memory. Rows that were not read lately
  // leave it before that. A write is Busy when none can leave for 10 s, because open snapshots,
  // transactions and cursors keep old versions; deletes and purges go on. 0: by the profile, 8 MiB,
  // 512 MiB or half of the machine's memory.
  std::uint64_t memory_rows_bytes_max = 0;

  // The durability of writes and commits that do not state one; see durability.h.
  Durability durability = Durability::kProcess;

  // Space set aside for a full disk, in a file of the directory; at most a quarter of the disk.
  // When the disk is full, writes that add bytes are refused as IoError, and this space goes to
  // calls that make room: deletes, Clear(), purges, Reclaim() and Open(). It is set aside again
  // when there is room for it. 0: none, and a full disk may refuse these calls, too.
  std::uint64_t disk_reserve_bytes = 0;

  // A read outside snapshots and transactions that meets a dead row removes it.
  bool purge_on_read = true;

  // Accepts any instant as a deadline. Off: one that is probably in seconds or microseconds is
  // Invalid.
  bool allow_any_instant = false;

  // A wall clock that gains more than this on the steady one, in sum, stops physical deletion until
  // ConfirmClock() or RevertClock(); rows are hidden by the wall clock all the same. At open the
  // steady clock shows how long the database was closed. If the machine was restarted since, any
  // time is accepted after an orderly close; after a crash, a time within this bound or one that a
  // time server confirms. Raising it lets a wrong clock remove more.
  Millis clock_jump_max = std::chrono::hours(12);

  // A snapshot, transaction or cursor older than this is revoked: its calls return Conflict from
  // then on. For keyspaces with purge_within: rows that it shows cannot be removed, which would
  // break the promise. The reaper and Reclaim() check the age. Nothing: no limit. Costs a lock per
  // read from a snapshot, transaction or cursor.
  std::optional<Millis> state_age_max = std::nullopt;

  // Where time comes from. Null: the system's clock. Must outlive the database.
  const Clock* clock = nullptr;

  // Receives lines about background work and anomalies. Null: silence. Must outlive the database.
  Logger* logger = nullptr;
};

// A lock taken by Database::TakeLease(). The destructor releases it.
class Lease {
 public:
  virtual ~Lease() = default;
};

class Database {
 public:
  // Opens or creates a database. Busy when it is open for writing already, in this process or
  // another, and this would write, too; Unsupported when a newer mayfly wrote it; WrongPassword
  // when it is encrypted and the password is missing or wrong; Invalid when a password is given and
  // it is not encrypted; NotFound when it is missing and must exist; Corruption and IoError when
  // the storage fails. Messages name the directory.
  static Result<std::unique_ptr<Database>> Open(const DatabaseOptions& options);

  virtual ~Database() = default;  // Closes.
  Database(const Database&) = delete;
  Database& operator=(const Database&) = delete;

  // Closes the database; afterwards every call returns Invalid. Busy while transactions, snapshots,
  // cursors or reapers are alive: nothing is closed. After any other error the database is closed,
  // but the next open recovers as after a crash.
  virtual Status Close() = 0;

  // The keyspace called "default", which always exists.
  virtual Keyspace& default_keyspace() = 0;

  // Creates a keyspace. Invalid when the name is empty, longer than 255 bytes, begins with two
  // underscores, or is taken, or when the policy contradicts itself.
  virtual Result<std::shared_ptr<Keyspace>> CreateKeyspace(const std::string& name,
                                                           const KeyspacePolicy& policy = {}) = 0;

  // Opens a keyspace. NotFound when none has that name.
  virtual Result<std::shared_ptr<Keyspace>> OpenKeyspace(const std::string& name) = 0;

  virtual Result<std::vector<std::string>> ListKeyspaces() const = 0;

  // Removes a keyspace with all its rows at once, without events. The default keyspace cannot be
  // dropped.
  virtual Status DropKeyspace(const std::string& name) = 0;

  // Takes a process-local named lock, so that for example only one Tables is open. Busy while it is
  // held. Nothing is written, and the database gives names no meaning.
  virtual Result<std::unique_ptr<Lease>> TakeLease(const std::string& lease) = 0;

  // Begins a transaction. Close() is Busy while it is alive.
  virtual Result<std::unique_ptr<Transaction>> Begin() = 0;

  // Runs `work` in a transaction and commits it; after a Conflict again, up to `attempts_max` times
  // in all. An error of `work` rolls the transaction back and is returned.
  Status Transact(const std::function<Status(Transaction&)>& work, int attempts_max = 16);

  // Takes a snapshot of all keyspaces. Close() is Busy while it is alive.
  virtual Result<std::unique_ptr<Snapshot>> NewSnapshot() = 0;

  // Removes dead rows of all keyspaces, oldest first within each; O(dead). Open snapshots and
  // transactions keep showing the rows they see.
  virtual Result<PurgeReport> Purge(const PurgeOptions& options = {}) = 0;

  // Starts a thread that purges rows as they die. The thread ends with the handle.
  virtual Result<std::unique_ptr<Reaper>> StartReaper(const ReaperOptions& options = {}) = 0;

  // Gives the space of purged and deleted rows back to the disk: removes files without visible
  // rows, rewrites files with a large share of dead bytes, and keeps the promises that are due.
  // Purges nothing by itself, unless `everything` is set. Runs on the calling thread.
  virtual Result<ReclaimReport> Reclaim(const ReclaimOptions& options = {}) = 0;

  // Reports what is left of dead rows, where, and why. Changes nothing.
  virtual Result<Proof> Prove(const ProofOptions& options = {}) const = 0;

  // Returns the next events after sequence `after`, at most `events_max`. A consumer that reads on
  // from the last sequence it processed sees each event at least once; the sequence identifies
  // repetitions.
  virtual Result<std::vector<Event>> ReadEvents(std::uint64_t after,
                                                std::size_t events_max) const = 0;

  // Returns the sequence of the newest event ever written, also if it has been trimmed; 0: none
  // yet.
  virtual std::uint64_t LastEventSequence() const = 0;

  // Returns the sequence up to which TrimEvents() removed events, or Restore() left them out; 0:
  // neither did. Events missing after it belonged to keyspaces with purge_within.
  virtual std::uint64_t EventsTrimmedThrough() const = 0;

  // Removes events. Returns how many.
  virtual Result<std::uint64_t> TrimEvents(const EventTrim& trim) = 0;

  // Calls `callback` for every event from now on, until the subscription is destroyed.
  virtual Result<std::unique_ptr<EventSubscription>> Subscribe(EventCallback callback) = 0;

  // Makes everything committed so far at least this durable.
  virtual Status Sync(Durability durability) = 0;

  virtual Result<Statistics> GetStatistics() const = 0;

  virtual ClockReport clock_report() const = 0;

  // Confirms that the machine's clock is right after a jump: physical deletion goes on. Ok also
  // when no jump awaits it. Invalid while the machine's clock reads less than the database's time:
  // rows that are dead by that time may be alive.
  virtual Status ConfirmClock() = 0;

  // Call it when the machine's clock was wrong and has been set right. The database's time goes
  // back to what the clock reads now, or to what it would be without the jump if that is later.
  // Rows that the jump had hidden are visible again; none was removed. Rows written meanwhile keep
  // their deadlines, which were computed from the wrong time: give them new ones. If the clock was
  // wrong without a jump (for example from the start), rows it removed stay removed. Invalid while
  // the machine's clock does not read less than the database's time: set it right first. Waits for
  // writes and a Reclaim() that are under way.
  virtual Status RevertClock() = 0;

  // Compares rows, index and counters in one frozen state. Repairs only what the report names.
  virtual Result<CheckReport> Check(const CheckOptions& options = {}) = 0;

  // Writes one file with all rows, as of one state; other threads may write meanwhile. Invalid when
  // the file exists.
  virtual Result<BackupReport> Backup(const std::string& file) = 0;

  // Fills this database, which must be empty, from a backup. All or nothing: the file is checked
  // before the first row is written, and a restore that fails or is killed leaves the database
  // empty. A backup has no events. Sequence numbers continue after those of the source, so that a
  // consumer that reads on from a stored sequence can detect the gap (EventsTrimmedThrough()).
  virtual Result<RestoreReport> Restore(const std::string& file,
                                        const RestoreOptions& options = {}) = 0;

 protected:
  Database() = default;
};

}  // namespace mayfly

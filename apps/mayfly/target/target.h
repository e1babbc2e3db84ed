// target.h - the database that a subcommand works on: a folder, or a running server.
// Subcommands are written once, against this interface. DirectoryTarget implements it with the
// library, ServerTarget with commands over RESP. A call that one of the two cannot do returns
// Unsupported, and the message says what to use instead. One thread at a time.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "mayfly/database.h"
#include "server/dump/dumped_value.h"
#include "wire/reply.h"

namespace mayfly::app {

// How long a server may be silent, unless --timeout says otherwise. A reply comes within
// milliseconds, but beside a full disk or a long compaction a commit may take seconds.
inline constexpr Millis kTimeoutDefault(30'000);

struct TargetFlags {
  std::string target;    // A folder, or a URL.
  std::string keyspace;  // Empty: see OpenTarget().
  std::string key_file;  // With the password of an encrypted database.
  std::string tls_ca;    // Certificates to trust, PEM; empty: those of the system.
  bool tls_insecure = false;
  std::optional<Millis> timeout;  // kForever: none is set. Nothing: kTimeoutDefault, except for
                                  // Target::Command().
  bool create = false;            // A missing database, or keyspace, is made.
  bool offers_create = false;
  bool any_instant = false;  // Takes deadlines of any age: for rows that another database had.
};

enum class Access : std::uint8_t {
  kRead,   // Beside a process that has the folder open for writing.
  kWrite,  // Alone.
};

struct TargetRow {
  std::string key;
  std::string value;  // Empty for a collection.
  std::optional<WallTime> deadline;
  std::string type = "string";  // As TYPE says; of a folder's collection that was not read whole,
                                // "collection".
  std::optional<server::DumpedValue> collection = std::nullopt;  // Its members, if they were read.

  // A stream that was to be read with its members, and was not, since it has a max age.
  bool lacks_members() const { return type == "stream" && !collection; }

  std::size_t bytes() const;  // Of the value, or of all members.

  Lifetime lifetime() const { return deadline ? Lifetime::Until(*deadline) : Lifetime::Forever(); }
};

struct ScanRange {
  std::string prefix;
  std::uint64_t rows_max = UINT64_MAX;
  bool reverse = false;
  bool with_values = true;
  bool with_collections = false;  // With their members; one collection is in memory at a time.
  bool without_max_ages = false;  // Streams that have one come with their members, too, which have
                                  // no deadlines then.
};

// A row that was read with all its members, if it has any.
TargetRow WholeRow(std::string key, std::optional<WallTime> deadline, server::DumpedValue value);

// One whose members' deadlines no dump can hold: it has no members here.
TargetRow StreamWithMaxAge(std::string key, std::optional<WallTime> deadline);

// False ends the walk.
using RowVisitor = std::function<bool(const TargetRow&)>;

// How much is done, of about how much. False ends the work, with Conflict.
using Progress = std::function<bool(std::uint64_t done, std::uint64_t all)>;

// Of a server's commands, since it started.
struct CommandFigures {
  std::string name;
  std::uint64_t calls = 0;
  double p50_us = 0;
  double p99_us = 0;
};

// What `top` shows.
struct Activity {
  Statistics statistics;
  std::vector<DeadlineEntry> next;              // What dies next, soonest first.
  std::optional<std::uint64_t> commands_total;  // Nothing: a folder, which runs no commands.
  std::uint64_t clients = 0;
  std::vector<CommandFigures> commands;  // Those called most, first.
};

struct ProveRequest {
  std::string find;
};

class Target {
 public:
  virtual ~Target() = default;
  Target(const Target&) = delete;
  Target& operator=(const Target&) = delete;

  // As messages name it: the folder, or the address without the password.
  virtual std::string name() const = 0;
  virtual std::string keyspace() const = 0;

  // Keeps a database or keyspace that flags.create has made. Without this call it is removed again
  // when the target goes: so nothing is left of a command that fails.
  virtual void Keep() {}

  // Rows, of the chosen keyspace. NotFound: there is no living row.
  virtual Result<TargetRow> Get(Bytes key) = 0;
  virtual Status Put(Bytes key, Bytes value, Lifetime lifetime) = 0;
  virtual Status PutAll(const std::vector<TargetRow>& rows) = 0;  // By their deadlines.
  // As PutAll(), as one transaction, and collections, too; returns how many of the writes left a living row. One whose
  // instant has passed deletes the row under its key, as any write of a dead row does.
  virtual Result<std::uint64_t> Import(const std::vector<TargetRow>& rows) = 0;
  // Adds the members of row.collection to the collection under its key, and leaves its deadline.
  virtual Status Extend(const TargetRow& row) = 0;
  virtual Result<bool> Delete(Bytes key) = 0;
  virtual Status Expire(Bytes key, Lifetime lifetime) = 0;
  virtual Result<Millis> Ttl(Bytes key) = 0;  // kForever: no deadline.
  virtual Result<std::uint64_t> Count(Bytes prefix) = 0;
  virtual Status Scan(const ScanRange& range, const RowVisitor& visit) = 0;

  // Numbered databases, as a server has them.

  // Chooses the keyspace of this number for the calls above. A folder's is made if it is written.
  virtual Status UseDatabase(int number) = 0;

  // Those that exist, or hold something. Empty: a folder that no server has written.
  virtual Result<std::vector<int>> ListDatabases() = 0;

  // Libraries of functions, which belong to all numbered databases: their texts.
  virtual Result<std::vector<std::string>> Libraries() = 0;

  // In place of those with the same names; all or none in a folder.
  virtual Status AddLibraries(const std::vector<std::string>& texts) = 0;

  // Keyspaces.
  virtual Status CreateKeyspace(const std::string& name, const KeyspacePolicy& policy) = 0;
  virtual Status DropKeyspace(const std::string& name) = 0;
  virtual Result<KeyspacePolicy> Policy() = 0;
  virtual Status SetPolicy(const KeyspacePolicy& policy) = 0;

  // Time.
  virtual Result<std::vector<ForecastBucket>> Forecast(Millis bucket, std::size_t buckets) = 0;
  virtual Result<std::vector<Event>> ReadEvents(std::uint64_t after, std::size_t events_max) = 0;
  virtual Result<Statistics> Stats() = 0;
  virtual Result<Activity> ReadActivity(std::size_t next_max) = 0;

  // Upkeep.
  virtual Result<PurgeReport> Purge(std::uint64_t rows_max, Millis time_max) = 0;
  virtual Result<ReclaimReport> Compact(const Progress& progress) = 0;
  // `file`: of a server, a name within its folder of backups; empty: named after the instant.
  // Returns the path.
  virtual Result<std::pair<std::string, BackupReport>> Backup(const std::string& file,
                                                              const Progress& progress) = 0;
  virtual Result<CheckReport> Check(bool repair, const Progress& progress) = 0;
  virtual Result<Proof> Prove(const ProveRequest& request, const Progress& progress) = 0;

  // A command in the Redis protocol; for the shell. It may be one that waits: its reply has no
  // timeout unless one was set.
  virtual Result<Reply> Command(const std::vector<std::string>& args) = 0;

  // A command whose messages come one by one, until `visit` returns false. Conflict: Ctrl-C. The
  // target cannot be used any more then.
  virtual Status Listen(const std::vector<std::string>& args,
                        const std::function<bool(const Reply&)>& visit) = 0;

 protected:
  Target() = default;
};

// Opens the folder or connects to the server. Without a keyspace: of a server, the database that
// the URL names; of a folder that a server has written, "db0"; of another, "default".
Result<std::unique_ptr<Target>> OpenTarget(const TargetFlags& flags, Access access);

// True for redis://, rediss:// and unix://.
bool IsUrl(const std::string& target);

}  // namespace mayfly::app

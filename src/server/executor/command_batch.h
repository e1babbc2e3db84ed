// command_batch.h - one latched transaction of the server: maps database numbers to keyspaces,
// collects notifications, touches watches, and finds the clients that wait for changed keys.
//   Begin -> Run, Run, ... -> Commit
// Invariants: (1) Watched keys are touched before the commit, while their latches are held. (2)
// Notifications and messages are sent after the commit, or never. (3) A command that fails sends
// none. One thread; used again for the next transaction after Commit() or Abandon().
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/random.h"
#include "server/command/command_table.h"
#include "server/databases/database_key.h"
#include "server/databases/databases.h"
#include "server/session/server.h"
#include "wire/byte_buffer.h"

namespace mayfly::server {

// Which keys a latched transaction may access.
enum class KeyReach : std::uint8_t {
  kKeys,        // Those it names.
  kWalks,       // And all others, read-only, as of one moment.
  kEverything,  // All keys, for reading and writing.
};

// The reach that a command needs.
inline KeyReach ReachOf(const CommandEntry& entry) {
  if (entry.Is(kEverything)) return KeyReach::kEverything;
  return entry.Is(kWalks) ? KeyReach::kWalks : KeyReach::kKeys;
}

class CommandBatch final : public CallHost, private core::CommitWitness {
 public:
  // `counters`: those of the calling thread.
  CommandBatch(Server& server, ThreadCounters& counters, std::uint64_t seed);

  // The transactions to come run commands of a leader; null: of clients.
  void set_leader(LeaderStream* leader) { leader_ = leader; }
  LeaderStream* leader() const { return leader_; }

  // The transactions to come are on this database; null: on the server's own.
  // `slot`: of the keys; nothing: there are none.
  void Use(std::shared_ptr<ServedDatabase> data, std::optional<engine::Slot> slot = std::nullopt);
  std::optional<engine::Slot> slot() const { return slot_; }
  const std::shared_ptr<ServedDatabase>& used() const { return used_; }

  // Waits for the latches. Creates missing keyspaces.
  Status Begin(std::span<const DatabaseKeyView> keys, KeyReach reach);

  // For commands that touch no row: no transaction is begun, and Run() passes none.
  void BeginWithout() { RefreshMapping(); }

  struct Order {
    const CommandEntry& entry;
    std::span<const Bytes> args;
    OutputBuffer& out;
    ProtocolVersion version;
    int database;
    Session* session = nullptr;  // Null when another thread's session is served.
    bool may_block = false;
    bool retried = false;
    bool within = false;  // A transaction of commands: one to followers, too.
  };
  Answer Run(const Order& order);

  // Removes those of the rows that are still to be removed, in the transaction begun for them; tells
  // each. Returns how many.
  Result<std::uint64_t> Evict(std::span<const Victim> victims, EvictionPolicy policy);

  // The request of the command that ran last, when it answered Later().
  std::optional<BlockRequest> TakeBlock() { return std::exchange(block_, std::nullopt); }

  // Whether a client waits for a key changed so far.
  bool Wakes() const;

  // On an error nothing happened, unless happened() is true: then the commit is visible and only
  // could not be made durable. Afterwards ready() are the changed keys that clients wait for.
  // `commands`: of a leader, how many of its pipeline the transaction covers.
  Status Commit(std::size_t commands = 1);
  bool happened() const { return happened_; }

  // The offset in the stream to followers behind what the last commit fed; 0: it fed nothing.
  std::int64_t fed_to() const { return fed_to_; }
  void Abandon();
  std::vector<DatabaseKey>& ready() { return ready_; }

  // The command that ran last needs all keys; see CallHost.
  bool asked_for_everything() const { return asked_for_everything_; }

  // As Abandon(), for a run that is repeated: its reads are not counted either.
  void Forget();

  core::LatchedTransaction* transaction() { return transaction_.get(); }
  const Databases::Mapping& mapping() const { return *mapping_; }

  // FLUSHDB, FLUSHALL, SWAPDB: within a latched transaction on everything.
  Status Flush(int database);
  Status Swap(int a, int b);

  // The client whose changes these are. Null: nobody's.
  void set_client(const Session* client) { client_ = client; }
  const Session* client() const { return client_; }

  // Enters the keys that the command read in the table of tracking, for this client. Call it while
  // the transaction holds them.
  void RememberReads(std::uint64_t client, const CommandSpec& spec, std::span<const Bytes> args,
                     int database);

  // Notifies clients that track what has changed; call it after Commit() or Abandon().
  void NotifyTrackers() {
    if (!invalidations_.empty()) DeliverInvalidations();
  }

  // CallHost.
  core::TransactionKeyspace& Space(core::LatchedTransaction& transaction, int database) override;
  core::TransactionKeyspace* OwnSpace(core::LatchedTransaction& transaction) override;
  int databases() const override { return data_->databases.count(); }
  std::uint64_t tenure() const override { return data_->tenure; }
  void Notify(NotifyClass kind, std::string_view event, int database, Bytes key) override;
  bool Wants(NotifyClass kind) const override { return server_.Wants(kind); }
  void Block(BlockRequest request) override { block_ = std::move(request); }
  bool TooMuchToSend(std::uint64_t bytes) override;
  void NoteReads(int database, std::span<const Bytes> keys) override;
  bool tracks_reads() const override;
  void CountReads(std::uint64_t found, std::uint64_t missed) override {
    reads_found_ += found;
    reads_missed_ += missed;
  }
  bool on_cluster() const override { return server_.cluster() != nullptr; }
  bool Reaches(Bytes key) const override {
    return !on_cluster() || (slot_ && *slot_ == engine::SlotOf(key));
  }
  bool has_everything() const override { return scope_.everything; }
  void AskForEverything() override { asked_for_everything_ = true; }
  void FeedDeaths(core::LatchedTransaction& transaction, CommandFeed& feed) override;
  bool is_leader() const override { return leader_ != nullptr; }
  const Clock& real_clock() const override { return server_.real_clock(); }
  Random& random() override { return random_; }
  EncodingLimits encoding_limits() const override;
  ScanCursors& scan_cursors() override { return server_.scan_cursors(); }
  PiecedStrings& pieced_strings() override { return server_.pieced_strings(); }
  Database* database_handle() override { return &data_->database; }
  Keyspace* own_keyspace() override { return &data_->databases.own(); }
  Keyspace* keyspace(int database) override;
  Server* server() override { return &server_; }
  Session* session() override { return session_; }
  AclContext* acl() override;
  PubSubContext* pubsub() override;
  ScriptContext* scripts() override;

 private:
  struct Notification {
    NotifyClass kind;
    std::string event;
    int database;
    std::string key;
  };

  void Committed() override;
  Status FeedDeadlines();
  Status BeginOnce(std::span<const DatabaseKeyView> keys, KeyReach reach);
  void RefreshMapping();
  void MarkChanged();
  void DeliverInvalidations();
  void RememberRead(std::uint64_t client, const DatabaseKeyView& key);
  Status MakeKnown(bool changed);
  void SendNotifications();
  void Reset();

  Server& server_;
  ThreadCounters& counters_;
  const std::atomic<std::int64_t>& fsync_;  // appendfsync.
  Random random_;
  std::shared_ptr<ServedDatabase> used_;  // Null: the server's own.
  ServedDatabase* data_;                  // The same, never null.
  std::optional<engine::Slot> slot_;
  std::shared_ptr<const Databases::Mapping> mapping_;  // Reused by the next transaction.
  std::uint64_t generation_ = 0;                       // Of mapping_.
  std::shared_ptr<const Databases::Mapping> swapped_;  // To install with the commit.
  const std::unique_ptr<core::TransactionMemory> memory_ = core::NewTransactionMemory();
  std::unique_ptr<core::LatchedTransaction> transaction_;
  LeaderStream* leader_ = nullptr;
  CommandFeed feed_;  // Of the transaction, for followers.
  std::int64_t fed_to_ = 0;
  Session* session_ = nullptr;
  const Session* client_ = nullptr;
  Invalidations invalidations_;   // To be sent after the commit.
  std::vector<KeyUse> key_uses_;  // A member to reuse its memory.
  std::optional<BlockRequest> block_;
  std::vector<Notification> notifications_;
  std::vector<DatabaseKey> ready_;
  bool happened_ = false;  // The last commit took effect.
  bool cleared_ = false;   // A database was emptied: no list of changed keys shows that.
  bool asked_for_everything_ = false;
  std::uint64_t reads_found_ = 0;  // Added to the counters when the transaction ends.
  std::uint64_t reads_missed_ = 0;
  std::vector<int> waiting_databases_;  // All their waiters are served: after SWAPDB.
  core::KeySet scope_;                  // Kept for its memory.
};

}  // namespace mayfly::server

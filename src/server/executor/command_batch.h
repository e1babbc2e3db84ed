// command_batch.h - one transaction with all that goes with it in a server: which keyspaces the
// numbers of databases mean, notifications, watches, who waits for what was changed.
//   Begin -> Run, Run, ... -> Commit
// Invariants: (1) What is watched is touched before the commit, while its latch is held. (2) What
// is told to others (notifications, messages) is told after the commit, or never. (3) A command
// that fails tells nothing. One thread; used again for the next transaction after Commit() or
// Abandon().
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

// Which keys a latched transaction may look at.
enum class KeyReach : std::uint8_t {
  kKeys,        // Those it names.
  kWalks,       // And all others, as they were at one moment.
  kEverything,  // All of them, to change them, too.
};

// What the commands of a latched transaction need together.
inline KeyReach ReachOf(const CommandEntry& entry) {
  if (entry.Is(kEverything)) return KeyReach::kEverything;
  return entry.Is(kWalks) ? KeyReach::kWalks : KeyReach::kKeys;
}

class CommandBatch final : public CallHost {
 public:
  // `counters`: of the thread that uses it.
  CommandBatch(Server& server, ThreadCounters& counters, std::uint64_t seed);

  // Waits for the latches. Keyspaces are made as needed.
  Status Begin(std::span<const DatabaseKeyView> keys, KeyReach reach);

  // For commands that need no work: Begin() is spared, Run() gives them none.
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
  };
  Answer Run(const Order& order);

  // What the command that ran last asked for, when it answered Later().
  std::optional<BlockRequest> TakeBlock() { return std::exchange(block_, std::nullopt); }

  // Whether somebody waits for what has been changed so far.
  bool Wakes() const;

  // Ok, or what went wrong: then nothing happened, unless happened() says that it did and only
  // could not be made durable. Afterwards ready() are the changed keys somebody waits for.
  Status Commit();
  bool happened() const { return happened_; }
  void Abandon();
  std::vector<DatabaseKey>& ready() { return ready_; }

  // The command that ran last cannot do with its keys; see CallHost.
  bool asked_for_everything() const { return asked_for_everything_; }

  // As Abandon(), for a run that is repeated: its reads are not counted either.
  void Forget();

  core::LatchedTransaction* transaction() { return transaction_.get(); }
  const Databases::Mapping& mapping() const { return *mapping_; }

  // FLUSHDB, FLUSHALL, SWAPDB: within a latched transaction on everything.
  Status Flush(int database);
  Status Swap(int a, int b);

  // CallHost.
  core::LatchedKeyspace& Space(core::LatchedTransaction& transaction, int database) override;
  int databases() const override { return server_.databases().count(); }
  void Notify(NotifyClass kind, std::string_view event, int database, Bytes key) override;
  bool Wants(NotifyClass kind) const override { return server_.Wants(kind); }
  void Block(BlockRequest request) override { block_ = std::move(request); }
  bool TooMuchToSend(std::uint64_t bytes) override;
  void CountReads(std::uint64_t found, std::uint64_t missed) override {
    reads_found_ += found;
    reads_missed_ += missed;
  }
  bool has_everything() const override { return scope_.everything; }
  void AskForEverything() override { asked_for_everything_ = true; }
  Random& random() override { return random_; }
  std::int64_t Setting(std::string_view name) const override {
    return server_.config().Number(name);
  }
  ScanCursors& scan_cursors() override { return server_.scan_cursors(); }
  PiecedStrings& pieced_strings() override { return server_.pieced_strings(); }
  Database* database_handle() override { return &server_.database(); }
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

  Status BeginOnce(std::span<const DatabaseKeyView> keys, KeyReach reach);
  void RefreshMapping();
  void MarkChanged();
  Status MakeKnown(bool changed);
  void TellNotifications();
  void Reset();

  Server& server_;
  ThreadCounters& counters_;
  const std::atomic<std::int64_t>& fsync_;  // appendfsync.
  Random random_;
  std::shared_ptr<const Databases::Mapping> mapping_;  // Kept from work to work.
  std::uint64_t generation_ = 0;                       // Of mapping_.
  std::shared_ptr<const Databases::Mapping> swapped_;  // To install with the commit.
  std::unique_ptr<core::LatchedTransaction> transaction_;
  Session* session_ = nullptr;
  std::optional<BlockRequest> block_;
  std::vector<Notification> notifications_;
  std::vector<DatabaseKey> ready_;
  bool happened_ = false;  // What was committed last.
  bool cleared_ = false;   // A database was: that is in no list of changed keys.
  bool asked_for_everything_ = false;
  std::uint64_t reads_found_ = 0;  // Counted with the end of the transaction.
  std::uint64_t reads_missed_ = 0;
  std::vector<int> waiting_databases_;  // All their waiters are to be looked at: after SWAPDB.
  core::KeySet scope_;                  // Kept for its memory.
};

}  // namespace mayfly::server

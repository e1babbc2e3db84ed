// call_host.h - what a handler may ask of its caller, cut by need.
// A handler has the whole of it, as Call::host. A function that needs one part takes that part, so
// that its signature shows what it touches.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/random.h"
#include "core/transactions/latched_transaction.h"
#include "mayfly/bytes.h"
#include "mayfly/clock.h"

namespace mayfly {
class Database;
class Keyspace;
class ReplyWriter;
}  // namespace mayfly

namespace mayfly::server {

class CommandFeed;
class PiecedStrings;
class ScanCursors;
class Server;
class Session;
struct Waiter;         // server/session/waiting_clients.h
struct AclContext;     // server/acl/acl_commands.h
struct PubSubContext;  // server/pubsub/pubsub_commands.h
class ScriptContext;   // server/scripting/script_context.h

// Classes of keyspace notifications; the letters are those of notify-keyspace-events.
enum class NotifyClass : char {
  kGeneric = 'g',
  kString = '$',
  kList = 'l',
  kSet = 's',
  kHash = 'h',
  kSortedSet = 'z',
  kStream = 't',
  kExpired = 'x',
  kEvicted = 'e',
  kKeyMiss = 'm',
  kNew = 'n',
};

// A request to block the client until one of these keys changes.
struct BlockRequest {
  std::vector<std::string> keys;
  std::optional<Millis> timeout;  // Nothing: for ever.
  bool null_array = true;         // The reply when the time is over: a null array, or a null.
  bool also_removed = false;      // Also when a key was removed, or replaced by another type.
  // With these the command runs again, where what it was given meant the moment it blocked; empty:
  // with its own.
  std::vector<std::string> args = {};
  // Another reply when the time is over; and a callback that gets the waiter once the client waits.
  // For a wait that no key ends.
  std::function<void(ReplyWriter& reply)> at_end = nullptr;
  std::function<void(const std::shared_ptr<Waiter>& waiter)> parked = nullptr;
};

// Bounds up to which OBJECT ENCODING names the encoding of a small collection, and a HyperLogLog is
// sparse; they are settings, such as hash-max-listpack-entries.
struct EncodingLimits {
  std::int64_t hash_entries = 0;
  std::int64_t hash_bytes = 0;  // Of a field, or of its value.
  std::int64_t set_integers = 0;
  std::int64_t sorted_set_entries = 0;
  std::int64_t sorted_set_bytes = 0;  // Of a member.
  std::int64_t stream_node_entries = 100;
  std::int64_t sparse_hyperloglog_bytes = 3000;  // Larger ones become dense.
};

// The numbered databases.
class HostDatabases {
 public:
  virtual ~HostDatabases() = default;

  virtual int databases() const = 0;
  virtual core::TransactionKeyspace& Space(core::LatchedTransaction& transaction, int database) = 0;

  // Of the database that the command runs on (ServedDatabase); 0 without a cluster.
  virtual std::uint64_t tenure() const { return 0; }

  // The server's own rows, which no client names. Null in tests that need none.
  virtual core::TransactionKeyspace* OwnSpace(core::LatchedTransaction& /*transaction*/) {
    return nullptr;
  }

  // For commands without a latched transaction; a holder of one must not call them. The keyspace of
  // a numbered database is created if missing. Null in tests that need none.
  virtual Keyspace* own_keyspace() { return nullptr; }
  virtual Database* database_handle() { return nullptr; }
  virtual Keyspace* keyspace(int /*database*/) { return nullptr; }
};

// Keyspace notifications.
class HostNotifications {
 public:
  virtual ~HostNotifications() = default;

  // Published after the commit, if the configuration asks for its class.
  virtual void Notify(NotifyClass kind, std::string_view event, int database, Bytes key) = 0;

  // Whether notifications of the class are published: for handlers that need extra reads to make
  // one.
  virtual bool Wants(NotifyClass /*kind*/) const { return true; }
};

// The client that gets the reply.
class HostClient {
 public:
  virtual ~HostClient() = default;

  // The handler returns Answer::Later() after this. When one of the keys has changed the command
  // runs again from the start, with Call::retried set.
  virtual void Block(BlockRequest request) = 0;

  // A script has read these keys, which the transaction holds: for clients that track what they
  // read. May be called although it does not track.
  virtual void NoteReads(int /*database*/, std::span<const Bytes> /*keys*/) {}
  virtual bool tracks_reads() const { return false; }

  // Whether it is a leader, or a file of commands, whose commands were run and rewritten elsewhere:
  // what a client may not say, they may.
  virtual bool is_leader() const { return false; }

  // Whether a reply of so many bytes exceeds the client's output limit. If so the client is closed
  // when the command ends, whatever it answers.
  virtual bool TooMuchToSend(std::uint64_t /*bytes*/) { return false; }
};

// Whether the transaction is on all keys, or on the keys that the command names alone. Only a
// script may need to know.
class HostScope {
 public:
  virtual ~HostScope() = default;

  // After AskForEverything() the command returns any error; its effects are discarded, and it runs
  // again from the start, alone, on all keys.
  virtual bool has_everything() const { return true; }
  virtual void AskForEverything() {}
};

// What commands use beside rows.
class HostTools {
 public:
  virtual ~HostTools() = default;

  // For measuring: real time, even when the clock of rows is moved by hand.
  virtual const Clock& real_clock() const = 0;

  virtual Random& random() = 0;
  virtual EncodingLimits encoding_limits() const = 0;
  virtual ScanCursors& scan_cursors() = 0;
  virtual PiecedStrings& pieced_strings() = 0;
};

// The contexts of families; null where a family is not offered.
class HostContexts {
 public:
  virtual ~HostContexts() = default;

  // Null in tests of commands that need neither.
  virtual Server* server() = 0;
  virtual Session* session() = 0;

  virtual AclContext* acl() { return nullptr; }
  virtual PubSubContext* pubsub() { return nullptr; }
  virtual ScriptContext* scripts() { return nullptr; }
};

// The cluster that the command runs on, if there is one.
class HostCluster {
 public:
  virtual ~HostCluster() = default;

  virtual bool on_cluster() const { return false; }

  // Whether a command may touch the key: it is in the slot of the keys that were named. Without a
  // cluster, always.
  virtual bool Reaches(Bytes /*key*/) const { return true; }
};

class CallHost : public HostDatabases,
                 public HostNotifications,
                 public HostClient,
                 public HostScope,
                 public HostTools,
                 public HostCluster,
                 public HostContexts {
 public:
  // Counts keys that a command read: hits and misses. For run_handler.h.
  virtual void CountReads(std::uint64_t /*found*/, std::uint64_t /*missed*/) {}

  // Feeds what the transaction has found dead, in front of the command that runs. For run_handler.h.
  virtual void FeedDeaths(core::LatchedTransaction& /*transaction*/, CommandFeed& /*feed*/) {}
};

}  // namespace mayfly::server

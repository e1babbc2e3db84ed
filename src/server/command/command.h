// command.h - what a command is: one line of a family's table, and a handler.
// A handler starts with well-formed arguments: arity is checked, keys are latched, permissions are
// checked. It parses, makes its calls into types and core, and writes one reply. When it returns an
// error, its writes to the store and to the reply are rolled back: so check as late as you like,
// but never reply before you know. Handlers are free functions and keep no state.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "base/random.h"
#include "core/transactions/latched_transaction.h"
#include "mayfly/bytes.h"
#include "mayfly/clock.h"
#include "server/command/answer.h"
#include "server/command/key_spec.h"
#include "wire/reply_writer.h"

namespace mayfly {
class Database;
class Keyspace;
}  // namespace mayfly

namespace mayfly::server {

class PiecedStrings;
class ScanCursors;
class Server;
class Session;
struct AclContext;     // server/acl/acl_commands.h
struct PubSubContext;  // server/pubsub/pubsub_commands.h
class ScriptContext;   // server/scripting/script_context.h

// The flags of COMMAND INFO, and some of mayfly's own.
enum CommandFlag : std::uint32_t {
  kWrite = 1u << 0,
  kReadOnly = 1u << 1,
  kDenyOom = 1u << 2,
  kAdmin = 1u << 3,
  kPubSub = 1u << 4,
  kNoScript = 1u << 5,
  kBlocking = 1u << 6,
  kLoading = 1u << 7,
  kStale = 1u << 8,
  kSkipMonitor = 1u << 9,
  kSkipSlowlog = 1u << 10,
  kFast = 1u << 11,
  kNoAuth = 1u << 12,
  kNoMulti = 1u << 13,
  kAllowBusy = 1u << 14,
  kNoMandatoryKeys = 1u << 15,
  kDangerous = 1u << 16,  // Of ACL's category of that name.

  kNoRows = 1u << 17,  // Touches no row: `Call::transaction` is null.
  kEverything =
      1u << 18,       // May touch keys it does not name: gets a latched transaction on all keys.
  kWalks = 1u << 19,  // Reads keys it does not name, as of one moment.

  kPublishes = 1u << 20,        // Sends to the channel in its first argument: a kind of write.
  kSubscribes = 1u << 21,       // Its arguments are channels to listen to.
  kPatterns = 1u << 22,         // Its arguments are patterns of channels to listen to.
  kWhileSubscribed = 1u << 23,  // Answered while the client listens to channels.
  kWithinMulti = 1u << 24,      // Answered, and not queued, while MULTI is open.
  kExecutes = 1u << 25,         // Runs the queued commands: EXEC.
  kSelects = 1u << 26,          // Changes the selected database: SELECT.
  kSetsReplies = 1u << 27,      // Says which replies are wanted: CLIENT REPLY.
  kSavesFirst = 1u << 28,       // Waits for a script that runs, unless NOSAVE is given: SHUTDOWN.
  kByDigest = 1u << 29,         // Names a cached script by digest, where others bring its text.
  kSortsMembers = 1u << 30,     // Reads lists, sets and sorted sets, to ACL's categories: SORT.
};

// ACL's categories that do not follow from flags: one per family.
enum class Category : std::uint8_t {
  kKeyspace,
  kString,
  kBitmap,
  kHash,
  kList,
  kSet,
  kSortedSet,
  kPubSub,
  kConnection,
  kTransaction,
  kScripting,
  kAdmin,
};

// Classes of keyspace notifications; the letters are those of notify-keyspace-events.
enum class NotifyClass : char {
  kGeneric = 'g',
  kString = '$',
  kList = 'l',
  kSet = 's',
  kHash = 'h',
  kSortedSet = 'z',
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
};

// Bounds up to which OBJECT ENCODING names the encoding of a small collection; they are settings,
// such as hash-max-listpack-entries.
struct EncodingLimits {
  std::int64_t hash_entries = 0;
  std::int64_t hash_bytes = 0;  // Of a field, or of its value.
  std::int64_t set_integers = 0;
  std::int64_t sorted_set_entries = 0;
  std::int64_t sorted_set_bytes = 0;  // Of a member.
};

// What a handler may ask of its caller.
class CallHost {
 public:
  virtual ~CallHost() = default;

  virtual core::LatchedKeyspace& Space(core::LatchedTransaction& transaction, int database) = 0;
  virtual int databases() const = 0;

  // Published after the commit, if the configuration asks for its class.
  virtual void Notify(NotifyClass kind, std::string_view event, int database, Bytes key) = 0;

  // Whether notifications of the class are published: for handlers that need extra reads to make
  // one.
  virtual bool Wants(NotifyClass /*kind*/) const { return true; }

  // The handler returns Answer::Later() after this. When one of the keys has changed the command
  // runs again from the start, with Call::retried set.
  virtual void Block(BlockRequest request) = 0;

  // Whether a reply of so many bytes exceeds the client's output limit. If so the client is closed
  // when the command ends, whatever it answers.
  virtual bool TooMuchToSend(std::uint64_t /*bytes*/) { return false; }

  // Counts keys that a command read: hits and misses.
  virtual void CountReads(std::uint64_t /*found*/, std::uint64_t /*missed*/) {}

  // Whether the transaction is on all keys, or on the keys that the command names alone. After
  // AskForEverything() the command returns any error; its effects are discarded, and it runs again
  // from the start, alone, on all keys. Only a script may need this.
  virtual bool has_everything() const { return true; }
  virtual void AskForEverything() {}

  // For measuring: real time, even when the clock of rows is moved by hand.
  virtual const Clock& real_clock() const = 0;

  virtual Random& random() = 0;
  virtual EncodingLimits encoding_limits() const = 0;
  virtual ScanCursors& scan_cursors() = 0;
  virtual PiecedStrings& pieced_strings() = 0;

  // For commands without a latched transaction; a holder of one must not call them. The keyspace of
  // a numbered database is created if missing. Null in tests that need neither.
  virtual Database* database_handle() { return nullptr; }
  virtual Keyspace* keyspace(int /*database*/) { return nullptr; }

  // Null in tests of commands that need neither.
  virtual Server* server() = 0;
  virtual Session* session() = 0;

  // The contexts of these families; null where they are not offered.
  virtual AclContext* acl() { return nullptr; }
  virtual PubSubContext* pubsub() { return nullptr; }
  virtual ScriptContext* scripts() { return nullptr; }
};

// One run of a command.
struct Call {
  std::span<const Bytes> args;  // args[0] is its name, as the client wrote it.
  ReplyWriter& reply;
  core::LatchedTransaction* transaction;  // Null for kNoRows.
  int database;                           // The selected one.
  CallHost& host;
  bool may_block = false;  // Not in a transaction or script: there, time is over at once.
  bool retried = false;    // After a block.
  bool from_script = false;
  // The instant of the transaction or script it runs within, for a call without a transaction.
  std::optional<WallTime> frozen_now = std::nullopt;

  core::LatchedKeyspace& space() const { return host.Space(*transaction, database); }
  WallTime now() const { return transaction->now(); }
  void Notify(NotifyClass kind, std::string_view event, Bytes key) const {
    host.Notify(kind, event, database, key);
  }
};

using Handler = Answer (*)(Call& call);

// Adds the positions of passwords and other secrets among the arguments, which are shown to other
// clients as "(redacted)" (shown_args.h).
using SecretFinder = void (*)(std::span<const Bytes> args, std::vector<std::size_t>& positions);

struct CommandSpec {
  std::string_view name;  // Lower case.
  int arity;              // With the name; negative: at least.
  std::uint32_t flags;
  KeySpecs keys;
  Handler handler;           // Null for a container of subcommands.
  std::string_view summary;  // One sentence.
  std::span<const CommandSpec> subcommands = {};
  SecretFinder secrets = nullptr;  // Null: no secrets.
};

struct CommandFamily {
  std::string_view group;  // As COMMAND DOCS names it: "string", "hash", "sorted-set", ...
  Category category;
  std::span<const CommandSpec> commands;
};

}  // namespace mayfly::server

// command.h - what a command is: one line of a family's table, and a handler.
// A handler starts with well-formed arguments: arity is checked, keys are latched, permissions are
// checked. It parses, makes its calls into types and core, and writes one reply. When it returns an
// error, its writes to the store and to the reply are rolled back: so check as late as you like,
// but never reply before you know. Handlers are free functions and keep no state.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string_view>
#include <vector>

#include "core/transactions/latched_transaction.h"
#include "mayfly/bytes.h"
#include "mayfly/clock.h"
#include "server/command/answer.h"
#include "server/command/call_host.h"
#include "server/command/command_feed.h"
#include "server/command/key_spec.h"
#include "server/command/manual/command_manual.h"
#include "wire/reply_writer.h"

namespace mayfly::server {

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
  kStreams = 1u << 31,          // Sends messages until the client goes: MONITOR, SYNC.
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
  kStream,
  kHyperLogLog,
  kGeo,
  kPubSub,
  kConnection,
  kTransaction,
  kScripting,
  kFunctions,  // Calls of functions; ACL and COMMAND DOCS count them as scripting.
  kAdmin,
};

constexpr bool IsScripting(Category category) {
  return category == Category::kScripting || category == Category::kFunctions;
}

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
  CommandFeed* feed = nullptr;  // Null: nobody follows this server.

  core::TransactionKeyspace& space() const { return host.Space(*transaction, database); }
  // The instant from which a length of time counts; and the one at which rows are living or dead,
  // and a deadline that a command sets has passed or not. They differ for commands of a leader.
  WallTime now() const { return transaction->now(); }
  WallTime judged_at() const { return transaction->judged_at(); }
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
  Handler handler;  // Null for a container of subcommands.
  CommandManual manual;
  std::span<const CommandSpec> subcommands = {};
  SecretFinder secrets = nullptr;  // Null: no secrets.
};

// What a command does to this one of its keys. One that only reads may store what it made of the
// value, as PFCOUNT does.
constexpr bool Changes(const CommandSpec& spec, const KeyUse& use) {
  return (spec.flags & kWrite) != 0 || ((spec.flags & kReadOnly) != 0 && IsChanged(use.flags));
}

// Whether it changes or publishes anything; Redis counts both as writing.
inline bool MayChange(const CommandSpec& spec) {
  return (spec.flags & (kWrite | kPublishes)) != 0 ||
         ((spec.flags & kReadOnly) != 0 && ChangesKeys(spec.keys));
}

struct CommandFamily {
  std::string_view group;  // As COMMAND DOCS names it: "string", "hash", "sorted-set", ...
  Category category;
  std::span<const CommandSpec> commands;
};

}  // namespace mayfly::server

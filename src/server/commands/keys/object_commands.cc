// object_commands.cc - OBJECT and MEMORY: the encoding of values, and their memory.
#include <string_view>

#include "server/command/arguments.h"
#include "server/command/errors.h"
#include "server/commands/support/families.h"
#include "server/commands/support/value_encoding.h"
#include "server/session/server.h"

namespace mayfly::server {
namespace {

// Overhead of a row or a member: tag, counts, deadline, the engine's header.
constexpr std::uint64_t kRowOverheadBytes = 32;

constexpr std::int64_t kSamplesDefault = 5;

// False, with a null as the reply, when the key does not exist.
Result<bool> FindObject(Call& call, core::FoundRow& row) {
  MAYFLY_RETURN_IF_ERROR(call.space().Find(call.args[2], row));
  if (!row.exists) call.reply.Null();
  return row.exists;
}

Answer Encoding(Call& call) {
  core::FoundRow row;
  MAYFLY_TRY(const bool found, FindObject(call, row));
  if (!found) return {};
  MAYFLY_TRY(const std::string_view encoding, EncodingOf(call, call.args[2], row));
  call.reply.Bulk(encoding);
  return {};
}

// Null unless the policy is an LRU or LFU.
const AccessTable* AccessesOf(const Call& call) {
  Server* const server = call.host.server();
  return server == nullptr ? nullptr : server->data_limit().accesses();
}

std::uint64_t HashOf(const Call& call) {
  return DatabaseKeyHash()(DatabaseKeyView{call.database, call.args[2]});
}

Answer Frequency(Call& call) {
  core::FoundRow row;
  MAYFLY_TRY(const bool found, FindObject(call, row));
  if (!found) return {};
  const AccessTable* const accesses = AccessesOf(call);
  if (accesses == nullptr || accesses->kind() != AccessTable::Kind::kLfu) {
    return Status::Invalid(
        "An LFU maxmemory policy is not selected, access frequency not tracked. Please note that "
        "when switching between policies at runtime LRU and LFU data will take some time to "
        "adjust.");
  }
  call.reply.Integer(accesses->Frequency(HashOf(call), call.host.server()->data_limit().pace()));
  return {};
}

Answer IdleTime(Call& call) {
  core::FoundRow row;
  MAYFLY_TRY(const bool found, FindObject(call, row));
  if (!found) return {};
  const AccessTable* const accesses = AccessesOf(call);
  if (accesses != nullptr && accesses->kind() == AccessTable::Kind::kLfu) {
    return Status::Invalid(
        "An LFU maxmemory policy is selected, idle time not tracked. Please note that when "
        "switching "
        "between policies at runtime LRU and LFU data will take some time to adjust.");
  }
  if (accesses == nullptr) {
    return Status::Invalid(
        "An LRU maxmemory policy is not selected, idle time not tracked: reads leave no trace in "
        "rows");
  }
  const auto idle = accesses->Idle(HashOf(call)).value_or(accesses->age());
  call.reply.Integer(std::chrono::duration_cast<std::chrono::seconds>(idle).count());
  return {};
}

Answer ReferenceCount(Call& call) {
  core::FoundRow row;
  MAYFLY_TRY(const bool found, FindObject(call, row));
  if (found) call.reply.Integer(1);
  return {};
}

void ReplyLines(Call& call, std::span<const std::string_view> lines) {
  call.reply.Array(lines.size());
  for (const std::string_view line : lines) call.reply.SimpleString(line);
}

Answer ObjectHelp(Call& call) {
  static constexpr std::string_view kLines[] = {
      "OBJECT <subcommand> [<arg> [value] [opt] ...]. Subcommands are:",
      "ENCODING <key>",
      "    Tell how Redis would keep this value.",
      "FREQ <key>",
      "    How often the key is used, as a logarithmic counter; under a policy of LFU only.",
      "IDLETIME <key>",
      "    Seconds since the key was used; under a policy of LRU only.",
      "REFCOUNT <key>",
      "    1: values are not shared.",
      "HELP",
      "    Show these lines.",
  };
  ReplyLines(call, kLines);
  return {};
}

// The bytes of the first `samples` members (0: all), extrapolated to all.
Result<std::uint64_t> MemberBytes(const Call& call, Bytes key, const core::FoundRow& row,
                                  core::Part part, std::uint64_t samples) {
  MAYFLY_TRY(const auto cursor, call.space().NewMemberCursor(key, part));
  std::uint64_t bytes = 0;
  std::uint64_t seen = 0;
  for (cursor->SeekToFirst(); cursor->Valid() && (samples == 0 || seen < samples);
       cursor->Next(), ++seen) {
    bytes += cursor->member().size() + cursor->value().size() + key.size() + kRowOverheadBytes;
  }
  MAYFLY_RETURN_IF_ERROR(cursor->status());
  return seen == 0 ? 0 : bytes * row.members / seen;
}

Answer MemoryUsage(Call& call) {
  const Bytes key = call.args[2];
  std::int64_t samples = kSamplesDefault;
  for (std::size_t i = 3; i < call.args.size(); i += 2) {
    if (!IsWord(call.args[i], "samples") || i + 1 == call.args.size()) return SyntaxError();
    MAYFLY_TRY(samples, IntegerArgument(call.args[i + 1]));
    if (samples < 0) return SyntaxError();
  }
  core::FoundRow row;
  MAYFLY_TRY(const bool found, FindObject(call, row));
  if (!found) return {};
  std::uint64_t bytes = key.size() + row.value.size() + kRowOverheadBytes;
  if (row.is_collection) {
    for (const core::Part part : {core::Part::kMembers, core::Part::kSides}) {
      MAYFLY_TRY(const std::uint64_t more,
                 MemberBytes(call, key, row, part, static_cast<std::uint64_t>(samples)));
      bytes += more;
    }
  }
  call.reply.Integer(static_cast<std::int64_t>(bytes));
  return {};
}

Answer MemoryHelp(Call& call) {
  static constexpr std::string_view kLines[] = {
      "MEMORY <subcommand> [<arg> [value] [opt] ...]. Subcommands are:",
      "DOCTOR",
      "    Tell what bounds the memory of the process.",
      "MALLOC-STATS",
      "    Show the figures of the allocator.",
      "PURGE",
      "    Give free memory back to the machine.",
      "STATS",
      "    Show what memory is used for.",
      "USAGE <key> [SAMPLES <count>]",
      "    Estimate the bytes that a key and its value take. Of a collection, <count> members are",
      "    looked at (5 unless said otherwise; 0: all).",
      "HELP",
      "    Show these lines.",
  };
  ReplyLines(call, kLines);
  return {};
}

constexpr std::uint32_t kHelps = kLoading | kStale | kNoRows;

// clang-format off
constexpr CommandSpec kObjectSubcommands[] = {
    {"encoding", 3, kReadOnly, SubcommandKey(kRO | kUnnotified | kUnused), Encoding,
     {"Tell how Redis would keep a value.", "2.2.3", "O(1)", "key"}},
    {"freq",     3, kReadOnly, SubcommandKey(kRO | kUnnotified | kUnused), Frequency,
     {"Tell how often a key is used, under a policy of LFU.", "4.0.0", "O(1)", "key"}},
    {"help",     2, kHelps,    kNoKeys,                         ObjectHelp,
     {"Tell about the subcommands.", "6.2.0", "O(1)"}},
    {"idletime", 3, kReadOnly, SubcommandKey(kRO | kUnnotified | kUnused), IdleTime,
     {"Tell for how long a key has not been used, under a policy of LRU.", "2.2.3", "O(1)", "key"}},
    {"refcount", 3, kReadOnly, SubcommandKey(kRO | kUnnotified | kUnused), ReferenceCount,
     {"Tell how many share a value; always one.", "2.2.3", "O(1)", "key"}},
};

constexpr CommandSpec kMemorySubcommands[] = {
    {"help",  2,  kHelps,    kNoKeys,                         MemoryHelp,
     {"Tell about the subcommands.", "4.0.0", "O(1)"}},
    {"usage", -3, kReadOnly, SubcommandKey(kRO | kUncounted | kUnused), MemoryUsage,
     {"Estimate the bytes that a key takes.", "4.0.0", "O(n) in the elements looked at", "key [SAMPLES count:int]"}},
};

constexpr CommandSpec kObjectCommands[] = {
    {"memory", -2, 0, kNoKeys, nullptr,
     {"Tell about memory.", "4.0.0", "O(1)"}, kMemorySubcommands},
    {"object", -2, 0, kNoKeys, nullptr,
     {"Tell how a value is kept.", "2.2.3", "O(1)"}, kObjectSubcommands},
};
// clang-format on

}  // namespace

CommandFamily ObjectFamily() { return {"generic", Category::kKeyspace, kObjectCommands}; }

}  // namespace mayfly::server

#include <fmt/format.h>

#include <array>

#include "base/glob.h"
#include "server/arguments.h"
#include "server/command_words.h"
#include "server/errors.h"
#include "server/help.h"
#include "server/own/key_flags.h"
#include "server/own/own_handlers.h"

namespace mayfly::server::own {
namespace {

void WriteNames(ReplyWriter& reply, const std::vector<std::string_view>& names) {
  reply.Set(names.size());
  for (const std::string_view name : names) reply.SimpleString(name);
}

// Where keys are, in the form of COMMAND INFO's key specifications: one that begins at an index and
// covers a range. Commands whose arguments tell where keys are have none, and say movablekeys.
void WriteKeySpecs(ReplyWriter& reply, const CommandEntry& entry) {
  const CommandSpec& spec = *entry.spec;
  if (spec.keys.first == 0 || spec.keys.find != nullptr) {
    reply.Set(0);
    return;
  }
  reply.Set(1);
  reply.Map(3);
  reply.Bulk("flags");
  WriteNames(reply, KeyFlags(entry, {}, true));
  reply.Bulk("begin_search");
  reply.Map(2);
  reply.Bulk("type");
  reply.Bulk("index");
  reply.Bulk("spec");
  reply.Map(1);
  reply.Bulk("index");
  reply.Integer(spec.keys.first);
  reply.Bulk("find_keys");
  reply.Map(2);
  reply.Bulk("type");
  reply.Bulk("range");
  reply.Bulk("spec");
  reply.Map(3);
  reply.Bulk("lastkey");
  reply.Integer(spec.keys.last < 0 ? spec.keys.last : spec.keys.last - spec.keys.first);
  reply.Bulk("keystep");
  reply.Integer(spec.keys.step);
  reply.Bulk("limit");
  reply.Integer(0);
}

void WriteInfo(ReplyWriter& reply, const CommandEntry& entry) {
  const CommandSpec& spec = *entry.spec;
  reply.Array(10);
  reply.Bulk(entry.full_name);
  reply.Integer(spec.arity);
  WriteNames(reply, FlagWords(entry));
  reply.Integer(spec.keys.first);
  reply.Integer(spec.keys.last);
  reply.Integer(spec.keys.step);
  WriteNames(reply, CategoryWords(entry));
  reply.Set(0);  // Tips.
  WriteKeySpecs(reply, entry);
  reply.Array(entry.subcommands.size());
  for (const CommandEntry* sub : entry.subcommands) WriteInfo(reply, *sub);
}

void WriteDocs(ReplyWriter& reply, const CommandEntry& entry) {
  reply.Bulk(entry.full_name);
  reply.Map(entry.subcommands.empty() ? 3 : 4);
  reply.Bulk("summary");
  reply.Bulk(entry.spec->summary);
  reply.Bulk("since");
  reply.Bulk("1.0.0");
  reply.Bulk("group");
  reply.Bulk(entry.group);
  if (entry.subcommands.empty()) return;
  reply.Bulk("subcommands");
  reply.Map(entry.subcommands.size());
  for (const CommandEntry* sub : entry.subcommands) WriteDocs(reply, *sub);
}

// The command whose keys are asked for, with its arguments.
Answer FindKeysOf(Call& call, std::span<const Bytes>& args, const CommandEntry*& entry,
                  std::vector<int>& positions) {
  args = call.args.subspan(2);
  const CommandTable& table = ServerOf(call).table();
  entry = table.Find(args[0]);
  if (entry != nullptr && !entry->subcommands.empty() && args.size() > 1) {
    entry = table.FindSubcommand(*entry, args[1]);
  }
  if (entry == nullptr) return Status::Invalid("Invalid command specified");
  const KeySpec& keys = entry->spec->keys;
  if (keys.first == 0 && keys.find == nullptr) {
    return Status::Invalid("The command has no key arguments");
  }
  if (!FitsArity(*entry->spec, args.size())) {
    return Status::Invalid("Invalid number of arguments specified for command");
  }
  if (!FindKeys(*entry->spec, args, positions)) {
    return Status::Invalid("Invalid arguments specified for command");
  }
  // Scripts are the ones that may do without.
  if (positions.empty() && entry->category != Category::kScripting) {
    return Status::Invalid("The command has no key arguments");
  }
  return {};
}

bool MatchesFilter(const CommandEntry& entry, Bytes kind, Bytes value) {
  if (IsWord(kind, "pattern")) return GlobMatches(value, entry.full_name, GlobCase::kInsensitive);
  if (!IsWord(kind, "aclcat")) return false;  // There are no modules.
  const auto words = CategoryWords(entry);
  return std::any_of(words.begin(), words.end(),
                     [&](std::string_view word) { return IsWord(value, word.substr(1)); });
}

}  // namespace

Answer CommandAll(Call& call) {
  const auto& commands = ServerOf(call).table().commands();
  call.reply.Array(commands.size());
  for (const CommandEntry* entry : commands) WriteInfo(call.reply, *entry);
  return {};
}

Answer CommandCount(Call& call) {
  call.reply.Integer(static_cast<std::int64_t>(ServerOf(call).table().commands().size()));
  return {};
}

Answer CommandInfo(Call& call) {
  if (call.args.size() == 2) return CommandAll(call);
  call.reply.Array(call.args.size() - 2);
  for (const Bytes name : call.args.subspan(2)) {
    const CommandEntry* const entry = ServerOf(call).table().FindFullName(name);
    if (entry == nullptr) {
      call.reply.NullArray();
    } else {
      WriteInfo(call.reply, *entry);
    }
  }
  return {};
}

Answer CommandDocs(Call& call) {
  std::vector<const CommandEntry*> wanted;
  if (call.args.size() == 2) wanted = ServerOf(call).table().commands();
  for (const Bytes name : call.args.subspan(2)) {
    if (const CommandEntry* entry = ServerOf(call).table().FindFullName(name)) {
      wanted.push_back(entry);
    }
  }
  call.reply.Map(wanted.size());
  for (const CommandEntry* entry : wanted) WriteDocs(call.reply, *entry);
  return {};
}

Answer CommandList(Call& call) {
  const bool filtered = call.args.size() == 5 && IsWord(call.args[2], "filterby");
  if (!filtered && call.args.size() != 2) return SyntaxError();
  if (filtered && !IsWord(call.args[3], "pattern") && !IsWord(call.args[3], "aclcat") &&
      !IsWord(call.args[3], "module")) {
    return SyntaxError();
  }
  const auto names = call.reply.BeginDeferred(Aggregate::kSet);
  std::size_t count = 0;
  for (const auto& entry : ServerOf(call).table().entries()) {
    if (filtered && !MatchesFilter(*entry, call.args[3], call.args[4])) continue;
    call.reply.Bulk(entry->full_name);
    ++count;
  }
  call.reply.EndDeferred(names, count);
  return {};
}

Answer CommandGetKeys(Call& call) {
  std::span<const Bytes> args;
  const CommandEntry* entry = nullptr;
  std::vector<int> positions;
  if (Answer found = FindKeysOf(call, args, entry, positions); !found.ok()) return found;
  call.reply.Array(positions.size());
  for (const int position : positions) call.reply.Bulk(args[static_cast<std::size_t>(position)]);
  return {};
}

Answer CommandGetKeysAndFlags(Call& call) {
  std::span<const Bytes> args;
  const CommandEntry* entry = nullptr;
  std::vector<int> positions;
  if (Answer found = FindKeysOf(call, args, entry, positions); !found.ok()) return found;
  call.reply.Array(positions.size());
  for (const int position : positions) {
    call.reply.Array(2);
    call.reply.Bulk(args[static_cast<std::size_t>(position)]);
    WriteNames(call.reply, KeyFlags(*entry, args, position == positions.front()));
  }
  return {};
}

Answer CommandHelp(Call& call) {
  static constexpr std::array kLines = std::to_array<std::string_view>({
      "(no subcommand)",
      "    Return details about all commands.",
      "COUNT",
      "    Return the total number of commands in this server.",
      "LIST",
      "    Return a list of all commands in this server.",
      "INFO [<command-name> ...]",
      "    Return details about multiple commands.",
      "    If no command names are given, documentation details for all",
      "    commands are returned.",
      "DOCS [<command-name> ...]",
      "    Return documentation details about multiple commands.",
      "    If no command names are given, documentation details for all",
      "    commands are returned.",
      "GETKEYS <full-command>",
      "    Return the keys from a full command.",
      "GETKEYSANDFLAGS <full-command>",
      "    Return the keys and the access flags from a full command.",
  });
  WriteHelp(call.reply, "COMMAND", kLines);
  return {};
}

}  // namespace mayfly::server::own

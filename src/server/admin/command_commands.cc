// command_commands.cc - COMMAND and its subcommands.
#include <fmt/format.h>

#include <array>

#include "base/glob.h"
#include "server/admin/admin_handlers.h"
#include "server/admin/command_words.h"
#include "server/command/arguments.h"
#include "server/command/errors.h"
#include "server/command/manual/help.h"

namespace mayfly::server::admin {
namespace {

template <typename Name>
void WriteNames(ReplyWriter& reply, const std::vector<Name>& names) {
  reply.Set(names.size());
  for (const std::string_view name : names) reply.SimpleString(name);
}

// One half of a key specification: its type and its numbers.
struct NamedNumber {
  std::string_view name;
  int number;
};

void WriteHalf(ReplyWriter& reply, std::string_view half, std::string_view type,
               std::initializer_list<NamedNumber> numbers) {
  reply.Bulk(half);
  reply.Map(2);
  reply.Bulk("type");
  reply.Bulk(type);
  reply.Bulk("spec");
  reply.Map(numbers.size());
  for (const NamedNumber& one : numbers) {
    reply.Bulk(one.name);
    reply.Integer(one.number);
  }
}

// Where keys are, in the form of COMMAND INFO's key specifications.
void WriteKeySpec(ReplyWriter& reply, const KeySpec& spec) {
  reply.Map(3);
  reply.Bulk("flags");
  WriteNames(reply, KeyFlagWords(spec.flags));
  if (spec.form == KeyForm::kUnknown) {
    WriteHalf(reply, "begin_search", "unknown", {});
    WriteHalf(reply, "find_keys", "unknown", {});
    return;
  }
  if (spec.form == KeyForm::kKeyword) {
    reply.Bulk("begin_search");
    reply.Map(2);
    reply.Bulk("type");
    reply.Bulk("keyword");
    reply.Bulk("spec");
    reply.Map(2);
    reply.Bulk("keyword");
    reply.Bulk(spec.keyword);
    reply.Bulk("startfrom");
    reply.Integer(spec.first);
    // Half of the arguments behind the word are keys, or the one.
    WriteHalf(reply, "find_keys", "range",
              {{"lastkey", spec.last}, {"keystep", 1}, {"limit", spec.last == 0 ? 0 : 2}});
    return;
  }
  WriteHalf(reply, "begin_search", "index", {{"index", spec.first}});
  if (spec.form == KeyForm::kNumbered) {
    WriteHalf(reply, "find_keys", "keynum",
              {{"keynumidx", 0}, {"firstkey", 1}, {"keystep", spec.step}});
  } else {
    WriteHalf(reply, "find_keys", "range",
              {{"lastkey", spec.last}, {"keystep", spec.step}, {"limit", 0}});
  }
}

// The one range that clients before Redis 7 read: that of all keys with fixed positions, which are
// adjacent. Counted from the first argument, or from the last.
struct KeyRange {
  int first = 0;
  int last = 0;
  int step = 0;
};

KeyRange RangeOf(const KeySpecs& keys) {
  KeyRange range;
  for (const KeySpec& spec : keys.all()) {
    if (spec.form != KeyForm::kRange) continue;
    if (range.first == 0) range = {.first = spec.first, .last = 0, .step = spec.step};
    range.last = spec.last < 0 ? spec.last : spec.first + spec.last;
  }
  return range;
}

void WriteInfo(ReplyWriter& reply, const CommandEntry& entry) {
  const CommandSpec& spec = *entry.spec;
  const KeyRange range = RangeOf(spec.keys);
  reply.Array(10);
  reply.Bulk(entry.full_name);
  reply.Integer(spec.arity);
  WriteNames(reply, FlagWords(entry));
  reply.Integer(range.first);
  reply.Integer(range.last);
  reply.Integer(range.step);
  WriteNames(reply, CategoryWords(entry));
  reply.Set(0);  // Tips.
  reply.Set(spec.keys.all().size());
  for (const KeySpec& keys : spec.keys.all()) WriteKeySpec(reply, keys);
  reply.Array(entry.subcommands.size());
  for (const CommandEntry* sub : entry.subcommands) WriteInfo(reply, *sub);
}

// The keys of the command that is the argument, and its arguments.
Answer FindKeysOf(Call& call, std::span<const Bytes>& args, std::vector<KeyUse>& uses) {
  args = call.args.subspan(2);
  const CommandTable& table = ServerOf(call).table();
  const CommandEntry* entry = table.Find(args[0]);
  if (entry != nullptr && !entry->subcommands.empty() && args.size() > 1) {
    entry = table.FindSubcommand(*entry, args[1]);
  }
  if (entry == nullptr) return Status::Invalid("Invalid command specified");
  if (!HasKeys(entry->spec->keys)) return Status::Invalid("The command has no key arguments");
  if (!FitsArity(*entry->spec, args.size())) {
    return Status::Invalid("Invalid number of arguments specified for command");
  }
  if (!FindKeys(entry->spec->keys, args, uses) && !entry->Is(kNoMandatoryKeys)) {
    return Status::Invalid("Invalid arguments specified for command");
  }
  return {};
}

bool MatchesFilter(const CommandEntry& entry, Bytes kind, Bytes value) {
  if (IsWord(kind, "pattern")) return GlobMatches(value, entry.full_name, GlobCase::kInsensitive);
  if (!IsWord(kind, "aclcat")) return false;  // There are no modules.
  const auto words = CategoryWords(entry);
  return std::any_of(words.begin(), words.end(),
                     [&](const std::string& word) { return IsWord(value, word.substr(1)); });
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
  std::vector<KeyUse> uses;
  if (Answer found = FindKeysOf(call, args, uses); !found.ok()) return found;
  call.reply.Array(uses.size());
  for (const KeyUse& use : uses) call.reply.Bulk(args[static_cast<std::size_t>(use.position)]);
  return {};
}

Answer CommandGetKeysAndFlags(Call& call) {
  std::span<const Bytes> args;
  std::vector<KeyUse> uses;
  if (Answer found = FindKeysOf(call, args, uses); !found.ok()) return found;
  call.reply.Array(uses.size());
  for (const KeyUse& use : uses) {
    call.reply.Array(2);
    call.reply.Bulk(args[static_cast<std::size_t>(use.position)]);
    WriteNames(call.reply, KeyFlagWords(use.flags));
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

}  // namespace mayfly::server::admin

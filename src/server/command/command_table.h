// command_table.h - every command the server answers.
// Built once from the families; the dispatcher, COMMAND, ACL and the statistics read the same
// lines. Invariant, checked when it is built: names are lower case and unique.
#pragma once

#include <cstddef>
#include <map>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "base/text.h"
#include "mayfly/status.h"
#include "server/command/answer.h"
#include "server/command/cluster_rules.h"
#include "server/command/command.h"
#include "server/command/command_categories.h"

namespace mayfly::server {

// A command or a subcommand.
struct CommandEntry {
  const CommandSpec* spec = nullptr;
  const CommandEntry* container = nullptr;  // Of a subcommand.
  std::string_view group;
  Category category = Category::kKeyspace;
  CategoryBits categories = 0;
  std::size_t id = 0;     // Counts from 0 over all entries: an index for tables of other modules.
  std::string full_name;  // "get", "config|set".
  std::vector<const CommandEntry*> subcommands;
  const ClusterRule* cluster_rule = nullptr;  // Null: keys decide, or it is about one server.

  bool Is(CommandFlag flag) const { return (spec->flags & flag) != 0; }
};

class CommandTable {
 public:
  explicit CommandTable(const std::vector<CommandFamily>& families);
  CommandTable(const CommandTable&) = delete;
  CommandTable& operator=(const CommandTable&) = delete;

  // rename-command: clients call the command by the new name alone, or not at all if that is empty.
  // Rules of ACL keep to its own name. Before the server runs. Invalid when there is no such command,
  // or one with the new name.
  Status Rename(Bytes name, Bytes fresh);

  // Ignores case; null when there is none.
  const CommandEntry* Find(Bytes name) const;
  const CommandEntry* FindSubcommand(const CommandEntry& container, Bytes name) const;

  // "get" or "config|get".
  const CommandEntry* FindFullName(Bytes name) const;

  // The entry of a line, which must belong to one of the families.
  const CommandEntry& EntryOf(const CommandSpec& spec) const { return *by_spec_.at(&spec); }

  // The entry that runs these arguments, of which there is at least one. When there is none (null),
  // or their number is wrong, `error` is the error in Redis' words.
  const CommandEntry* Resolve(std::span<const Bytes> args, Answer& error) const;

  // Commands, without their subcommands, in the order of names.
  const std::vector<const CommandEntry*>& commands() const { return commands_; }

  // Commands and subcommands, indexed by id.
  const std::vector<std::unique_ptr<CommandEntry>>& entries() const { return entries_; }

 private:
  const CommandEntry* FindServed(Bytes name) const;
  CommandEntry* Add(const CommandSpec& spec, const CommandFamily& family, CommandEntry* container);

  // Two families may share a container of subcommands, such as MEMORY: USAGE is about data, the
  // rest about the server. True when the table already had the container.
  bool MergeContainer(const CommandSpec& spec, const CommandFamily& family);

  // Of names whatever their case.
  struct FoldedHash {
    std::size_t operator()(std::string_view name) const {
      std::size_t hash = 0;
      for (const char c : name) hash = hash * 31 + static_cast<unsigned char>(ToLower(c));
      return hash;
    }
  };
  struct FoldedEqual {
    bool operator()(std::string_view one, std::string_view other) const {
      return EqualsIgnoringCase(one, other);
    }
  };

  std::vector<std::unique_ptr<CommandEntry>> entries_;
  std::vector<const CommandEntry*> commands_;
  std::unordered_map<std::string_view, const CommandEntry*, FoldedHash, FoldedEqual> by_name_;
  std::unordered_map<const CommandSpec*, const CommandEntry*> by_spec_;
  std::map<std::string, const CommandEntry*, std::less<>>
      renamed_;  // Lower case; null: taken away.
};

// Whether it means something only on a connection that lasts: it waits, sends messages without end, or
// says how commands behind it are taken.
bool NeedsConnection(const CommandEntry& entry);

// Whether `count` arguments, the name included, satisfy the arity.
bool FitsArity(const CommandSpec& spec, std::size_t count);

// The part of Redis, such as "streams", that the command belongs to and mayfly does not have;
// nothing for other names.
std::optional<std::string_view> UnofferedPart(std::string_view lower_name);

// Whether the client speaks HTTP: it sent "POST" or "Host:" for a command, as Redis checks. A web
// page can make a browser send those to any port, with commands behind them.
bool IsForeignProtocol(Bytes name);

// "'cluster' is not offered by mayfly yet: Redis Cluster"; nothing for other names. Ignores case.
std::optional<std::string> UnofferedText(Bytes name);

}  // namespace mayfly::server

#include "server/command/command_table.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/check.h"
#include "base/text.h"
#include "server/command/arguments.h"
#include "server/command/errors.h"

namespace mayfly::server {
namespace {

constexpr std::size_t kNameBytesMax = 64;
constexpr std::size_t kShownBytesMax = 128;  // Of a name repeated in an error.

Answer UnknownCommand(std::span<const Bytes> args) {
  if (const auto text = UnofferedText(args[0])) return Answer::Error("ERR " + *text);
  std::string shown;
  for (std::size_t i = 1; i < args.size() && shown.size() < kShownBytesMax; ++i) {
    shown += fmt::format("'{}' ", args[i].substr(0, kShownBytesMax - shown.size()));
  }
  return Answer::Error(fmt::format("ERR unknown command '{}', with args beginning with: {}",
                                   args[0].substr(0, kShownBytesMax), shown));
}

Answer UnknownSubcommand(const CommandEntry& container, Bytes name) {
  const auto text = UnofferedText(fmt::format("{}|{}", container.spec->name, name));
  if (text) return Answer::Error("ERR " + *text);
  return Answer::Error(fmt::format("ERR unknown subcommand '{}'. Try {} HELP.",
                                   name.substr(0, kShownBytesMax), ToUpper(container.spec->name)));
}

}  // namespace

CommandTable::CommandTable(const std::vector<CommandFamily>& families) {
  for (const CommandFamily& family : families) {
    for (const CommandSpec& spec : family.commands) {
      if (!MergeContainer(spec, family)) commands_.push_back(Add(spec, family, nullptr));
    }
  }
  std::sort(commands_.begin(), commands_.end(),
            [](const auto* a, const auto* b) { return a->spec->name < b->spec->name; });
  for (const CommandEntry* entry : commands_) {
    const bool fresh = by_name_.emplace(entry->spec->name, entry).second;
    MAYFLY_CHECK(fresh, "two commands of one name");
    MAYFLY_CHECK(std::none_of(entry->spec->name.begin(), entry->spec->name.end(), IsUpper),
                 "a command's name is not lower case");
  }
}

bool CommandTable::MergeContainer(const CommandSpec& spec, const CommandFamily& family) {
  if (spec.handler != nullptr) return false;
  const auto found = std::find_if(entries_.begin(), entries_.end(), [&](const auto& entry) {
    return entry->container == nullptr && entry->spec->name == spec.name;
  });
  if (found == entries_.end()) return false;
  CommandEntry* const container = found->get();  // Its address is stable while entries_ grows.
  by_spec_.emplace(&spec, container);
  for (const CommandSpec& sub : spec.subcommands) {
    container->subcommands.push_back(Add(sub, family, container));
  }
  return true;
}

CommandEntry* CommandTable::Add(const CommandSpec& spec, const CommandFamily& family,
                                CommandEntry* container) {
  entries_.push_back(std::make_unique<CommandEntry>());
  CommandEntry* const entry = entries_.back().get();
  entry->spec = &spec;
  entry->container = container;
  entry->group = family.group;
  entry->category = family.category;
  entry->categories = CategoriesOf(spec, family.category);
  entry->id = entries_.size() - 1;
  by_spec_.emplace(&spec, entry);
  for (const KeySpec& keys : spec.keys.all()) {
    MAYFLY_CHECK((keys.flags & kVariable) == 0 || spec.keys.vary != nullptr,
                 "a command does not say what it does to a key");
  }
  entry->full_name = container == nullptr ? std::string(spec.name)
                                          : fmt::format("{}|{}", container->full_name, spec.name);
  entry->cluster_rule = FindClusterRule(entry->full_name);
  for (const CommandSpec& subcommand : spec.subcommands) {
    entry->subcommands.push_back(Add(subcommand, family, entry));
  }
  return entry;
}

const CommandEntry* CommandTable::Find(Bytes name) const {
  if (name.size() > kNameBytesMax) return nullptr;
  const auto found = by_name_.find(name);
  return found == by_name_.end() ? nullptr : found->second;
}

Status CommandTable::Rename(Bytes name, Bytes fresh) {
  const CommandEntry* const entry = FindServed(name);
  if (entry == nullptr) return Status::Invalid(fmt::format("there is no command '{}'", name));
  if (!fresh.empty() && FindServed(fresh) != nullptr) {
    return Status::Invalid(fmt::format("there is a command '{}' already", fresh));
  }
  renamed_[ToLower(name)] = nullptr;
  if (!fresh.empty()) renamed_[ToLower(fresh)] = entry;
  return {};
}

const CommandEntry* CommandTable::FindServed(Bytes name) const {
  const auto found = renamed_.find(ToLower(name.substr(0, kNameBytesMax)));
  return found == renamed_.end() ? Find(name) : found->second;
}

const CommandEntry* CommandTable::FindSubcommand(const CommandEntry& container, Bytes name) const {
  const auto found = std::find_if(container.subcommands.begin(), container.subcommands.end(),
                                  [&](const auto* sub) { return IsWord(name, sub->spec->name); });
  return found == container.subcommands.end() ? nullptr : *found;
}

const CommandEntry* CommandTable::FindFullName(Bytes name) const {
  const std::size_t bar = name.find('|');
  const CommandEntry* const entry = Find(name.substr(0, bar));
  if (entry == nullptr || bar == Bytes::npos) return entry;
  return FindSubcommand(*entry, name.substr(bar + 1));
}

const CommandEntry* CommandTable::Resolve(std::span<const Bytes> args, Answer& error) const {
  const CommandEntry* entry = renamed_.empty() ? Find(args[0]) : FindServed(args[0]);
  if (entry == nullptr) {
    error = UnknownCommand(args);
    return nullptr;
  }
  if (!entry->subcommands.empty() && args.size() > 1) {
    const CommandEntry* const sub = FindSubcommand(*entry, args[1]);
    if (sub == nullptr) {
      error = UnknownSubcommand(*entry, args[1]);
      return nullptr;
    }
    entry = sub;
  }
  if (!FitsArity(*entry->spec, args.size()) || entry->spec->handler == nullptr) {
    error = WrongArity(entry->full_name);
  }
  return entry;
}

std::optional<std::string> UnofferedText(Bytes name) {
  const std::string lower = ToLower(name.substr(0, kNameBytesMax));
  const auto part = UnofferedPart(lower);
  if (!part) return std::nullopt;
  return fmt::format("'{}' is not offered by mayfly yet: {}", lower, *part);
}

bool NeedsConnection(const CommandEntry& entry) {
  constexpr std::uint32_t kLasting = kBlocking | kStreams | kSubscribes | kPatterns | kNoAuth |
                                     kSelects | kSetsReplies | kExecutes;
  const bool listens = entry.Is(kPubSub) && entry.Is(kNoScript);
  return (entry.spec->flags & kLasting) != 0 || listens || entry.category == Category::kTransaction;
}

bool FitsArity(const CommandSpec& spec, std::size_t count) {
  const auto given = static_cast<int>(count);
  return spec.arity >= 0 ? given == spec.arity : given >= -spec.arity;
}

}  // namespace mayfly::server

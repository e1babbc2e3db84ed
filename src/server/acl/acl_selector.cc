#include "server/acl/acl_selector.h"

#include <algorithm>

#include "base/glob.h"
#include "base/text.h"
#include "server/command/arguments.h"

namespace mayfly::server {
namespace {

Status SyntaxFault() { return Status::Invalid("Syntax error"); }
Status UnknownName() { return Status::NotFound("Unknown command or category name in ACL"); }

// Commands of Redis that are not offered are allowed to nobody, whatever a rule says of them: rules
// that were written for Redis apply as they are.
Status UnknownCommand(Bytes name) {
  return UnofferedPart(ToLower(name.substr(0, name.find('|')))) || UnofferedPart(ToLower(name))
             ? Status::Ok()
             : UnknownName();
}

bool HasBlanks(Bytes text) {
  return text.find_first_of(std::string_view(" \t\n\v\f\r\0", 7)) != Bytes::npos;
}

}  // namespace

AclSelector::AclSelector(const CommandTable& table)
    : table_(&table), commands_(table.entries().size(), false) {}

Status AclSelector::Apply(Bytes rule) {
  if (IsWord(rule, "allkeys") || rule == "~*") {
    all_keys_ = true;
    keys_.clear();
  } else if (IsWord(rule, "resetkeys")) {
    all_keys_ = false;
    keys_.clear();
  } else if (IsWord(rule, "allchannels") || rule == "&*") {
    all_channels_ = true;
    channels_.clear();
  } else if (IsWord(rule, "resetchannels")) {
    all_channels_ = false;
    channels_.clear();
  } else if (IsWord(rule, "allcommands") || IsWord(rule, "+@all")) {
    SetAll(true);
  } else if (IsWord(rule, "nocommands") || IsWord(rule, "-@all")) {
    SetAll(false);
  } else if (rule.starts_with('~') || rule.starts_with('%')) {
    return ApplyKeys(rule);
  } else if (rule.starts_with('&')) {
    return ApplyChannels(rule);
  } else if (rule.starts_with("+@") || rule.starts_with("-@")) {
    return ApplyCategory(rule.substr(2), rule.starts_with('+'));
  } else if (rule.starts_with('+')) {
    return Allow(rule.substr(1));
  } else if (rule.starts_with('-')) {
    return Deny(rule.substr(1));
  } else {
    return SyntaxFault();
  }
  return Status::Ok();
}

// ~pattern, or %R~pattern, %W~pattern, %RW~pattern.
Status AclSelector::ApplyKeys(Bytes rule) {
  if (all_keys_) {
    return Status::Invalid(
        "Adding a pattern after the * pattern (or the 'allkeys' flag) is not valid and does not "
        "have any effect. Try 'resetkeys' to start with an empty list of patterns");
  }
  std::uint8_t permissions = kKeyBoth;
  Bytes pattern = rule.substr(1);
  if (rule.front() == '%') {
    permissions = 0;
    const std::size_t end = std::min(pattern.find('~'), pattern.size());
    for (const char letter : pattern.substr(0, end)) {
      const std::uint8_t one = letter == 'R' || letter == 'r'   ? kKeyRead
                               : letter == 'W' || letter == 'w' ? kKeyWrite
                                                                : kNoPermission;
      if (one == kNoPermission || (permissions & one) != 0) return SyntaxFault();
      permissions |= one;
    }
    if (permissions == 0) return SyntaxFault();
    pattern.remove_prefix(std::min(end + 1, pattern.size()));
  }
  if (HasBlanks(pattern)) return SyntaxFault();
  const auto same = std::find_if(keys_.begin(), keys_.end(),
                                 [&](const KeyPattern& one) { return one.pattern == pattern; });
  if (same != keys_.end()) {
    same->permissions |= permissions;
  } else {
    keys_.push_back({std::string(pattern), permissions});
  }
  return Status::Ok();
}

Status AclSelector::ApplyChannels(Bytes rule) {
  if (all_channels_) {
    return Status::Invalid(
        "Adding a pattern after the * pattern (or the 'allchannels' flag) is not valid and does "
        "not have any effect. Try 'resetchannels' to start with an empty list of channels");
  }
  const std::string pattern(rule.substr(1));
  if (HasBlanks(pattern)) return SyntaxFault();
  if (std::find(channels_.begin(), channels_.end(), pattern) == channels_.end()) {
    channels_.push_back(pattern);
  }
  return Status::Ok();
}

Status AclSelector::Allow(Bytes name) {
  const std::size_t bar = name.rfind('|');
  if (bar == Bytes::npos) {
    const CommandEntry* const command = table_->Find(name);
    if (command == nullptr) return UnknownCommand(name);
    SetCommand(*command, true);
    return Status::Ok();
  }
  const CommandEntry* const command = table_->FindFullName(name.substr(0, bar));
  if (command == nullptr) return UnknownCommand(name);
  if (command->container != nullptr) {
    return Status::Invalid("Allowing first-arg of a subcommand is not supported");
  }
  const Bytes rest = name.substr(bar + 1);
  if (rest.empty()) return SyntaxFault();
  if (!command->subcommands.empty()) {
    const CommandEntry* const subcommand = table_->FindFullName(name);
    if (subcommand == nullptr) return UnknownCommand(name);
    SetCommand(*subcommand, true);
    return Status::Ok();
  }
  // As +select|0: the command with this first argument.
  std::vector<std::string>& args = first_args_[command->id];
  std::string first = ToLower(rest);
  if (std::find(args.begin(), args.end(), first) == args.end()) args.push_back(std::move(first));
  return Status::Ok();
}

Status AclSelector::Deny(Bytes name) {
  const CommandEntry* const command = table_->FindFullName(name);
  if (command == nullptr) return UnknownCommand(name);
  SetCommand(*command, false);
  return Status::Ok();
}

Status AclSelector::ApplyCategory(Bytes name, bool allow) {
  const CategoryBits category = CategoryNamed(name);
  if (category == 0) return UnknownName();
  SetCategory(category, allow);
  return Status::Ok();
}

void AclSelector::SetAll(bool allow) {
  commands_.assign(commands_.size(), allow);
  all_commands_ = allow;
  future_commands_ = allow;
  first_args_.clear();
  exceptions_ = 0;
}

void AclSelector::SetCommand(const CommandEntry& command, bool allow) {
  if (!allow) all_commands_ = false;
  commands_[command.id] = allow;
  first_args_.erase(command.id);
  for (const CommandEntry* sub : command.subcommands) commands_[sub->id] = allow;
}

void AclSelector::SetCategory(CategoryBits category, bool allow) {
  if (!allow) all_commands_ = false;
  bool any = false;
  for (const auto& command : table_->entries()) {
    if ((command->categories & category) == 0) continue;
    SetCommand(*command, allow);
    any = true;
  }
  if (any) return;
  exceptions_ = allow == future_commands_ ? exceptions_ & ~category : exceptions_ | category;
}

bool AclSelector::AllowsCommand(const CommandEntry& command, std::span<const Bytes> args) const {
  if (all_commands_ || commands_[command.id] || command.Is(kNoAuth)) return true;
  const auto found = first_args_.find(command.id);
  if (found == first_args_.end() || args.size() < 2) return false;
  return std::any_of(found->second.begin(), found->second.end(),
                     [&](const std::string& first) { return IsWord(args[1], first); });
}

bool AclSelector::AllowsKey(Bytes key, KeyFlags flags) const {
  const int needs = ((flags & kAccess) != 0 ? kKeyRead : kNoPermission) |
                    ((flags & (kUpdate | kInsert | kDelete)) != 0 ? kKeyWrite : kNoPermission);
  return all_keys_ || std::any_of(keys_.begin(), keys_.end(), [&](const KeyPattern& one) {
           if ((one.permissions & needs) != needs) return false;
           return one.pattern == "*" || GlobMatches(one.pattern, key);
         });
}

bool AclSelector::ReadsAllKeys() const {
  return all_keys_ || std::any_of(keys_.begin(), keys_.end(), [](const KeyPattern& one) {
           return one.pattern == "*" && (one.permissions & kKeyRead) != 0;
         });
}

bool AclSelector::AllowsChannel(Bytes channel, bool literal) const {
  return all_channels_ ||
         std::any_of(channels_.begin(), channels_.end(), [&](const std::string& pattern) {
           return pattern == channel || (!literal && GlobMatches(pattern, channel));
         });
}

}  // namespace mayfly::server

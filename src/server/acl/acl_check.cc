#include "server/acl/acl_check.h"

#include <fmt/format.h>

#include <algorithm>

#include "server/command/arguments.h"

namespace mayfly::server {
namespace {

struct Refused {
  AclDenial denial;
  int position;
};

// Arguments that are channels. A pattern must equal the pattern of a rule.
std::span<const Bytes> ChannelsOf(const CommandEntry& command, std::span<const Bytes> args) {
  if (args.size() < 2) return {};
  if (command.Is(kPublishes)) return args.subspan(1, 1);
  if (command.Is(kSubscribes) || command.Is(kPatterns)) return args.subspan(1);
  return {};
}

std::optional<Refused> CheckSelector(const AclSelector& selector, const CommandEntry& command,
                                     std::span<const Bytes> args) {
  const auto refuse = [](AclReason reason, Bytes object, int position) {
    return Refused{{reason, std::string(object)}, position};
  };
  if (!selector.AllowsCommand(command, args)) {
    return refuse(AclReason::kCommand, command.full_name, 0);
  }
  // Where the arguments do not tell the keys, the handler refuses them.
  std::vector<KeyUse> keys;
  FindKeys(command.spec->keys, args, keys);
  for (const KeyUse& use : keys) {
    const Bytes key = args[static_cast<std::size_t>(use.position)];
    if (!selector.AllowsKey(key, use.flags)) return refuse(AclReason::kKey, key, use.position);
  }
  const std::span<const Bytes> channels = ChannelsOf(command, args);
  for (std::size_t i = 0; i < channels.size(); ++i) {
    if (!selector.AllowsChannel(channels[i], command.Is(kPatterns))) {
      return refuse(AclReason::kChannel, channels[i], static_cast<int>(i + 1));
    }
  }
  return std::nullopt;
}

}  // namespace

std::optional<AclDenial> CheckAcl(const AclUser& user, const CommandTable& table,
                                  const CommandSpec& spec, std::span<const Bytes> args) {
  if (user.root().allows_everything()) return std::nullopt;
  const CommandEntry& command = table.EntryOf(spec);
  std::optional<Refused> worst;
  for (const AclSelector& selector : user.selectors()) {
    std::optional<Refused> refused = CheckSelector(selector, command, args);
    if (!refused) return std::nullopt;
    // The selector that came furthest is the one that was meant.
    const bool further =
        !worst || refused->denial.reason > worst->denial.reason ||
        (refused->denial.reason == worst->denial.reason && refused->position > worst->position);
    if (further) worst = std::move(refused);
  }
  return worst->denial;
}

std::optional<std::string> CheckSortPatterns(const AclUser& user, const CommandTable& table,
                                             const CommandSpec& spec, std::span<const Bytes> args) {
  if (!ReadsUnnamedKeys(spec.keys)) return std::nullopt;
  const CommandEntry& command = table.EntryOf(spec);
  const bool reads_all = std::any_of(
      user.selectors().begin(), user.selectors().end(), [&](const AclSelector& selector) {
        return selector.ReadsAllKeys() && !CheckSelector(selector, command, args);
      });
  if (reads_all) return std::nullopt;
  constexpr std::string_view kDenied =
      "ERR {} option of SORT denied due to insufficient ACL permissions.";
  for (std::size_t i = 2; i + 1 < args.size(); ++i) {
    if (IsWord(args[i], "limit")) {
      i += 2;
    } else if (IsWord(args[i], "store")) {
      ++i;
    } else if (IsWord(args[i], "by")) {
      // A BY pattern without a star means "do not sort", and is no key.
      if (args[++i].find('*') != Bytes::npos) return fmt::format(kDenied, "BY");
    } else if (IsWord(args[i], "get")) {
      return fmt::format(kDenied, "GET");
    }
  }
  return std::nullopt;
}

std::string NoPermissionLine(const AclDenial& denial) {
  switch (denial.reason) {
    case AclReason::kCommand:
      return fmt::format("NOPERM this user has no permissions to run the '{}' command",
                         denial.object);
    case AclReason::kKey:
      return "NOPERM this user has no permissions to access one of the keys used as arguments";
    case AclReason::kChannel:
      return "NOPERM this user has no permissions to access one of the channels used as arguments";
    case AclReason::kAuth: break;
  }
  return std::string(kNoAuthLine);
}

std::string NoPermissionAtExecLine(const AclDenial& denial) {
  std::string_view reason = "no permission";
  switch (denial.reason) {
    case AclReason::kCommand: reason = "no permission to execute the command or subcommand"; break;
    case AclReason::kKey: reason = "no permission to touch the specified keys"; break;
    case AclReason::kChannel:
      reason = "no permission to access one of the channels used as arguments to the command";
      break;
    case AclReason::kAuth: break;
  }
  return fmt::format(
      "NOPERM ACLs rules changed between the moment the transaction was accumulated and the EXEC "
      "call. This command is no longer allowed for the following reason: {}",
      reason);
}

std::string NoPermissionInScriptLine(const AclDenial& denial) {
  switch (denial.reason) {
    case AclReason::kCommand:
      return "ERR The user executing the script can't run this command or subcommand";
    case AclReason::kKey:
      return "ERR The user executing the script can't access at least one of the keys mentioned in "
             "the command arguments";
    case AclReason::kChannel:
      return "ERR The user executing the script can't publish to the channel mentioned in the "
             "command";
    case AclReason::kAuth: break;
  }
  return std::string(kNoAuthLine);
}

std::string DryRunText(const AclDenial& denial) {
  switch (denial.reason) {
    case AclReason::kKey:
      return fmt::format("This user has no permissions to access the '{}' key", denial.object);
    case AclReason::kChannel:
      return fmt::format("This user has no permissions to access the '{}' channel", denial.object);
    case AclReason::kCommand:
    case AclReason::kAuth: break;
  }
  return fmt::format("This user has no permissions to run the '{}' command", denial.object);
}

}  // namespace mayfly::server

#include "server/acl/acl_check.h"

#include <fmt/format.h>

#include <algorithm>

#include "server/arguments.h"

namespace mayfly::server {
namespace {

struct Refused {
  AclDenial denial;
  int position;
};

std::optional<Refused> CheckSelector(const AclSelector& selector, const CommandCatalog& catalog,
                                     std::size_t command, std::span<const Bytes> args) {
  const CommandCatalog::Entry& entry = catalog[command];
  if (!selector.AllowsCommand(command, args)) {
    return Refused{
        {AclReason::kCommand, entry.name},
        0
    };
  }
  for (const KeyUse& use : KeysOf(entry, args)) {
    const Bytes key = args[static_cast<std::size_t>(use.position)];
    if (!selector.AllowsKey(key, use.needs)) {
      return Refused{
          {AclReason::kKey, std::string(key)},
          use.position
      };
    }
  }
  const ChannelUse use = ChannelsOf(entry, args);
  for (std::size_t i = 0; i < use.channels.size(); ++i) {
    if (!selector.AllowsChannel(use.channels[i], use.literal)) {
      return Refused{
          {AclReason::kChannel, std::string(use.channels[i])},
          static_cast<int>(i + 1)
      };
    }
  }
  return std::nullopt;
}

}  // namespace

std::optional<AclDenial> CheckAcl(const AclUser& user, const CommandCatalog& catalog,
                                  const CommandSpec& spec, std::span<const Bytes> args) {
  if (user.root().allows_everything()) return std::nullopt;
  const std::size_t command = catalog.IndexOf(spec);
  std::optional<Refused> worst;
  for (const AclSelector& selector : user.selectors()) {
    std::optional<Refused> refused = CheckSelector(selector, catalog, command, args);
    if (!refused) return std::nullopt;
    // The selector that came furthest is the one that was meant.
    const bool further =
        !worst || refused->denial.reason > worst->denial.reason ||
        (refused->denial.reason == worst->denial.reason && refused->position > worst->position);
    if (further) worst = std::move(refused);
  }
  return worst->denial;
}

std::optional<std::string> CheckSortPatterns(const AclUser& user, const CommandCatalog& catalog,
                                             const CommandSpec& spec, std::span<const Bytes> args) {
  if (spec.name != "sort" && spec.name != "sort_ro") return std::nullopt;
  const std::size_t command = catalog.IndexOf(spec);
  const bool reads_all = std::any_of(
      user.selectors().begin(), user.selectors().end(), [&](const AclSelector& selector) {
        return selector.ReadsAllKeys() && !CheckSelector(selector, catalog, command, args);
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
      // One without a star says not to sort, and is no key.
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

// acl_check.h - whether a user may run a command with these arguments, and the error if not.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>

#include "server/acl/acl_user.h"

namespace mayfly::server {

// In the order of precedence: the later reason explains a refusal better.
enum class AclReason : std::uint8_t { kCommand, kKey, kAuth, kChannel };

struct AclDenial {
  AclReason reason;
  std::string object;  // The command, key or channel.
};

// Nothing: allowed. `spec` is the subcommand where there is one; the number of arguments is right.
std::optional<AclDenial> CheckAcl(const AclUser& user, const CommandTable& table,
                                  const CommandSpec& spec, std::span<const Bytes> args);

// Why the user may not have SORT follow patterns to other keys, as a whole error line: that needs
// read access to all keys. Nothing: the user may, or it is not SORT. For commands CheckAcl()
// allows.
std::optional<std::string> CheckSortPatterns(const AclUser& user, const CommandTable& table,
                                             const CommandSpec& spec, std::span<const Bytes> args);

// Whole error lines: for a client, for a command it had queued, and for a script that calls one.
std::string NoPermissionLine(const AclDenial& denial);
std::string NoPermissionAtExecLine(const AclDenial& denial);
std::string NoPermissionInScriptLine(const AclDenial& denial);

// The reply of ACL DRYRUN.
std::string DryRunText(const AclDenial& denial);

// For clients that have not authenticated.
inline constexpr std::string_view kNoAuthLine = "NOAUTH Authentication required.";

}  // namespace mayfly::server

// acl_commands.h - the ACL family, and the part of AUTH and HELLO that authenticates.
#pragma once

#include <string>

#include "server/acl/acl_file.h"
#include "server/acl/acl_session.h"
#include "server/command/command.h"

namespace mayfly::server {

// Called after changes to users, so that clients who lost permissions are closed.
class AclWatcher {
 public:
  virtual ~AclWatcher() = default;
  virtual void UserChanged(Bytes name) = 0;
  virtual void UserRemoved(Bytes name) = 0;
  virtual void UsersReplaced() = 0;
};

// The state that the commands use, from CallHost::acl().
struct AclContext {
  AclSession& session;
  const Clock& clock;
  std::string file = {};          // The setting aclfile; empty: no file.
  std::string client_info = {};   // As CLIENT INFO shows it, for the log.
  AclWatcher* watcher = nullptr;  // Null: no callback.
};

CommandFamily AclFamily();

// Authenticates, for AUTH and HELLO: nothing on success, or the error line. A failure is logged;
// `command` is the word the client used. Without a name the default user is meant.
std::optional<std::string> LogIn(AclContext& context, Bytes command, std::optional<Bytes> name,
                                 Bytes password);

// Whether the client may run the command.
bool MayRun(AclSession& session, const CommandSpec& spec, std::span<const Bytes> args);

// Nothing if the client may run the command, or the error line; a refusal is logged.
std::optional<std::string> RefuseCommand(AclContext& context, const CommandSpec& spec,
                                         std::span<const Bytes> args, AclWhere where);

}  // namespace mayfly::server

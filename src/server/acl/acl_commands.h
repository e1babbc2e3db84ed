// acl_commands.h - ACL, and what AUTH and HELLO do.
#pragma once

#include <string>

#include "server/acl/acl_file.h"
#include "server/acl/acl_session.h"
#include "server/command/command.h"

namespace mayfly::server {

// Told of changes that concern clients who do not ask: theirs to be closed.
class AclWatcher {
 public:
  virtual ~AclWatcher() = default;
  virtual void UserChanged(Bytes name) = 0;
  virtual void UserRemoved(Bytes name) = 0;
  virtual void UsersReplaced() = 0;
};

// What the commands work on, from CallHost::acl().
struct AclContext {
  AclSession& session;
  const Clock& clock;
  std::string file = {};          // The setting aclfile; empty: there is none.
  std::string client_info = {};   // As CLIENT INFO tells, for the log.
  AclWatcher* watcher = nullptr;  // Null: nobody is to be told.
};

CommandFamily AclFamily();

// What AUTH and HELLO do: nothing if it went well, or the error line. Notes the attempt if not;
// `command` is the word the client used. Without a name the default user is meant.
std::optional<std::string> LogIn(AclContext& context, Bytes command, std::optional<Bytes> name,
                                 Bytes password);

// Whether the client may run the command.
bool MayRun(AclSession& session, const CommandSpec& spec, std::span<const Bytes> args);

// Why the client may not run the command. Nothing if it may, or the error line; then it is noted.
std::optional<std::string> RefuseCommand(AclContext& context, const CommandSpec& spec,
                                         std::span<const Bytes> args, AclWhere where);

}  // namespace mayfly::server

// assembly.h - users, channels and scripts of one server, ready to be handed to it.
#pragma once

#include <memory>

#include "server/acl/acl.h"
#include "server/assembly/acl_authorizer.h"
#include "server/command/command_table.h"
#include "server/command/publisher.h"
#include "server/config/config.h"
#include "server/pubsub/pubsub.h"
#include "server/scripting/script_engine.h"
#include "server/session/session_extension.h"

namespace mayfly::server {

// Safe to call from any thread.
class Assembly final : public Publisher, public ExtensionMaker {
 public:
  // `clock` must outlive it. `lua_bytes_max`: of memory for scripts.
  Assembly(const Clock& clock, std::size_t lua_bytes_max);

  // Every command there is.
  const CommandTable& table() const { return table_; }

  // Takes over what the settings say of users and scripts, now and whenever they change. Before the
  // server runs.
  void Follow(Config& config);

  // Takes over the users of the ACL file or of the configuration file, which may not both tell of
  // some. Once the server is open, and before it listens: they count for more than requirepass.
  // Errors are those of LoadAclFile().
  Status LoadUsers(const Config& config);

  Acl& acl() { return acl_; }
  Authorizer& authorizer() { return authorizer_; }
  ScriptEngine& scripts() { return scripts_; }

  // Publisher.
  void Publish(Bytes channel, Bytes message) override { channels_.Publish(channel, message); }
  Counts counts() const override;

  // ExtensionMaker.
  ScriptFigures script_figures() const override;
  std::unique_ptr<SessionExtension> ForSession(Server& server, Session& session) override;

 private:
  const CommandTable table_;
  PubSub channels_;
  Acl acl_;
  AclAuthorizer authorizer_;
  ScriptEngine scripts_;
};

}  // namespace mayfly::server

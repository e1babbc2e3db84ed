// assembly.h - users, channels and scripts of one server, and the table of all its commands.
#pragma once

#include <functional>
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
  // `clock` must outlive it. `lua_bytes_max`: memory for scripts.
  Assembly(const Clock& clock, std::size_t lua_bytes_max);

  // All commands.
  const CommandTable& table() const { return table_; }

  // Applies the settings of users and scripts, now and whenever they change. Call it before the
  // server runs.
  void Follow(Config& config);

  // Renames commands as the file says. Invalid, with the file, for names that cannot be.
  Status Rename(const Config& config);

  // Loads the users of the ACL file or of the configuration file, which must not both have some.
  // Call it once the server is open, and before it listens: they override requirepass. Fails as
  // LoadAclFile().
  Status LoadUsers(const Config& config);

  Acl& acl() { return acl_; }
  Authorizer& authorizer() { return authorizer_; }
  ScriptEngine& scripts() { return scripts_; }

  // Publisher.
  void Publish(Bytes channel, Bytes message) override { channels_.Publish(channel, message); }
  void EndShardChannels(const std::function<bool(Bytes channel)>& ends) override {
    channels_.EndShardChannels(ends);
  }
  Counts counts() const override;

  // ExtensionMaker.
  ScriptFigures script_figures() const override;
  std::unique_ptr<SessionExtension> ForSession(Server& server, Session& session) override;

 private:
  CommandTable table_;  // Constant once the server runs.
  PubSub channels_;
  Acl acl_;
  AclAuthorizer authorizer_;
  ScriptEngine scripts_;
};

}  // namespace mayfly::server

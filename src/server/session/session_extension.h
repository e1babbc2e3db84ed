// session_extension.h - per-session state of modules above the server: subscriptions, users,
// scripts.
// The server knows none of their types; handlers of those modules reach them through CallHost.
#pragma once

#include <cstddef>
#include <memory>

#include "server/command/command.h"

namespace mayfly::server {

// Lives as long as its session; used on the session's thread, but for Leave().
class SessionExtension {
 public:
  virtual ~SessionExtension() = default;

  virtual AclContext* acl() { return nullptr; }
  virtual PubSubContext* pubsub() { return nullptr; }
  virtual ScriptContext* scripts() { return nullptr; }

  struct Subscriptions {
    std::size_t channels = 0;
    std::size_t patterns = 0;
    std::size_t shard_channels = 0;
    bool any() const { return channels + patterns + shard_channels > 0; }
  };
  // Called before every command: it should cost no lock.
  virtual Subscriptions subscriptions() const { return {}; }

  // Whether the script that a command runs may write. Called before it runs.
  virtual bool ScriptMayWrite(const CommandSpec& /*spec*/, std::span<const Bytes> /*args*/) {
    return true;
  }

  // RESET: back to the state of a new client.
  virtual void Reset() {}

  // From any thread: the client gets no more messages.
  virtual void Leave() {}

  // End of a batch or transaction: messages published within it are sent after the commit, or
  // dropped.
  virtual void Committed() {}
  virtual void Abandoned() {}
};

// Of all extensions together, for INFO.
struct ScriptFigures {
  std::size_t kept = 0;        // Scripts that EVALSHA finds,
  std::size_t kept_bytes = 0;  // and their texts.
  std::size_t lua_bytes = 0;   // Memory of the interpreter.
  std::size_t libraries = 0;   // Of functions, as far as they were read,
  std::size_t functions = 0;   // and their functions.
  bool function_runs = false;  // The script that runs alone is a function.
};

// Safe to call from any thread.
class ExtensionMaker {
 public:
  virtual ~ExtensionMaker() = default;
  virtual ScriptFigures script_figures() const { return {}; }
  virtual std::unique_ptr<SessionExtension> ForSession(Server& server, Session& session) = 0;
};

}  // namespace mayfly::server

// authorizer.h - authenticates clients and decides which commands they may run.
// The executor asks before every command. PasswordAuthorizer knows one user and one password; users
// with rules (ACL) are another implementation of the same interface.
#pragma once

#include <atomic>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <vector>

#include "mayfly/bytes.h"
#include "mayfly/result.h"
#include "server/command/answer.h"
#include "server/command/command.h"

namespace mayfly::server {

// A user as an authorizer knows it. A session holds one and passes it to every check.
class Principal {
 public:
  virtual ~Principal() = default;
  virtual std::string name() const = 0;

  // The same user for another session: one belongs to the thread of its session.
  virtual std::shared_ptr<Principal> Copy() const = 0;

  // Whether it could authenticate again as it did: the user is there and on, and its passwords have
  // not changed. For what outlives a connection, such as a browser's cookie.
  virtual bool Holds() const = 0;
};

// When a command is checked.
enum class AccessWhere : std::uint8_t {
  kTopLevel,
  kMulti,  // Before it is queued.
  kExec,   // When it runs after being queued: rules may have changed since.
};

// The command to check.
struct AccessRequest {
  const CommandSpec& command;  // The subcommand, where there is one.
  std::span<const Bytes> args;
  const Session& session;  // For a log of refusals.
  AccessWhere where;
};

// Safe to call from any thread.
class Authorizer {
 public:
  virtual ~Authorizer() = default;

  // The user of a new connection. Null: the client has to AUTH first.
  virtual std::shared_ptr<Principal> Newcomer() = 0;

  // AUTH and HELLO AUTH. Without a name (null), the default user is meant. An error is a whole
  // line, such as "WRONGPASS invalid username-password pair or user is disabled.". `from` is for a
  // log of refusals.
  struct From {
    Bytes command;            // The word the client used.
    std::string_view client;  // Session::Describe().
  };
  virtual Answer Authenticate(const Bytes* name, Bytes password, const From& from,
                              std::shared_ptr<Principal>& who) = 0;

  // Ok, or an error line such as "NOPERM this user has no permissions to run the 'get' command".
  virtual Answer Check(const Principal& who, const AccessRequest& request) = 0;

  // The same for a user by name, for a client that has waited. Nothing is logged.
  virtual Answer CheckUser(const std::string& /*name*/, const CommandSpec& /*command*/,
                           std::span<const Bytes> /*args*/) {
    return {};
  }

  // Called when requirepass has changed; empty: no password.
  virtual void SetDefaultPassword(std::string password) = 0;

  virtual bool Knows(Bytes user) const = 0;

  // All users, as lines of a configuration file: "user NAME RULE ...".
  virtual std::vector<std::string> UserLines() const { return {}; }

  // Whether the default user needs no password: then protected mode checks the client's address.
  virtual bool open_to_all() const = 0;
};

// Knows the default user only, who may do everything after authenticating.
class PasswordAuthorizer final : public Authorizer {
 public:
  std::shared_ptr<Principal> Newcomer() override;
  Answer Authenticate(const Bytes* name, Bytes password, const From& from,
                      std::shared_ptr<Principal>& who) override;
  Answer Check(const Principal& /*who*/, const AccessRequest& /*request*/) override { return {}; }
  void SetDefaultPassword(std::string password) override;
  bool Knows(Bytes user) const override { return user == "default"; }
  bool open_to_all() const override { return open_; }

 private:
  mutable std::mutex mutex_;
  std::string password_;  // Guarded by mutex_.
  std::atomic<bool> open_{true};
};

}  // namespace mayfly::server

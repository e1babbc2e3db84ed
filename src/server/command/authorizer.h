// authorizer.h - who a client is, and what it may do.
// The executor asks before every command. PasswordAuthorizer knows one user and one password; users
// with rules (ACL) are another implementation of the same questions.
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

// A user as an authorizer knows it. Sessions hold one and hand it back with every question.
class Principal {
 public:
  virtual ~Principal() = default;
  virtual std::string name() const = 0;
};

// At which moment it is asked whether a command may run.
enum class AccessWhere : std::uint8_t {
  kTopLevel,
  kMulti,  // It is to be queued.
  kExec,   // It was queued, and rules may have changed since.
};

// What is about to run.
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

  // Who a connection is before it says so. Null: it has to AUTH first.
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

  // The same for a user by name, on behalf of a client that has waited. Nothing is logged.
  virtual Answer CheckUser(const std::string& /*name*/, const CommandSpec& /*command*/,
                           std::span<const Bytes> /*args*/) {
    return {};
  }

  // requirepass has changed; empty: none.
  virtual void SetDefaultPassword(std::string password) = 0;

  virtual bool Knows(Bytes user) const = 0;

  // All users, as lines of a configuration file: "user NAME RULE ...".
  virtual std::vector<std::string> UserLines() const { return {}; }

  // Whether the default user needs no password: then protected mode looks at where clients are.
  virtual bool open_to_all() const = 0;
};

// The default user alone, who may do everything once it knows the password.
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

// logins.h - people who are logged in to the console: a cookie's id means a user of the server.
// An id is drawn at each login and never taken from a client, so nobody can be given one that is
// known to another. The table has only hashes of ids. A login ends by itself: when it was idle for
// `console-idle`, `console-lifetime` after it began, and as soon as the user is removed, turned off
// or given another password.
// Safe to call from any thread.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>

#include "mayfly/bytes.h"
#include "mayfly/clock.h"
#include "server/command/authorizer.h"
#include "server/config/config.h"

namespace mayfly::console {

class Login {
 public:
  Login(std::shared_ptr<server::Principal> principal, std::string csrf, SteadyTime begun)
      : user_(principal->name()),
        csrf_(std::move(csrf)),
        begun_(begun),
        principal_(std::move(principal)) {}

  const std::string& user() const { return user_; }

  // What every request that may change something shows beside the cookie: a page of another origin
  // can make the browser send the cookie, and cannot read this.
  const std::string& csrf() const { return csrf_; }
  SteadyTime begun() const { return begun_; }

  // The user, for the commands of one request. Null: the user could not log in any more.
  std::shared_ptr<server::Principal> principal() const;

 private:
  const std::string user_;
  const std::string csrf_;
  const SteadyTime begun_;
  mutable std::mutex mutex_;
  std::shared_ptr<server::Principal> principal_;  // Guarded by mutex_: it belongs to one thread.
};

class Logins {
 public:
  // Both must outlive it. The clock gives the time of idleness alone.
  Logins(const server::Config& config, const Clock& clock) : config_(config), clock_(clock) {}

  struct Opened {
    std::string id;
    std::shared_ptr<const Login> login;
  };
  Opened Open(std::shared_ptr<server::Principal> principal);

  // What a page asks by itself is no use of a login: one that only listens becomes idle.
  enum class Use : std::uint8_t { kCounts, kDoesNotCount };

  // Null: there is none of this id, or it has ended.
  std::shared_ptr<const Login> Find(Bytes id, Use use = Use::kCounts);

  void Close(Bytes id);
  std::size_t size() const;

 private:
  struct Slot {
    std::shared_ptr<const Login> login;  // Shared with the requests under way.
    SteadyTime used;
  };
  using Slots = std::map<std::string, Slot, std::less<>>;

  bool HasEnded(const Slot& slot, SteadyTime now) const;

  const server::Config& config_;
  const Clock& clock_;
  mutable std::mutex mutex_;
  Slots slots_;  // By the hash of the id; guarded by mutex_.
};

}  // namespace mayfly::console

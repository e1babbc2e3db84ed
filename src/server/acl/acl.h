// acl.h - all users. A user is replaced as a whole, so that a check sees one state of it.
// `version()` moves whenever any user changes; sessions compare it, and so learn of changes and of
// their user's removal without a callback (acl_session.h). Invariant: there is a user "default".
// Safe to call from any thread.
#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "mayfly/result.h"
#include "server/acl/acl_log.h"
#include "server/acl/acl_user.h"
#include "server/command/command_table.h"

namespace mayfly::server {

using AclUserPtr = std::shared_ptr<const AclUser>;  // Shared with the sessions of the user.

class Acl {
 public:
  // Users by name, in the order in which they are listed.
  using Users = std::map<std::string, AclUserPtr, std::less<>>;

  // With the default user alone, who may do everything and needs no password. Rules are about the
  // commands of `table`, which must outlive it.
  explicit Acl(const CommandTable& table);

  const CommandTable& table() const { return table_; }
  AclLog& log() { return log_; }

  // The setting acl-pubsub-default: the channels of new users. Existing users keep theirs.
  void set_all_channels_at_first(bool all_channels) { all_channels_at_first_ = all_channels; }

  std::uint64_t version() const { return version_.load(std::memory_order_acquire); }

  // Null: there is none of this name.
  AclUserPtr Find(Bytes name) const;
  Users users() const;

  // Creates or changes a user: applies all rules or none. Invalid, as ACL SETUSER words it.
  Status SetUser(Bytes name, std::span<const Bytes> rules);

  // False when there is no such user. Invalid for the default user.
  Result<bool> DeleteUser(Bytes name);

  // The setting requirepass: the default user's only password; empty: no password.
  void RequirePassword(Bytes password);

  // The user, if the password is right and the user is on; null otherwise.
  AclUserPtr Authenticate(Bytes name, Bytes password) const;

  // Replaces all users. If `users` has no default user, a new one is added.
  void ReplaceUsers(Users users);

  // A user before any rule, and the default one.
  AclUser NewUser(std::string name) const;

 private:
  AclUser NewDefaultUser() const;
  void Put(AclUser user);  // The caller holds the mutex.

  const CommandTable& table_;
  AclLog log_;
  std::atomic<std::uint64_t> version_ = 1;
  std::atomic<bool> all_channels_at_first_ = false;
  mutable std::mutex mutex_;
  Users users_;  // Guarded by mutex_.
};

inline constexpr std::string_view kDefaultUser = "default";

// Names cannot hold blanks, which separate words in files.
bool IsUserName(Bytes name);

}  // namespace mayfly::server

#include "server/acl/acl.h"

#include <fmt/format.h>

#include "base/check.h"
#include "server/command/shown_args.h"

namespace mayfly::server {

namespace {

// A rule as errors show it: errors end up in the logs of clients.
std::string ShownRule(const std::string& rule) {
  const bool is_password = rule.find_first_of("><#!") == 0;
  return is_password ? fmt::format("{}{}", rule.front(), kRedacted) : rule;
}

}  // namespace

bool IsUserName(Bytes name) {
  return name.find_first_of(std::string_view(" \t\n\v\f\r\0", 7)) == Bytes::npos;
}

Acl::Acl(const CommandTable& table) : table_(table) { Put(NewDefaultUser()); }

AclUser Acl::NewUser(std::string name) const {
  return AclUser(std::move(name), table_, all_channels_at_first_);
}

AclUser Acl::NewDefaultUser() const {
  AclUser user = NewUser(std::string(kDefaultUser));
  for (const char* const rule : {"+@all", "~*", "&*", "on", "nopass"}) {
    const bool applied = user.Apply(rule).ok();
    MAYFLY_CHECK(applied, "a rule of the default user is refused");
  }
  return user;
}

void Acl::Put(AclUser user) {
  std::string name = user.name();
  users_[std::move(name)] = std::make_shared<const AclUser>(std::move(user));
  ++version_;
}

AclUserPtr Acl::Find(Bytes name) const {
  const std::lock_guard lock(mutex_);
  const auto found = users_.find(name);
  return found == users_.end() ? nullptr : found->second;
}

Acl::Users Acl::users() const {
  const std::lock_guard lock(mutex_);
  return users_;
}

Status Acl::SetUser(Bytes name, std::span<const Bytes> rules) {
  if (!IsUserName(name)) {
    return Status::Invalid("Usernames can't contain spaces or null characters");
  }
  std::string open_at;
  const Result<std::vector<std::string>> joined = JoinSelectors(rules, open_at);
  if (!joined) {
    return Status::Invalid(
        fmt::format("Unmatched parenthesis in acl selector starting at '{}'.", open_at));
  }
  const std::lock_guard lock(mutex_);
  const auto found = users_.find(name);
  AclUser user = found == users_.end() ? NewUser(std::string(name)) : *found->second;
  user.set_all_channels_at_first(all_channels_at_first_);
  for (const std::string& rule : *joined) {
    const Status status = user.Apply(rule);
    if (!status.ok()) {
      return Status::Invalid(
          fmt::format("Error in ACL SETUSER modifier '{}': {}", ShownRule(rule), status.message()));
    }
  }
  Put(std::move(user));
  return Status::Ok();
}

Result<bool> Acl::DeleteUser(Bytes name) {
  if (name == kDefaultUser) return Status::Invalid("The 'default' user cannot be removed");
  const std::lock_guard lock(mutex_);
  const auto found = users_.find(name);
  if (found == users_.end()) return false;
  users_.erase(found);
  ++version_;
  return true;
}

void Acl::RequirePassword(Bytes password) {
  const std::lock_guard lock(mutex_);
  AclUser user = *users_.find(kDefaultUser)->second;
  const std::string rule = password.empty() ? "nopass" : fmt::format(">{}", password);
  const bool applied = user.Apply("resetpass").ok() && user.Apply(rule).ok();
  MAYFLY_CHECK(applied, "a rule of requirepass is refused");
  Put(std::move(user));
}

AclUserPtr Acl::Authenticate(Bytes name, Bytes password) const {
  AclUserPtr user = Find(name);
  if (user == nullptr || !user->enabled() || !user->HasPassword(password)) return nullptr;
  return user;
}

void Acl::ReplaceUsers(Users users) {
  const std::lock_guard lock(mutex_);
  users_ = std::move(users);
  if (!users_.contains(kDefaultUser)) Put(NewDefaultUser());
  ++version_;
}

}  // namespace mayfly::server

#include "server/acl/acl_session.h"

namespace mayfly::server {

AclSession::AclSession(Acl& acl) : acl_(acl) { Reset(); }

void AclSession::Reset() {
  version_ = acl_.version();
  const AclUserPtr user = acl_.Find(kDefaultUser);
  const bool at_once = user->enabled() && user->no_password();
  user_ = at_once ? user : nullptr;
  name_ = at_once ? kDefaultUser : std::string_view();
  authenticated_ = user_;
  removed_ = false;
}

// The version is read before the user: a change in between is seen next time.
void AclSession::Refresh() {
  const std::uint64_t version = acl_.version();
  if (version == version_ || user_ == nullptr) return;
  version_ = version;
  user_ = acl_.Find(name_);
  removed_ = user_ == nullptr;
}

const AclUser* AclSession::user() {
  Refresh();
  return user_.get();
}

bool AclSession::removed() {
  Refresh();
  return removed_;
}

bool AclSession::Authenticate(Bytes name, Bytes password) {
  const std::uint64_t version = acl_.version();
  AclUserPtr user = acl_.Authenticate(name, password);
  if (user == nullptr) return false;
  version_ = version;
  name_ = user->name();
  user_ = std::move(user);
  authenticated_ = user_;
  removed_ = false;
  return true;
}

bool AclSession::CouldAuthenticate() {
  Refresh();
  return user_ != nullptr && user_->enabled() &&
         user_->no_password() == authenticated_->no_password() &&
         user_->password_hashes() == authenticated_->password_hashes();
}

}  // namespace mayfly::server

// acl_session.h - the user of a client. Starts as the default user, if that needs no password.
// One thread at a time.
#pragma once

#include "server/acl/acl.h"

namespace mayfly::server {

class AclSession {
 public:
  // `acl` must outlive it.
  explicit AclSession(Acl& acl);

  // Null: the client must authenticate first, with AUTH or HELLO. A change of the user takes effect
  // with the next call.
  const AclUser* user();

  // The user's name, also after its removal; empty: not authenticated.
  const std::string& name() const { return name_; }

  // The user was removed: the connection must be closed.
  bool removed();

  // False, and nothing is changed, when the pair is wrong or the user is off.
  bool Authenticate(Bytes name, Bytes password);

  // Whether the user could authenticate now as it did: it is there and on, and its passwords are
  // those of that moment.
  bool CouldAuthenticate();

  // RESET: as a new client.
  void Reset();

  Acl& acl() { return acl_; }

 private:
  void Refresh();

  Acl& acl_;
  std::uint64_t version_ = 0;
  std::string name_;  // Empty: not authenticated.
  AclUserPtr user_;
  AclUserPtr authenticated_;  // The user as it was then; null: not authenticated.
  bool removed_ = false;
};

}  // namespace mayfly::server

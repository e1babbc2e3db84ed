// acl_authorizer.h - authenticates and authorizes clients by the users of ACL.
#pragma once

#include <memory>
#include <string>

#include "server/acl/acl_commands.h"
#include "server/acl/acl_session.h"
#include "server/command/authorizer.h"

namespace mayfly::server {

// A client's user. Changes of the user take effect with the client's next command. Used on the
// client's thread alone.
class AclPrincipal final : public Principal {
 public:
  explicit AclPrincipal(Acl& acl) : session_(acl) {}

  std::string name() const override;
  std::shared_ptr<Principal> Copy() const override { return std::make_shared<AclPrincipal>(*this); }
  bool Holds() const override { return session_.CouldAuthenticate(); }

  // Const although reading the user refreshes it: callers cannot observe that.
  AclSession& session() const { return session_; }

 private:
  mutable AclSession session_;
};

// Safe to call from any thread.
class AclAuthorizer final : public Authorizer {
 public:
  // Both must outlive it.
  AclAuthorizer(Acl& acl, const Clock& clock) : acl_(acl), clock_(clock) {}

  std::shared_ptr<Principal> Newcomer() override;
  Answer Authenticate(const Bytes* name, Bytes password, const From& from,
                      std::shared_ptr<Principal>& who) override;
  Answer Check(const Principal& who, const AccessRequest& request) override;
  Answer CheckUser(const std::string& name, const CommandSpec& command,
                   std::span<const Bytes> args) override;
  std::vector<std::string> UserLines() const override;
  void SetDefaultPassword(std::string password) override;
  bool Knows(Bytes user) const override { return acl_.Find(user) != nullptr; }
  bool open_to_all() const override;

 private:
  Acl& acl_;
  const Clock& clock_;
};

}  // namespace mayfly::server

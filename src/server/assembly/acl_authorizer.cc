#include "server/assembly/acl_authorizer.h"

#include <optional>
#include <utility>

#include "server/session/session.h"

namespace mayfly::server {
namespace {

AclWhere WhereOf(AccessWhere where) {
  switch (where) {
    case AccessWhere::kMulti: return AclWhere::kMulti;
    case AccessWhere::kExec: return AclWhere::kExec;
    case AccessWhere::kTopLevel: break;
  }
  return AclWhere::kTopLevel;
}

}  // namespace

std::string AclPrincipal::name() const {
  const AclUser* const user = session_.user();
  return user != nullptr ? std::string(user->name()) : std::string();
}

std::shared_ptr<Principal> AclAuthorizer::Newcomer() {
  auto newcomer = std::make_shared<AclPrincipal>(acl_);
  return newcomer->session().user() != nullptr ? std::move(newcomer) : nullptr;
}

Answer AclAuthorizer::Authenticate(const Bytes* name, Bytes password, const From& from,
                                   std::shared_ptr<Principal>& who) {
  auto fresh = std::make_shared<AclPrincipal>(acl_);
  AclContext context{.session = fresh->session(),
                     .clock = clock_,
                     .file = {},
                     .client_info = std::string(from.client)};
  const auto refusal =
      LogIn(context, from.command, name != nullptr ? std::optional(*name) : std::nullopt, password);
  if (refusal) return Answer::Error(*refusal);
  who = std::move(fresh);
  return {};
}

Answer AclAuthorizer::Check(const Principal& who, const AccessRequest& request) {
  AclSession& session = static_cast<const AclPrincipal&>(who).session();
  // The common case. Describing the client, which costs more than the rest, is only for refusals.
  if (MayRun(session, request.command, request.args)) return {};
  AclContext context{
      .session = session,
      .clock = clock_,
      .file = {},
      .client_info = request.session.Describe(acl_.table().EntryOf(request.command).full_name)};
  auto refusal = RefuseCommand(context, request.command, request.args, WhereOf(request.where));
  return refusal ? Answer::Error(*std::move(refusal)) : Answer();
}

Answer AclAuthorizer::CheckUser(const std::string& name, const CommandSpec& command,
                                std::span<const Bytes> args) {
  const AclUserPtr user = acl_.Find(name);
  if (user == nullptr) return Answer::Error(std::string(kNoAuthLine));
  const auto denial = CheckAcl(*user, acl_.table(), command, args);
  return denial ? Answer::Error(NoPermissionLine(*denial)) : Answer();
}

std::vector<std::string> AclAuthorizer::UserLines() const {
  std::vector<std::string> lines;
  for (const auto& [name, user] : acl_.users()) lines.push_back(user->Describe());
  return lines;
}

void AclAuthorizer::SetDefaultPassword(std::string password) { acl_.RequirePassword(password); }

bool AclAuthorizer::open_to_all() const { return acl_.Find(kDefaultUser)->no_password(); }

}  // namespace mayfly::server

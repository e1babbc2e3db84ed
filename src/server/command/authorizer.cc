#include "server/command/authorizer.h"

#include <utility>

namespace mayfly::server {
namespace {

class DefaultUser final : public Principal {
 public:
  std::string name() const override { return "default"; }
  std::shared_ptr<Principal> Copy() const override { return std::make_shared<DefaultUser>(); }
  bool Holds() const override { return true; }  // Its password is set at the start.
};

// Takes the same time wherever the two differ, so that a password cannot be guessed byte by byte.
bool SameSecret(Bytes given, Bytes secret) {
  unsigned difference = given.size() == secret.size() ? 0 : 1;
  for (std::size_t i = 0; i < given.size(); ++i) {
    const char expected = secret.empty() ? '\0' : secret[i % secret.size()];
    difference |= static_cast<unsigned>(static_cast<unsigned char>(given[i] ^ expected));
  }
  return difference == 0;
}

}  // namespace

std::shared_ptr<Principal> PasswordAuthorizer::Newcomer() {
  return open_ ? std::make_shared<DefaultUser>() : nullptr;
}

Answer PasswordAuthorizer::Authenticate(const Bytes* name, Bytes password, const From& /*from*/,
                                        std::shared_ptr<Principal>& who) {
  const std::lock_guard lock(mutex_);
  if (name == nullptr && password_.empty()) {
    return Answer::Error(
        "ERR AUTH <password> called without any password configured for the default user. Are you "
        "sure your configuration is correct?");
  }
  const bool known = name == nullptr || *name == "default";
  if (!known || !(password_.empty() || SameSecret(password, password_))) {
    return Answer::Error("WRONGPASS invalid username-password pair or user is disabled.");
  }
  who = std::make_shared<DefaultUser>();
  return {};
}

void PasswordAuthorizer::SetDefaultPassword(std::string password) {
  const std::lock_guard lock(mutex_);
  open_ = password.empty();
  password_ = std::move(password);
}

}  // namespace mayfly::server

#include "console/logins.h"

#include <algorithm>
#include <chrono>
#include <utility>

#include "console/limits.h"
#include "server/acl/acl_password.h"

namespace mayfly::console {

using server::Setting;

std::shared_ptr<server::Principal> Login::principal() const {
  const std::lock_guard lock(mutex_);
  return principal_->Holds() ? principal_->Copy() : nullptr;
}

bool Logins::HasEnded(const Slot& slot, SteadyTime now) const {
  const std::chrono::seconds idle(config_.Number(Setting::kConsoleIdle));
  const std::chrono::seconds lifetime(config_.Number(Setting::kConsoleLifetime));
  return now - slot.used >= idle || now - slot.login->begun() >= lifetime ||
         slot.login->principal() == nullptr;
}

Logins::Opened Logins::Open(std::shared_ptr<server::Principal> principal) {
  const SteadyTime now = clock_.Steady();
  Opened opened{.id = server::NewPassword(kSecretBits),
                .login = std::make_shared<const Login>(std::move(principal),
                                                       server::NewPassword(kSecretBits), now)};
  const std::lock_guard lock(mutex_);
  std::erase_if(slots_, [&](const auto& one) { return HasEnded(one.second, now); });
  if (slots_.size() >= kLoginsMax) {
    slots_.erase(std::min_element(slots_.begin(), slots_.end(), [](const auto& a, const auto& b) {
      return a.second.used < b.second.used;
    }));
  }
  slots_[server::PasswordHash(opened.id)] = {opened.login, now};
  return opened;
}

std::shared_ptr<const Login> Logins::Find(Bytes id, Use use) {
  if (id.empty()) return nullptr;
  const SteadyTime now = clock_.Steady();
  const std::lock_guard lock(mutex_);
  const auto found = slots_.find(server::PasswordHash(id));
  if (found == slots_.end()) return nullptr;
  if (HasEnded(found->second, now)) {
    slots_.erase(found);
    return nullptr;
  }
  if (use == Use::kCounts) found->second.used = now;
  return found->second.login;
}

void Logins::Close(Bytes id) {
  const std::lock_guard lock(mutex_);
  slots_.erase(server::PasswordHash(id));
}

std::size_t Logins::size() const {
  const std::lock_guard lock(mutex_);
  return slots_.size();
}

}  // namespace mayfly::console

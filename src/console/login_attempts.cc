#include "console/login_attempts.h"

#include <algorithm>

#include "console/limits.h"

namespace mayfly::console {

void LoginAttempts::Forget(SteadyTime now) {
  for (auto at = counts_.begin(); at != counts_.end();) {
    Count& count = at->second;
    const auto back = (now - count.at) / kAttemptEvery;
    count.failed = back >= count.failed ? 0 : count.failed - static_cast<int>(back);
    count.at += back * kAttemptEvery;
    at = count.failed == 0 ? counts_.erase(at) : std::next(at);
  }
}

bool LoginAttempts::Left(Bytes address) {
  const std::lock_guard lock(mutex_);
  Forget(clock_.Steady());
  const auto found = counts_.find(address);
  return found == counts_.end() || found->second.failed < kAttemptsMax;
}

// The address forgotten first is one that has failed least, so that many addresses cannot make this
// forget one that goes on.
void LoginAttempts::Failed(Bytes address) {
  const SteadyTime now = clock_.Steady();
  const std::lock_guard lock(mutex_);
  Forget(now);
  const auto found = counts_.find(address);
  if (found != counts_.end()) {
    ++found->second.failed;
    return;
  }
  if (counts_.size() >= kAddressesMax) {
    counts_.erase(std::min_element(
        counts_.begin(), counts_.end(),
        [](const auto& a, const auto& b) { return a.second.failed < b.second.failed; }));
  }
  counts_.emplace(std::string(address), Count{.failed = 1, .at = now});
}

}  // namespace mayfly::console

// login_attempts.h - how often a password may be tried. Each address has a number of attempts, and
// gets one back every few seconds; only attempts that fail are counted.
// Safe to call from any thread.
#pragma once

#include <map>
#include <mutex>
#include <string>

#include "mayfly/bytes.h"
#include "mayfly/clock.h"

namespace mayfly::console {

class LoginAttempts {
 public:
  explicit LoginAttempts(const Clock& clock) : clock_(clock) {}

  // Whether this address has an attempt left.
  bool Left(Bytes address);

  // One more has failed.
  void Failed(Bytes address);

 private:
  struct Count {
    int failed = 0;
    SteadyTime at;  // When one of them is forgotten next, less kAttemptEvery.
  };

  // Forgets what is long ago; with mutex_ held.
  void Forget(SteadyTime now);

  const Clock& clock_;
  std::mutex mutex_;
  std::map<std::string, Count, std::less<>> counts_;  // Guarded by mutex_; failed is above 0.
};

}  // namespace mayfly::console

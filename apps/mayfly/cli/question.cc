#include "apps/mayfly/cli/question.h"

#include <fmt/format.h>
#include <poll.h>
#include <unistd.h>

#include <cstdio>

#include "apps/mayfly/terminal/interrupt.h"

namespace mayfly::app {

Result<bool> Agreed(bool yes, const std::string& question) {
  if (yes) return true;
  if (::isatty(STDIN_FILENO) == 0) {
    return Status::Invalid(
        fmt::format("there is no terminal to ask at; --yes answers: {}", question));
  }
  fmt::print(stderr, "{} [y/N] ", question);
  // A signal just before a blocking read would be noted, and the read would wait all the same.
  constexpr int kWaitMs = 100;
  pollfd input{.fd = STDIN_FILENO, .events = POLLIN, .revents = 0};
  while (!Interrupted() && ::poll(&input, 1, kWaitMs) <= 0) {
  }
  if (Interrupted()) return false;
  const int answer = std::getchar();
  return answer == 'y' || answer == 'Y';
}

}  // namespace mayfly::app

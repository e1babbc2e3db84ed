#include "apps/mayfly/cli/question.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>

namespace mayfly::app {

Result<bool> Agreed(bool yes, const std::string& question) {
  if (yes) return true;
  if (::isatty(STDIN_FILENO) == 0) {
    return Status::Invalid(fmt::format("{} Answer with --yes; there is no terminal", question));
  }
  fmt::print(stderr, "{} [y/N] ", question);
  const int answer = std::getchar();
  return answer == 'y' || answer == 'Y';
}

}  // namespace mayfly::app

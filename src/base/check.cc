#include "base/check.h"

#include <cstdio>
#include <cstdlib>

namespace mayfly {

void CheckFailed(const char* file, int line, const char* what) noexcept {
  std::fprintf(stderr, "mayfly: broken invariant at %s:%d: %s\n", file, line, what);
  std::abort();
}

}  // namespace mayfly

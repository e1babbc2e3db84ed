#include "must.h"

#include <fmt/format.h>

#include <cstdio>
#include <cstdlib>

namespace mayfly::bench {

void GiveUp(std::string_view why) {
  fmt::print(stderr, "benchmark failed: {}\n", why);
  std::exit(2);
}

}  // namespace mayfly::bench

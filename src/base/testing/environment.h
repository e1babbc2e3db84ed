// environment.h - settings of a test run from outside: MAYFLY_SEED=7 ctest ...
#pragma once

#include <charconv>
#include <cstdint>
#include <cstdlib>
#include <string_view>

#include "base/check.h"

namespace mayfly {

// The decimal number in the environment variable `name`, or `otherwise` when it is not set. Text
// that is not a number ends the process: a run with another seed than the one asked for misleads.
inline std::uint64_t NumberFromEnvironment(const char* name, std::uint64_t otherwise) {
  const char* const set = std::getenv(name);
  if (set == nullptr) return otherwise;
  const std::string_view text(set);
  std::uint64_t number = 0;
  const auto parsed = std::from_chars(text.data(), text.data() + text.size(), number);
  MAYFLY_CHECK(parsed.ec == std::errc() && parsed.ptr == text.data() + text.size(),
               "an environment variable of the test run is not a decimal number");
  return number;
}

}  // namespace mayfly

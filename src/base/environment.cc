#include "base/environment.h"

#include <charconv>
#include <cstdlib>
#include <string_view>

#include "base/check.h"

namespace mayfly {

std::uint64_t NumberFromEnvironment(const char* name, std::uint64_t otherwise) {
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

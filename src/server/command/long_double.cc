#include "server/command/long_double.h"

#include <cerrno>
#include <cmath>
#include <cstdio>
#include <cstdlib>

#include "base/text.h"

namespace mayfly::server {
namespace {

// More than the longest number that WriteLongDouble() writes.
constexpr std::size_t kTextBytesMax = std::size_t{5} * 1024;

}  // namespace

bool ReadLongDouble(Bytes text, long double& value) {
  if (text.empty() || text.size() >= kTextBytesMax) return false;
  if (IsSpace(text.front())) return false;
  const std::string copy(text);
  char* end = nullptr;
  errno = 0;
  const long double read = std::strtold(copy.c_str(), &end);
  if (end != copy.c_str() + copy.size() || std::isnan(read)) return false;
  // Denormal results are accepted; overflow and underflow to zero are not.
  if (errno == ERANGE && (std::isinf(read) || read == 0)) return false;
  value = read;
  return true;
}

std::string WriteLongDouble(long double value) {
  // Not fmt, whose release 9 writes 1e-20L with 20 digits when asked for 17.
  std::string text(kTextBytesMax, '\0');
  const int bytes = std::snprintf(text.data(), text.size(), "%.17Lf", value);
  text.resize(static_cast<std::size_t>(bytes));
  text.erase(text.find_last_not_of('0') + 1);
  if (text.back() == '.') text.pop_back();
  return text == "-0" ? "0" : text;
}

}  // namespace mayfly::server

#include "base/printable.h"

#include <fmt/format.h>

#include <iterator>

namespace mayfly {

std::string Printable(Bytes bytes, std::size_t bytes_max) {
  std::string text;
  for (const char byte : bytes.substr(0, bytes_max)) {
    if (byte >= ' ' && byte <= '~' && byte != '\\') {
      text.push_back(byte);
    } else {
      fmt::format_to(std::back_inserter(text), "\\x{:02x}", static_cast<unsigned char>(byte));
    }
  }
  if (bytes.size() > bytes_max) text.append("...");
  return text;
}

}  // namespace mayfly

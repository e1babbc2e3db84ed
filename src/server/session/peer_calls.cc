#include "server/session/peer_calls.h"

#include <fmt/format.h>

namespace mayfly::server {

std::string WireText(std::span<const Bytes> words) {
  std::string text = fmt::format("*{}\r\n", words.size());
  for (const Bytes word : words) {
    text += fmt::format("${}\r\n", word.size());
    text.append(word).append("\r\n");
  }
  return text;
}

}  // namespace mayfly::server

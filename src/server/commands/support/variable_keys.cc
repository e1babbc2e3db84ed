#include "server/commands/support/variable_keys.h"

#include <algorithm>

#include "server/command/arguments.h"

namespace mayfly::server {

// Asked twice for each SET: most words are of another length.
KeyFlags SetKeyFlags(std::span<const Bytes> args) {
  const auto words = args.subspan(std::min<std::size_t>(args.size(), 3));
  bool compares = false;
  for (const Bytes word : words) {
    if (word.size() == 3 && IsWord(word, "get")) return kRW | kAccess | kUpdate | kCounted;
    if (word.size() < 4 || word.size() > 5 || words.size() == 1) continue;
    compares = compares || IsWord(word, "ifeq") || IsWord(word, "ifne") || IsWord(word, "ifdeq") ||
               IsWord(word, "ifdne");
  }
  return compares ? kRW | kAccess | kUpdate : kOW | kUpdate;
}

KeyFlags DelExKeyFlags(std::span<const Bytes> args) {
  return args.size() > 2 ? kRW | kAccess | kDelete : kRM | kDelete;
}

KeyFlags BitFieldKeyFlags(std::span<const Bytes> args) {
  std::size_t at = 2;
  while (at < args.size()) {
    const std::size_t words = IsWord(args[at], "get") ? 3 : IsWord(args[at], "overflow") ? 2 : 0;
    if (words == 0 || words > args.size() - at) return kRW | kAccess | kUpdate;
    at += words;
  }
  return kRO | kAccess;
}

void FindSortTarget(std::span<const Bytes> args, std::vector<KeyUse>& keys) {
  int target = 0;
  for (std::size_t i = 2; i < args.size(); ++i) {
    if (IsWord(args[i], "limit")) {
      i += 2;
    } else if (IsWord(args[i], "by") || IsWord(args[i], "get")) {
      ++i;
    } else if (IsWord(args[i], "store") && i + 1 < args.size()) {
      target = static_cast<int>(++i);
    }
  }
  if (target != 0) keys.push_back({target, kOW | kUpdate});
}

}  // namespace mayfly::server

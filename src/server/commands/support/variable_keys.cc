#include "server/commands/support/variable_keys.h"

#include <algorithm>

#include "server/command/arguments.h"

namespace mayfly::server {

KeyFlags SetKeyFlags(std::span<const Bytes> args) {
  const bool gets = args.size() > 3 && std::any_of(args.begin() + 3, args.end(),
                                                   [](Bytes arg) { return IsWord(arg, "get"); });
  return gets ? kRW | kAccess | kUpdate | kCounted : kOW | kUpdate;
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

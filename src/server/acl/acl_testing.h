// acl_testing.h - a small table of commands to write rules about, for tests.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "server/acl/acl.h"

namespace mayfly::server {

inline Answer NoAnswer(Call& call) {
  call.reply.Ok();
  return {};
}

inline std::span<const CommandFamily> TestFamilies() {
  static constexpr CommandSpec kConfig[] = {
      {"get", -3, kAdmin | kNoWork, kNoKeys, NoAnswer, "."},
      {"set", -4, kAdmin | kNoWork, kNoKeys, NoAnswer, "."},
  };
  static constexpr CommandSpec kServer[] = {
      {"config", -2, kNoWork,   kNoKeys,          nullptr,     ".",       kConfig},
      {"debug",        -2,    kAdmin | kNoWork,    kNoKeys, NoAnswer,  "."  },
      {"monitor",        1,  kAdmin | kNoWork,   kNoKeys,  NoAnswer,    "." },
      {"save",        1,     kAdmin | kNoWork,      kNoKeys,  NoAnswer, "."},
      {"shutdown",        -1, kAdmin | kNoWork, kNoKeys, NoAnswer,     "."      },
  };
  static constexpr CommandSpec kStrings[] = {
      {"append", 3,  kWrite | kFast,    kOneKey,        NoAnswer, "."},
      {"get",    2,  kReadOnly | kFast, kOneKey,        NoAnswer, "."},
      {"incr",   2,  kWrite | kFast,    kOneKey,        NoAnswer, "."},
      {"mget",   -2, kReadOnly | kFast, kAllKeys,       NoAnswer, "."},
      {"mset",   -3, kWrite,            kKeyValuePairs, NoAnswer, "."},
      {"set",    -3, kWrite,            kOneKey,        NoAnswer, "."},
      {"strlen", 2,  kReadOnly | kFast, kOneKey,        NoAnswer, "."},
  };
  static constexpr CommandSpec kKeys[] = {
      {"copy",   -3, kWrite,                 kTwoKeys, NoAnswer, "."},
      {"del",    -2, kWrite,                 kAllKeys, NoAnswer, "."},
      {"exists", -2, kReadOnly | kFast,      kAllKeys, NoAnswer, "."},
      {"keys",   2,  kReadOnly | kDangerous, kNoKeys,  NoAnswer, "."},
      {"rename", 3,  kWrite,                 kTwoKeys, NoAnswer, "."},
  };
  static constexpr CommandSpec kPubSubs[] = {
      {"psubscribe",  -2, kPubSub | kNoWork,         kNoKeys, NoAnswer, "."},
      {"publish",     3,  kPubSub | kFast | kNoWork, kNoKeys, NoAnswer, "."},
      {"subscribe",   -2, kPubSub | kNoWork,         kNoKeys, NoAnswer, "."},
      {"unsubscribe", -1, kPubSub | kNoWork,         kNoKeys, NoAnswer, "."},
  };
  static constexpr CommandSpec kConnections[] = {
      {"hello",  -1, kFast | kNoAuth | kNoWork, kNoKeys, NoAnswer, "."},
      {"select", 2,  kFast | kNoWork,           kNoKeys, NoAnswer, "."},
  };
  static constexpr CommandFamily kFamilies[] = {
      {"server",     Category::kAdmin,      kServer     },
      {"string",     Category::kString,     kStrings    },
      {"generic",    Category::kKeyspace,   kKeys       },
      {"pubsub",     Category::kPubSub,     kPubSubs    },
      {"connection", Category::kConnection, kConnections},
  };
  return kFamilies;
}

// Splits at blanks, which is how rules are written here.
inline std::vector<Bytes> Words(Bytes text) {
  std::vector<Bytes> words;
  while (!text.empty()) {
    const std::size_t end = std::min(text.find(' '), text.size());
    words.push_back(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
  }
  return words;
}

}  // namespace mayfly::server

// test_families.h - a small table of commands to write rules about, for tests.
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

inline KeyFlags TestSetKeyFlags(std::span<const Bytes> args) {
  return args.size() > 3 ? kRW | kAccess | kUpdate : kOW | kUpdate;
}

inline std::vector<CommandFamily> TestFamilies() {
  constexpr std::uint32_t kOperator = kAdmin | kNoRows;
  constexpr std::uint32_t kListens = kPubSub | kNoRows;
  constexpr KeyFlags kTake = kRW | kAccess | kDelete;
  constexpr KeyFlags kChange = kRW | kAccess | kUpdate;
  // clang-format off
  static constexpr CommandSpec kConfig[] = {
      {"get", -3, kOperator, kNoKeys, NoAnswer, "."},
      {"set", -4, kOperator, kNoKeys, NoAnswer, "."},
  };
  static constexpr CommandSpec kServer[] = {
      {"config",   -2, kNoRows,   kNoKeys, nullptr,  ".", kConfig},
      {"debug",    -2, kOperator, kNoKeys, NoAnswer, "."},
      {"monitor",  1,  kOperator, kNoKeys, NoAnswer, "."},
      {"save",     1,  kOperator, kNoKeys, NoAnswer, "."},
      {"shutdown", -1, kOperator, kNoKeys, NoAnswer, "."},
  };
  static constexpr CommandSpec kStrings[] = {
      {"append", 3,  kWrite | kFast,    OneKey(kRW | kInsert),                 NoAnswer, "."},
      {"get",    2,  kReadOnly | kFast, OneKey(kRO | kAccess),                 NoAnswer, "."},
      {"incr",   2,  kWrite | kFast,    OneKey(kChange),                       NoAnswer, "."},
      {"mget",   -2, kReadOnly | kFast, AllKeys(kRO | kAccess),                NoAnswer, "."},
      {"mset",   -3, kWrite,            KeyValuePairs(kOW | kUpdate),          NoAnswer, "."},
      {"set",    -3, kWrite,            VariableKey(kChange, TestSetKeyFlags), NoAnswer, "."},
      {"strlen", 2,  kReadOnly | kFast, OneKey(kRO),                           NoAnswer, "."},
  };
  static constexpr CommandSpec kKeys[] = {
      {"copy",   -3, kWrite,                 TwoKeys(kRO | kAccess, kOW | kUpdate), NoAnswer, "."},
      {"del",    -2, kWrite,                 AllKeys(kRM | kDelete),                NoAnswer, "."},
      {"exists", -2, kReadOnly | kFast,      AllKeys(kRO),                          NoAnswer, "."},
      {"keys",   2,  kReadOnly | kDangerous, kNoKeys,                               NoAnswer, "."},
      {"rename", 3,  kWrite,                 TwoKeys(kTake, kOW | kUpdate),         NoAnswer, "."},
      {"zunion", -3, kReadOnly,              NumberedKeys(kRO | kAccess),           NoAnswer, "."},
  };
  static constexpr CommandSpec kPubSubs[] = {
      {"psubscribe",  -2, kListens | kPatterns,          kNoKeys,         NoAnswer, "."},
      {"publish",     3,  kListens | kFast | kPublishes, kNoKeys,         NoAnswer, "."},
      {"spublish",    3,  kListens | kFast | kPublishes, OneKey(kNotKey), NoAnswer, "."},
      {"subscribe",   -2, kListens | kSubscribes,        kNoKeys,         NoAnswer, "."},
      {"unsubscribe", -1, kListens,                      kNoKeys,         NoAnswer, "."},
  };
  static constexpr CommandSpec kConnections[] = {
      {"hello",  -1, kFast | kNoAuth | kNoRows, kNoKeys, NoAnswer, "."},
      {"select", 2,  kFast | kNoRows,           kNoKeys, NoAnswer, "."},
  };
  return {
      {"server",     Category::kAdmin,      kServer},
      {"string",     Category::kString,     kStrings},
      {"generic",    Category::kKeyspace,   kKeys},
      {"pubsub",     Category::kPubSub,     kPubSubs},
      {"connection", Category::kConnection, kConnections},
  };
  // clang-format on
}

inline const CommandTable& TestTable() {
  static const CommandTable table(TestFamilies());
  return table;
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

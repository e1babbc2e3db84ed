#include "server/admin/command_words.h"

#include <fmt/format.h>

#include <array>
#include <utility>

namespace mayfly::server {
namespace {

// clang-format off
constexpr std::array kFlagWords = std::to_array<std::pair<CommandFlag, std::string_view>>({
    {kWrite,       "write"},
    {kReadOnly,    "readonly"},
    {kDenyOom,     "denyoom"},
    {kAdmin,       "admin"},
    {kPubSub,      "pubsub"},
    {kNoScript,    "noscript"},
    {kBlocking,    "blocking"},
    {kLoading,     "loading"},
    {kStale,       "stale"},
    {kSkipMonitor, "skip_monitor"},
    {kSkipSlowlog, "skip_slowlog"},
    {kFast,        "fast"},
    {kNoAuth,      "no_auth"},
    {kNoMulti,     "no_multi"},
    {kAllowBusy,   "allow_busy"},
    {kNoMandatoryKeys, "no_mandatory_keys"},
});
// clang-format on

constexpr std::array kKeyFlagWords = std::to_array<std::pair<KeyFlag, std::string_view>>({
    {kRO, "RO"},
    {kRW, "RW"},
    {kOW, "OW"},
    {kRM, "RM"},
    {kAccess, "access"},
    {kUpdate, "update"},
    {kInsert, "insert"},
    {kDelete, "delete"},
    {kNotKey, "not_key"},
    {kVariable, "variable_flags"},
});

}  // namespace

std::vector<std::string_view> FlagWords(const CommandEntry& entry) {
  std::vector<std::string_view> words;
  for (const auto& [flag, word] : kFlagWords) {
    if (entry.Is(flag)) words.push_back(word);
  }
  if (HasMovableKeys(entry.spec->keys)) words.push_back("movablekeys");
  return words;
}

std::vector<std::string> CategoryWords(const CommandEntry& entry) {
  std::vector<std::string> words;
  for (std::size_t i = 0; i < CategoryNames().size(); ++i) {
    if ((entry.categories >> i & 1) != 0) words.push_back(fmt::format("@{}", CategoryNames()[i]));
  }
  return words;
}

std::vector<std::string_view> KeyFlagWords(KeyFlags flags) {
  std::vector<std::string_view> words;
  for (const auto& [flag, word] : kKeyFlagWords) {
    if ((flags & flag) != 0) words.push_back(word);
  }
  return words;
}

}  // namespace mayfly::server

#include "server/command_words.h"

#include <algorithm>
#include <array>
#include <utility>

#include "server/arguments.h"

namespace mayfly::server {
namespace {

constexpr std::array kFlagWords = std::to_array<std::pair<CommandFlag, std::string_view>>({
    {kWrite,       "write"       },
    {kReadOnly,    "readonly"    },
    {kDenyOom,     "denyoom"     },
    {kAdmin,       "admin"       },
    {kPubSub,      "pubsub"      },
    {kNoScript,    "noscript"    },
    {kBlocking,    "blocking"    },
    {kLoading,     "loading"     },
    {kStale,       "stale"       },
    {kSkipMonitor, "skip_monitor"},
    {kSkipSlowlog, "skip_slowlog"},
    {kFast,        "fast"        },
    {kNoAuth,      "no_auth"     },
    {kNoMulti,     "no_multi"    },
    {kAllowBusy,   "allow_busy"  },
    {kMovableKeys, "movablekeys" },
});

// Empty: the category follows from flags alone.
constexpr std::string_view WordOf(Category category) {
  switch (category) {
    case Category::kKeyspace: return "@keyspace";
    case Category::kString: return "@string";
    case Category::kBitmap: return "@bitmap";
    case Category::kHash: return "@hash";
    case Category::kList: return "@list";
    case Category::kSet: return "@set";
    case Category::kSortedSet: return "@sortedset";
    case Category::kPubSub: return "@pubsub";
    case Category::kConnection: return "@connection";
    case Category::kTransaction: return "@transaction";
    case Category::kScripting: return "@scripting";
    case Category::kAdmin: return "";
  }
  return "";
}

}  // namespace

std::vector<std::string_view> FlagWords(const CommandEntry& entry) {
  std::vector<std::string_view> words;
  for (const auto& [flag, word] : kFlagWords) {
    if (entry.Is(flag)) words.push_back(word);
  }
  return words;
}

std::vector<std::string_view> CategoryWords(const CommandEntry& entry) {
  std::vector<std::string_view> words;
  const std::string_view own = WordOf(entry.category);
  if (!own.empty() && own != "@pubsub" && entry.subcommands.empty()) words.push_back(own);
  if (entry.Is(kReadOnly) && entry.category != Category::kScripting) words.push_back("@read");
  if (entry.Is(kWrite)) words.push_back("@write");
  if (entry.Is(kAdmin)) words.push_back("@admin");
  if (entry.Is(kAdmin) || entry.Is(kDangerous)) words.push_back("@dangerous");
  if (entry.Is(kPubSub) || entry.category == Category::kPubSub) words.push_back("@pubsub");
  words.push_back(entry.Is(kFast) ? "@fast" : "@slow");
  if (entry.Is(kBlocking)) words.push_back("@blocking");
  return words;
}

bool ListsCommand(std::string_view names, std::string_view name) {
  for (std::size_t at = names.find(name); at != std::string_view::npos;
       at = names.find(name, at + 1)) {
    if (names[at - 1] == ' ' && names[at + name.size()] == ' ') return true;
  }
  return false;
}

bool HasWord(std::span<const Bytes> args, std::string_view word) {
  return std::any_of(args.begin(), args.end(), [&](Bytes arg) { return IsWord(arg, word); });
}

}  // namespace mayfly::server

#include "apps/mayfly/shell/command_names.h"

#include <fmt/format.h>

#include <algorithm>

#include "base/text.h"
#include "mayfly/clock.h"
#include "server/assembly/assembly.h"

namespace mayfly::app {
namespace {

constexpr std::size_t kLuaBytes = std::size_t{1} << 20;  // No script runs here.

// Words up to the cursor; the last is empty behind a blank.
std::vector<std::string> WordsOf(std::string_view line) {
  std::vector<std::string> words(1);
  for (const char c : line) {
    if (!IsSpace(c)) {
      words.back().push_back(c);
    } else if (!words.back().empty()) {
      words.emplace_back();
    }
  }
  return words;
}

bool IsTypedUpper(std::string_view word) {
  return std::any_of(word.begin(), word.end(), [](char c) { return IsUpper(c); });
}

std::string_view LastName(const server::CommandEntry& entry) { return entry.spec->name; }

}  // namespace

struct CommandNames::Front {
  server::Assembly assembly{SystemClock::Process(), kLuaBytes};
};

CommandNames::CommandNames() : front_(std::make_unique<Front>()) {}
CommandNames::~CommandNames() = default;

std::vector<std::string> CommandNames::Completions(std::string_view line) const {
  const std::vector<std::string> words = WordsOf(line);
  const server::CommandTable& table = front_->assembly.table();
  const std::vector<const server::CommandEntry*>* entries = &table.commands();
  if (words.size() == 2) {
    const server::CommandEntry* const container = table.Find(words[0]);
    if (container == nullptr) return {};
    entries = &container->subcommands;
  } else if (words.size() > 2) {
    return {};
  }
  const std::string typed = ToLower(words.back());
  const bool upper = IsTypedUpper(words.back()) || (words.size() == 2 && IsTypedUpper(words[0]));
  std::vector<std::string> names;
  for (const server::CommandEntry* entry : *entries) {
    if (!LastName(*entry).starts_with(typed)) continue;
    names.push_back(upper ? ToUpper(LastName(*entry)) : std::string(LastName(*entry)));
  }
  std::sort(names.begin(), names.end());
  return names;
}

std::string CommandNames::Hint(std::string_view line) const {
  const std::vector<std::string> words = WordsOf(line);
  if (words.size() < 2) return {};
  const server::CommandTable& table = front_->assembly.table();
  const server::CommandEntry* entry = table.Find(words[0]);
  if (entry == nullptr) return {};
  if (words.size() > 2) {
    if (const auto* const sub = table.FindSubcommand(*entry, words[1])) entry = sub;
  }
  return std::string(entry->spec->manual.summary);
}

const server::CommandEntry* CommandNames::Find(const std::vector<std::string>& args) const {
  const server::CommandTable& table = front_->assembly.table();
  const server::CommandEntry* const entry = args.empty() ? nullptr : table.Find(args[0]);
  if (entry == nullptr || args.size() < 2) return entry;
  const server::CommandEntry* const sub = table.FindSubcommand(*entry, args[1]);
  return sub != nullptr ? sub : entry;
}

std::vector<std::pair<std::string, std::string>> CommandNames::Summaries(
    std::string_view prefix) const {
  std::vector<std::pair<std::string, std::string>> found;
  const auto add = [&](const server::CommandEntry& entry) {
    std::string name = entry.full_name;
    std::replace(name.begin(), name.end(), '|', ' ');
    if (name.starts_with(prefix)) found.emplace_back(ToUpper(name), entry.spec->manual.summary);
  };
  for (const server::CommandEntry* entry : front_->assembly.table().commands()) {
    add(*entry);
    for (const server::CommandEntry* sub : entry->subcommands) add(*sub);
  }
  return found;
}

}  // namespace mayfly::app

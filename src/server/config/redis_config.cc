#include "server/config/redis_config.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <glob.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <map>
#include <set>
#include <sstream>

#include "base/printable.h"
#include "base/text.h"
#include "wire/inline_command.h"

namespace mayfly::server {
namespace {

constexpr int kIncludeDepthMax = 16;

// Directives of a Redis file that are no settings, and why they are refused.
struct RefusedDirective {
  std::string_view name;
  std::string_view advice;
};
constexpr RefusedDirective kRefused[] = {
    {"loadmodule", "modules are not offered; remove the line"},
    {"sentinel", "Redis Sentinel is not offered; remove the line"},
};

// Nothing for a line that is empty or a comment; false when a quote is not closed.
bool SplitLine(std::string& line, std::vector<Bytes>& words) {
  const std::size_t begin = line.find_first_not_of(" \t\r");
  if (begin == std::string::npos || line[begin] == '#') return true;
  line.erase(line.find_last_not_of(" \t\r") + 1);
  return SplitInlineCommand(line.data(), line.data() + line.size(), words);
}

Status ApplyLines(const std::string& text, const std::string& path, int depth, Config& config);

Status Include(Bytes pattern, int depth, Config& config) {
  if (depth == kIncludeDepthMax) {
    return Status::Invalid(fmt::format("files include each other {} deep", kIncludeDepthMax));
  }
  glob_t found{};
  const int globbed = ::glob(std::string(pattern).c_str(), GLOB_NOMAGIC, nullptr, &found);
  Status status;
  for (std::size_t i = 0; globbed == 0 && status.ok() && i < found.gl_pathc; ++i) {
    const std::string path = found.gl_pathv[i];
    std::ifstream file(path, std::ios::binary);
    std::ostringstream text;
    text << file.rdbuf();
    status = file ? ApplyLines(text.str(), path, depth + 1, config)
                  : Status::IoError(fmt::format("cannot read {}: {}", path, std::strerror(errno)));
  }
  ::globfree(&found);
  return status;
}

Status ApplyWords(const std::vector<Bytes>& words, int depth, Config& config) {
  const std::string name = ToLower(words[0]);
  if (name == "rename-command") {
    if (words.size() != 3) return Status::Invalid("'rename-command' takes a name and a new name");
    config.AddRename(std::string(words[1]), std::string(words[2]));
    return {};
  }
  if (name == "include" && words.size() == 2) return Include(words[1], depth, config);
  for (const RefusedDirective& refused : kRefused) {
    if (name != refused.name) continue;
    return Status::Invalid(fmt::format("'{}' is not offered: {}", name, refused.advice));
  }
  const std::string value = fmt::format("{}", fmt::join(words.begin() + 1, words.end(), " "));
  if (name == "user") {
    config.AddUserLine("user " + value);
    return {};
  }
  if (words.size() == 1) return Status::Invalid(fmt::format("'{}' has no value", name));
  return config.SetAtStart(name, value);
}

Status ApplyLines(const std::string& text, const std::string& path, int depth, Config& config) {
  std::istringstream lines(text);
  int number = 0;
  for (std::string line; std::getline(lines, line);) {
    ++number;
    std::vector<Bytes> words;
    Status status;
    if (!SplitLine(line, words)) {
      status = Status::Invalid("a quote is not closed, or something follows it without a blank");
    } else if (!words.empty()) {
      status = ApplyWords(words, depth, config);
    }
    if (!status.ok()) {
      return Status::Invalid(fmt::format("{}:{}: {}", path, number, status.message()));
    }
  }
  return {};
}

// A value quoted so that it is read back unchanged.
std::string ShownValue(const std::string& value, bool is_one_word) {
  const bool plain =
      !value.empty() && value.front() != ' ' && value.back() != ' ' &&
      value.find("  ") == std::string::npos && std::all_of(value.begin(), value.end(), [&](char c) {
        return c > ' ' && c <= '~' && c != '"' && c != '\'' && c != '\\' ? true
                                                                         : c == ' ' && !is_one_word;
      });
  return plain ? value : Quoted(value);
}

std::string LineOf(const std::string& name, const std::string& value) {
  const SettingSpec* const spec = FindSetting(name);
  return fmt::format("{} {}\n", name, ShownValue(value, spec != nullptr && spec->secret));
}

}  // namespace

bool LooksLikeToml(std::string_view text) {
  while (!text.empty()) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    line.remove_prefix(std::min(line.find_first_not_of(" \t\r"), line.size()));
    if (line.empty() || line.front() == '#') continue;
    if (line.front() == '[' || line.front() == '"') return true;
    line.remove_prefix(std::min(line.find_first_of(" \t="), line.size()));
    line.remove_prefix(std::min(line.find_first_not_of(" \t"), line.size()));
    return line.starts_with('=');
  }
  return false;
}

Status ApplyRedisConfig(const std::string& text, const std::string& path, Config& config) {
  return ApplyLines(text, path, 0, config);
}

std::string RewriteRedisConfig(const std::string& before, const Config& config,
                               const std::vector<std::string>& users) {
  std::map<std::string, std::string> values;  // Of every setting, by name and alias.
  for (auto& [name, text] : config.Match({"*"})) values[name] = text;
  std::set<std::string_view> written;
  bool users_written = false;
  std::string after;
  const auto write_users = [&] {
    if (std::exchange(users_written, true)) return;
    for (const std::string& user : users) after += user + "\n";
  };
  std::istringstream lines(before);
  for (std::string line; std::getline(lines, line);) {
    std::string copy = line;
    std::vector<Bytes> words;
    const bool is_setting = SplitLine(copy, words) && !words.empty();
    const std::string name = is_setting ? ToLower(words[0]) : "";
    if (name == "user") {
      write_users();
      continue;
    }
    const SettingSpec* const spec = is_setting ? FindSetting(name) : nullptr;
    if (spec == nullptr) {
      after += line + "\n";
    } else if (written.insert(spec->name).second) {  // A second line of it would add to the first.
      after += LineOf(name, values[name]);
    }
  }
  for (const auto& [name, text] : config.Changed()) {
    if (!written.contains(FindSetting(name)->name)) after += LineOf(name, text);
  }
  write_users();
  return after;
}

}  // namespace mayfly::server

#include "server/config/config_file.h"

#include <fmt/format.h>
#include <toml++/toml.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <map>
#include <mutex>
#include <optional>
#include <set>
#include <sstream>

#include "base/replace_file.h"
#include "server/config/redis_config.h"

namespace mayfly::server {
namespace {

// The text a setting would be given on the command line.
std::optional<std::string> TextOf(const toml::node& node) {
  if (const auto text = node.value_exact<std::string>()) return *text;
  if (const auto number = node.value_exact<std::int64_t>()) return std::to_string(*number);
  if (const auto flag = node.value_exact<bool>()) return *flag ? "yes" : "no";
  const toml::array* const array = node.as_array();
  if (array == nullptr) return std::nullopt;
  std::string joined;
  for (const toml::node& item : *array) {
    const auto text = TextOf(item);
    if (!text) return std::nullopt;
    joined += joined.empty() ? *text : " " + *text;
  }
  return joined;
}

std::string TomlString(const std::string& text) {
  std::string quoted = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') quoted += '\\';
    if (static_cast<unsigned char>(c) < ' ') {
      quoted += fmt::format("\\u{:04x}", static_cast<unsigned>(c));
    } else {
      quoted += c;
    }
  }
  return quoted + "\"";
}

// The name in `name = value`; nothing for other lines.
std::string NameOfLine(const std::string& line) {
  std::size_t begin = line.find_first_not_of(" \t");
  if (begin == std::string::npos || line[begin] == '#' || line[begin] == '[') return "";
  const std::size_t equals = line.find('=', begin);
  if (equals == std::string::npos) return "";
  std::string name = line.substr(begin, equals - begin);
  name.erase(name.find_last_not_of(" \t") + 1);
  if (name.size() >= 2 && name.front() == '"') name = name.substr(1, name.size() - 2);
  return name;
}

Result<std::string> Read(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  if (!file) return Status::IoError(fmt::format("cannot read {}: {}", path, std::strerror(errno)));
  return text.str();
}

constexpr std::string_view kUsers = "user";

// A list of users, each as a line of an ACL file without its first word.
Status AddUsers(const toml::node& node, const std::string& where, Config& config) {
  const toml::array* const array = node.as_array();
  const auto add = [&](const toml::node& one) {
    const auto text = one.value_exact<std::string>();
    if (text) config.AddUserLine("user " + *text);
    return text.has_value();
  };
  const bool added = array == nullptr ? add(node) : std::all_of(array->begin(), array->end(), add);
  if (added) return {};
  return Status::Invalid(
      fmt::format("{}: 'user' is a list of texts such as \"ann on >password ~* +@all\"", where));
}

std::string UsersLine(const std::vector<std::string>& users) {
  std::string list;
  for (const std::string& user : users) {
    constexpr std::string_view kWord = "user ";
    list += fmt::format("{}{}", list.empty() ? "" : ", ", TomlString(user.substr(kWord.size())));
  }
  return fmt::format("{} = [{}]", kUsers, list);
}

Status ApplyToml(const std::string& text, const std::string& path, Config& config) {
  toml::table table;
  try {
    table = toml::parse(text, path);
  } catch (const toml::parse_error& error) {
    return Status::Invalid(
        fmt::format("{}:{}: {}", path, error.source().begin.line, error.description()));
  }
  for (const auto& entry : table) {
    const auto& name = entry.first;
    const toml::node& node = entry.second;
    const auto where = [&] { return fmt::format("{}:{}", path, node.source().begin.line); };
    if (name.str() == kUsers) {
      MAYFLY_RETURN_IF_ERROR(AddUsers(node, where(), config));
      continue;
    }
    const auto value = TextOf(node);
    if (!value) {
      return Status::Invalid(
          fmt::format("{}: setting '{}' is neither text, number, true, false nor a list of those",
                      where(), name.str()));
    }
    const Status set = config.SetAtStart(name.str(), *value);
    if (!set.ok()) return Status::Invalid(fmt::format("{}: {}", where(), set.message()));
  }
  return {};
}

std::string RewriteToml(const std::string& before, const Config& config,
                        const std::vector<std::string>& users) {
  std::map<std::string, std::string> values;  // Of every setting, by name and alias.
  for (auto& [name, text] : config.Match({"*"})) values[name] = text;
  const std::string users_line = UsersLine(users);
  std::set<std::string> written;
  std::istringstream lines(before);
  std::string after;
  for (std::string line; std::getline(lines, line);) {
    const std::string name = NameOfLine(line);
    const auto value = values.find(name);
    if (name == kUsers) {
      after += users_line;
    } else {
      after +=
          value == values.end() ? line : fmt::format("{} = {}", name, TomlString(value->second));
    }
    after += '\n';
    written.insert(name);
  }
  for (const auto& [name, text] : config.Changed()) {
    if (!written.contains(name)) after += fmt::format("{} = {}\n", name, TomlString(text));
  }
  if (!users.empty() && !written.contains(std::string(kUsers))) after += users_line + "\n";
  return after;
}

}  // namespace

Status LoadConfigFile(const std::string& path, Config& config) {
  MAYFLY_TRY(const std::string text, Read(path));
  config.set_file(path);
  return LooksLikeToml(text) ? ApplyToml(text, path, config) : ApplyRedisConfig(text, path, config);
}

Status RewriteConfigFile(const Config& config, const std::vector<std::string>& users) {
  const std::lock_guard lock(config.rewriting());
  MAYFLY_TRY(const std::string before, Read(config.file()));
  if (!LooksLikeToml(before)) {
    return ReplaceFile(config.file(), RewriteRedisConfig(before, config, users));
  }
  const std::string after = RewriteToml(before, config, users);
  try {
    static_cast<void>(toml::parse(after));
  } catch (const toml::parse_error&) {
    return Status::Unsupported("a value spans several lines; write it on one");
  }
  return ReplaceFile(config.file(), after);
}

}  // namespace mayfly::server

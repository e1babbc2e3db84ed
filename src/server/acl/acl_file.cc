#include "server/acl/acl_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <sstream>
#include <utility>

#include "base/replace_file.h"

namespace mayfly::server {
namespace {

constexpr std::string_view kBlanks = " \t\r";

std::vector<Bytes> SplitWords(Bytes line) {
  std::vector<Bytes> words;
  while (true) {
    const std::size_t begin = line.find_first_not_of(kBlanks);
    if (begin == Bytes::npos) return words;
    line.remove_prefix(begin);
    const std::size_t end = std::min(line.find_first_of(kBlanks), line.size());
    words.push_back(line.substr(0, end));
    line.remove_prefix(end);
  }
}

// Reads "user name rule...". Errors are appended to `faults`.
void ReadLine(const Acl& acl, std::span<const Bytes> words, const std::string& place, int number,
              Acl::Users& users, std::string& faults) {
  if (words[0] != "user" || words.size() < 2) {
    faults += fmt::format("{} should start with user keyword followed by the username. ", place);
    return;
  }
  const std::string name(words[1]);
  if (users.contains(name)) {
    faults += fmt::format("WARNING: Duplicate user '{}' found on line {}. ", name, number);
    return;
  }
  std::string open_at;
  const Result<std::vector<std::string>> rules = JoinSelectors(words.subspan(2), open_at);
  if (!rules) {
    faults += fmt::format("{}: Unmatched parenthesis in selector definition.", place);
    return;
  }
  AclUser user = acl.NewUser(name);
  bool told = false;
  for (const std::string& rule : *rules) {
    const Status status = user.Apply(rule);
    if (status.ok()) continue;
    // An unknown name is no secret. Another fault is reported without its text, which may be a
    // password.
    if (status.code() == StatusCode::kNotFound) {
      faults +=
          fmt::format("{}: Error in applying operation '{}': {}. ", place, rule, status.message());
    } else if (!std::exchange(told, true)) {
      faults += fmt::format("{}: {}. ", place, status.message());
    }
  }
  users.emplace(name, std::make_shared<const AclUser>(std::move(user)));
}

}  // namespace

Status LoadAclText(Acl& acl, Bytes text, const std::string& path) {
  Acl::Users users;
  std::string faults;
  for (int number = 1; !text.empty(); ++number) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::vector<Bytes> words = SplitWords(text.substr(0, end));
    text.remove_prefix(std::min(end + 1, text.size()));
    if (words.empty()) continue;
    ReadLine(acl, words, fmt::format("{}:{}", path, number), number, users, faults);
  }
  if (!faults.empty()) {
    return Status::Invalid(faults +
                           "WARNING: ACL errors detected, no change to the previously active ACL "
                           "rules was performed");
  }
  acl.ReplaceUsers(std::move(users));
  return Status::Ok();
}

Status LoadAclFile(Acl& acl, const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  if (file) text << file.rdbuf();
  if (!file) {
    return Status::IoError(
        fmt::format("Error loading ACLs, opening file '{}': {}", path, std::strerror(errno)));
  }
  return LoadAclText(acl, text.str(), path);
}

Status SaveAclFile(const Acl& acl, const std::string& path) {
  std::string text;
  for (const auto& [name, user] : acl.users()) text += user->Describe() + "\n";
  return ReplaceFile(path, text);
}

}  // namespace mayfly::server

#include "server/acl/acl_user.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "base/check.h"
#include "server/acl/acl_password.h"
#include "server/command/arguments.h"

namespace mayfly::server {

Result<std::vector<std::string>> JoinSelectors(std::span<const Bytes> args, std::string& open_at) {
  std::vector<std::string> joined;
  bool open = false;
  for (const Bytes arg : args) {
    if (open) {
      joined.back() += fmt::format(" {}", arg);
      open = !arg.ends_with(')');
    } else {
      joined.emplace_back(arg);
      open = arg.starts_with('(') && !arg.ends_with(')');
      if (open) open_at = arg;
    }
  }
  if (open) return Status::Invalid("Unmatched parenthesis");
  return joined;
}

AclUser::AclUser(std::string name, const CommandTable& table, bool all_channels)
    : name_(std::move(name)),
      table_(&table),
      all_channels_at_first_(all_channels),
      selectors_(1, NewSelector()) {}

AclSelector AclUser::NewSelector() const {
  AclSelector selector(*table_);
  if (all_channels_at_first_) {
    const bool applied = selector.Apply("allchannels").ok();
    MAYFLY_CHECK(applied, "a rule of acl-pubsub-default is refused");
  }
  return selector;
}

bool AclUser::AllowsChannel(Bytes name, bool is_pattern) const {
  return std::any_of(selectors_.begin(), selectors_.end(), [&](const AclSelector& selector) {
    return selector.AllowsChannel(name, is_pattern);
  });
}

Status AclUser::Apply(Bytes rule) {
  if (rule.empty() || ApplyFlag(rule)) return Status::Ok();
  switch (rule.front()) {
    case '>':
    case '<':
    case '#':
    case '!': return ApplyPassword(rule);
    case '(':
      if (rule.ends_with(')')) return AddSelector(rule.substr(1, rule.size() - 2));
      return Status::Invalid("Syntax error");
    default: return selectors_.front().Apply(rule);
  }
}

bool AclUser::ApplyFlag(Bytes rule) {
  if (IsWord(rule, "on") || IsWord(rule, "off")) {
    enabled_ = IsWord(rule, "on");
  } else if (IsWord(rule, "nopass")) {
    no_password_ = true;
    password_hashes_.clear();
  } else if (IsWord(rule, "resetpass")) {
    no_password_ = false;
    password_hashes_.clear();
  } else if (IsWord(rule, "sanitize-payload")) {
    sanitize_ = Sanitize::kYes;
  } else if (IsWord(rule, "skip-sanitize-payload")) {
    sanitize_ = Sanitize::kNo;
  } else if (IsWord(rule, "clearselectors")) {
    selectors_.resize(1, AclSelector(*table_));
  } else if (IsWord(rule, "reset")) {
    Reset();
  } else {
    return false;
  }
  return true;
}

Status AclUser::ApplyPassword(Bytes rule) {
  const bool is_hash = rule.front() == '#' || rule.front() == '!';
  const Bytes text = rule.substr(1);
  if (is_hash && !IsPasswordHash(text)) {
    return Status::Invalid(
        "The password hash must be exactly 64 characters and contain only lowercase hexadecimal "
        "characters");
  }
  const std::string hash = is_hash ? std::string(text) : PasswordHash(text);
  const auto found = std::find(password_hashes_.begin(), password_hashes_.end(), hash);
  if (rule.front() == '>' || rule.front() == '#') {
    if (found == password_hashes_.end()) password_hashes_.push_back(hash);
    no_password_ = false;
    return Status::Ok();
  }
  if (found == password_hashes_.end()) {
    return Status::Invalid("The password you are trying to remove from the user does not exist");
  }
  password_hashes_.erase(found);
  return Status::Ok();
}

Status AclUser::AddSelector(Bytes rules) {
  AclSelector selector = NewSelector();
  while (!rules.empty()) {
    const std::size_t end = std::min(rules.find(' '), rules.size());
    if (end > 0) {
      if (Status status = selector.Apply(rules.substr(0, end)); !status.ok()) return status;
    }
    rules.remove_prefix(std::min(end + 1, rules.size()));
  }
  selectors_.push_back(std::move(selector));
  return Status::Ok();
}

void AclUser::Reset() {
  *this = AclUser(std::move(name_), *table_, all_channels_at_first_);
  sanitize_ = Sanitize::kYes;
}

bool AclUser::HasPassword(Bytes password) const {
  if (no_password_) return true;
  const std::string hash = PasswordHash(password);
  bool found = false;
  for (const std::string& one : password_hashes_) found |= SameHash(one, hash);
  return found;
}

std::vector<std::string> AclUser::flags() const {
  std::vector<std::string> flags = {enabled_ ? "on" : "off"};
  if (no_password_) flags.emplace_back("nopass");
  if (sanitize_ == Sanitize::kNo) flags.emplace_back("skip-sanitize-payload");
  if (sanitize_ == Sanitize::kYes) flags.emplace_back("sanitize-payload");
  return flags;
}

std::string AclUser::Describe() const {
  std::string text = fmt::format("user {} {}", name_, fmt::join(flags(), " "));
  for (const std::string& hash : password_hashes_) text += fmt::format(" #{}", hash);
  text += fmt::format(" {}", root().Describe());
  for (const AclSelector& selector : selectors().subspan(1)) {
    text += fmt::format(" ({})", selector.Describe());
  }
  return text;
}

}  // namespace mayfly::server

#include "server/acl/acl_log.h"

#include <algorithm>

namespace mayfly::server {
namespace {

constexpr std::chrono::seconds kSameFor{60};
constexpr std::size_t kEntriesCompared = 10;

}  // namespace

std::string_view NameOf(AclReason reason) {
  switch (reason) {
    case AclReason::kCommand: return "command";
    case AclReason::kKey: return "key";
    case AclReason::kChannel: return "channel";
    case AclReason::kAuth: break;
  }
  return "auth";
}

std::string_view NameOf(AclWhere where) {
  switch (where) {
    case AclWhere::kMulti:
    case AclWhere::kExec: return "multi";
    case AclWhere::kLua: return "lua";
    case AclWhere::kTopLevel: break;
  }
  return "toplevel";
}

void AclLog::set_entries_max(std::size_t entries_max) {
  const std::lock_guard lock(mutex_);
  entries_max_ = entries_max;
  if (entries_.size() > entries_max_) entries_.resize(entries_max_);
}

void AclLog::Add(const AclDenial& denial, AclWhere where, Bytes username, Bytes client_info,
                 SteadyTime now) {
  const std::lock_guard lock(mutex_);
  const auto end =
      entries_.begin() + static_cast<std::ptrdiff_t>(std::min(kEntriesCompared, entries_.size()));
  const auto same = std::find_if(entries_.begin(), end, [&](const Entry& one) {
    return one.reason == denial.reason && one.where == where && one.object == denial.object &&
           one.username == username && now - one.last <= kSameFor;
  });
  std::int64_t count = 1;
  if (same != end) {
    count = same->count + 1;
    entries_.erase(same);
  }
  entries_.push_front({count, denial.reason, where, denial.object, std::string(username), now,
                       std::string(client_info)});
  if (entries_.size() > entries_max_) entries_.pop_back();
}

void AclLog::Clear() {
  const std::lock_guard lock(mutex_);
  entries_.clear();
}

std::vector<AclLog::Entry> AclLog::Latest(std::size_t entries_max) const {
  const std::lock_guard lock(mutex_);
  const auto count = static_cast<std::ptrdiff_t>(std::min(entries_max, entries_.size()));
  return {entries_.begin(), entries_.begin() + count};
}

}  // namespace mayfly::server

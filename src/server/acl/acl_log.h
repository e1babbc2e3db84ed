// acl_log.h - the latest refusals, for ACL LOG.
// The same refusal within a minute is counted and makes no new entry. Safe to call from any thread.
#pragma once

#include <cstdint>
#include <deque>
#include <mutex>
#include <string>
#include <string_view>
#include <vector>

#include "mayfly/clock.h"
#include "server/acl/acl_check.h"

namespace mayfly::server {

// Where a command was refused.
enum class AclWhere : std::uint8_t { kTopLevel, kMulti, kExec, kLua };

std::string_view NameOf(AclReason reason);
std::string_view NameOf(AclWhere where);

class AclLog {
 public:
  struct Entry {
    std::int64_t count = 0;
    AclReason reason;
    AclWhere where;
    std::string object;
    std::string username;
    SteadyTime last;
    std::string client_info;
  };

  // acllog-max-len; excess entries are dropped at once.
  void set_entries_max(std::size_t entries_max);

  void Add(const AclDenial& denial, AclWhere where, Bytes username, Bytes client_info,
           SteadyTime now);
  void Clear();

  // The latest first.
  std::vector<Entry> Latest(std::size_t entries_max) const;

 private:
  mutable std::mutex mutex_;
  std::deque<Entry> entries_;  // Guarded by mutex_, as the next one. The latest first.
  std::size_t entries_max_ = 128;
};

}  // namespace mayfly::server

// logged_changes.h - what the logs hold, which is in no SST file yet.
// A record is a whole batch, so what is damaged is lost as a whole and nothing is half there. What
// was found behind damage counts if its sequence numbers fit between those of its neighbours:
// values may hold bytes that look like records.
#pragma once

#include <rocksdb/env.h>

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "engine/address.h"
#include "engine/rocks/salvage/framed_records.h"
#include "engine/rocks/salvage/sound_table.h"

namespace mayfly::engine {

// Of one role.
struct LoggedRole {
  std::map<std::string, TableEntry, std::less<>> rows;  // The newest version of each key.
  std::vector<RangeTombstone> ranges;
};

class LoggedChanges {
 public:
  // Says which role a family's number means, if this log's changes of it count.
  using RoleOf = std::function<const Role*(std::uint32_t family)>;

  // Adds a log; logs come in their order. Returns what of it cannot be read.
  Result<std::vector<FileRange>> Add(rocksdb::Env& env, const std::string& path,
                                     const RoleOf& role_of);

  const LoggedRole& operator[](Role role) const { return roles_[static_cast<std::size_t>(role)]; }

 private:
  LoggedRole roles_[kRoleCount];
};

}  // namespace mayfly::engine

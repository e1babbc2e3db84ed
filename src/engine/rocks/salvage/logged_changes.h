// logged_changes.h - the changes in the logs that are in no SST file yet.
// A record is a whole batch, so a damaged batch is lost as a whole. A record found after damage
// counts if its sequence numbers fit between those of its neighbours: values may contain bytes in
// the form of records.
#pragma once

#include <rocksdb/env.h>

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <vector>

#include "engine/address.h"
#include "engine/rocks/files/framed_records.h"
#include "engine/rocks/salvage/sound_table.h"

namespace mayfly::engine {

// The changes of one role.
struct LoggedRole {
  std::map<std::string, TableEntry, std::less<>> rows;  // The newest version of each key.
  std::vector<RangeTombstone> ranges;
};

class LoggedChanges {
 public:
  // Maps a family's number to its role; null if this log's changes of the family do not count.
  using RoleOf = std::function<const Role*(std::uint32_t family)>;

  // Adds a log; call it in the order of the logs. Returns the ranges that cannot be read.
  Result<std::vector<FileRange>> Add(rocksdb::Env& env, const std::string& path,
                                     const RoleOf& role_of);

  const LoggedRole& operator[](Role role) const { return roles_[static_cast<std::size_t>(role)]; }

 private:
  LoggedRole roles_[kRoleCount];
};

}  // namespace mayfly::engine

// salvaged_state.h - everything that can be read of a database's files, as one state.
// Files are read one by one, without RocksDB, which also gives up files that overlap a damaged one.
// Given up is what a damaged block, file or log held, and nothing else; each such place is
// recorded. For a key the newest version that can be read counts: that may be one that was replaced
// or deleted by a change that is given up. Constant once it is open, except for the tables it keeps
// open. Safe from any thread.
#pragma once

#include <rocksdb/env.h>

#include <cstdint>
#include <deque>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "engine/address.h"
#include "engine/damage_log.h"
#include "engine/rocks/files/manifest.h"
#include "engine/rocks/files/rocks_directory.h"
#include "engine/rocks/salvage/logged_changes.h"
#include "engine/rocks/salvage/range_cover.h"
#include "engine/rocks/salvage/sound_table.h"

namespace mayfly::engine {

class SalvagedState {
 public:
  // A table that can be read, at least in part.
  struct Table {
    std::uint64_t number = 0;
    std::string name;
    std::string smallest;  // All keys that can be read lie between the two.
    std::string largest;
  };

  SalvagedState(rocksdb::Env& env, std::string directory, std::shared_ptr<DamageLog> damage)
      : env_(env), directory_(std::move(directory)), damage_(std::move(damage)) {}

  // NotFound when there is no file of a database, unless it may be empty.
  Status Open(bool may_be_empty);

  // In the order of their smallest keys.
  const std::vector<Table>& tables(Role role) const { return At(role).tables; }
  // Null when it cannot be read any more.
  std::shared_ptr<const SoundTable> Load(const Table& table) const;
  const LoggedRole& logged(Role role) const { return logged_[role]; }
  const RangeCover& cover(Role role) const { return At(role).cover; }

  std::uint64_t disk_bytes() const { return disk_bytes_; }

  // What is given up, in words; the first hundred places.
  std::vector<std::string> GivenUp() const;

  // Records a damaged place, the first time it is met.
  void Note(const std::string& where, const std::string& what) const;

 private:
  struct RoleFiles {
    std::vector<Table> tables;
    std::vector<RangeTombstone> ranges;
    RangeCover cover;
  };

  const RoleFiles& At(Role role) const { return roles_[static_cast<std::size_t>(role)]; }
  std::optional<Manifest> FindManifest(const std::vector<DirectoryFile>& files) const;
  void OpenTables(const std::vector<DirectoryFile>& files, const Manifest* manifest);
  void OpenTable(std::uint64_t number, const std::string& name, const Manifest* manifest);
  void OpenLogs(const std::vector<DirectoryFile>& files, const Manifest* manifest);
  Result<std::shared_ptr<const SoundTable>> OpenFile(const std::string& name) const;

  rocksdb::Env& env_;
  const std::string directory_;
  const std::shared_ptr<DamageLog> damage_;  // Shared with the engine.
  RoleFiles roles_[kRoleCount];
  LoggedChanges logged_;
  std::uint64_t disk_bytes_ = 0;

  mutable std::mutex mutex_;
  mutable std::set<std::string> noted_;  // Guarded by mutex_, as the next two.
  mutable std::vector<std::string> given_up_;
  mutable std::deque<std::pair<std::uint64_t, std::shared_ptr<const SoundTable>>> open_;
};

}  // namespace mayfly::engine

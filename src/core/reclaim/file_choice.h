// file_choice.h - which files hold what nobody can see, by what is known without reading them.
#pragma once

#include "core/store/drop_horizon.h"
#include "engine/engine.h"

namespace mayfly::core {

// What is dead and out of sight, as far as files can tell.
class DeadFiles {
 public:
  explicit DeadFiles(const Horizon& horizon)
      : horizon_(horizon), dead_by_(horizon.DeadEverywhere()) {}

  // Nothing in it can be seen by anybody.
  bool IsWhollyDead(const engine::FileInfo& file) const;

  // It holds something that is dead, or a tombstone.
  bool HoldsSomethingDead(const engine::FileInfo& file) const;

  // The share of its bytes that is dead, or of its entries that are tombstones, in percent.
  std::uint32_t DeadPercent(const engine::FileInfo& file) const;

 private:
  bool IsOfDropped(const std::string& key) const;

  const Horizon& horizon_;
  const std::optional<WallTime> dead_by_;
};

// The level of these files that nothing lies beneath.
int LastLevelOf(const std::vector<engine::FileInfo>& files);

// Whether keys of the keyspace, given as in the index, may be in the file.
bool MayHold(const engine::FileInfo& file, KeyspaceId keyspace);

}  // namespace mayfly::core

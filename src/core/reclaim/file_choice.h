// file_choice.h - finds files with invisible rows, by their properties and without reading them.
#pragma once

#include "core/store/drop_horizon.h"
#include "engine/engine.h"

namespace mayfly::core {

// Judges files by a horizon.
class DeadFiles {
 public:
  explicit DeadFiles(const Horizon& horizon)
      : horizon_(horizon), dead_by_(horizon.DeadEverywhere()) {}

  // No reader can see anything in the file.
  bool IsWhollyDead(const engine::FileInfo& file) const;

  // The file holds a dead pair or a tombstone.
  bool HoldsSomethingDead(const engine::FileInfo& file) const;

  // The share of its bytes that is dead, or of its entries that are tombstones, in percent.
  std::uint32_t DeadPercent(const engine::FileInfo& file) const;

 private:
  bool IsOfDropped(const std::string& key) const;

  const Horizon& horizon_;
  const std::optional<WallTime> dead_by_;
};

// The lowest level of these files: no file lies beneath it.
int LastLevelOf(const std::vector<engine::FileInfo>& files);

// Whether keys of the keyspace, given as in the index, may be in the file.
bool MayHold(const engine::FileInfo& file, KeyspaceId keyspace);

}  // namespace mayfly::core

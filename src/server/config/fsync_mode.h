// fsync_mode.h - what appendfsync demands before a client gets the reply to a commit.
// For both protocols, Redis' commands and DynamoDB's operations. The database knows whether any
// commit is not on the disk yet.
#pragma once

#include <atomic>
#include <cstdint>

#include "mayfly/database.h"
#include "server/config/setting_spec.h"

namespace mayfly::server {

// `fsync` is Config::Watched(Setting::kAppendFsync).
inline Status PersistBeforeReply(Database& database, const std::atomic<std::int64_t>& fsync) {
  const auto mode = static_cast<FsyncMode>(fsync.load(std::memory_order_relaxed));
  return mode == FsyncMode::kAlways ? database.Sync(Durability::kDisk) : Status();
}

}  // namespace mayfly::server

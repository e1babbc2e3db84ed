// compaction_room.h - compactions on a full disk leave room for deletes.
// RocksDB tries a compaction that found no room again every second. Until it fails, it has used up
// what the reserve gave up: deletes are refused meanwhile, and a flush that finds no room stops
// RocksDB. So a compaction finds no room already when a part of the reserve is left.
// Debian's RocksDB ends the process when a compaction fails to write a table that has no pairs: it
// asks that table for its first key. Such a table is short. So each owns its first bytes from the
// beginning, or is not made.
#pragma once

#include <rocksdb/file_system.h>

#include <memory>

#include "engine/disk/disk_reserve.h"

namespace mayfly::engine {

// `target`, whose tables are refused space if a compaction writes them. The reserve must outlive it
// and its files.
std::shared_ptr<rocksdb::FileSystem> LeaveRoomForDeletes(
    const std::shared_ptr<rocksdb::FileSystem>& target, const DiskReserve& reserve);

// Call it on the thread that is about to make a table.
void TableBegins(bool by_compaction);

// While it lives, compactions on this thread are pieces, which leave less room than others.
class PieceOnThisThread {
 public:
  PieceOnThisThread();
  ~PieceOnThisThread();
  PieceOnThisThread(const PieceOnThisThread&) = delete;
  PieceOnThisThread& operator=(const PieceOnThisThread&) = delete;
};

}  // namespace mayfly::engine

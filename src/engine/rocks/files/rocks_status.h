// rocks_status.h - converts RocksDB's Status to mayfly's.
#pragma once

#include <rocksdb/slice.h>
#include <rocksdb/status.h>

#include <string_view>

#include "mayfly/bytes.h"
#include "mayfly/status.h"

namespace mayfly::engine {

// Converts the status of an operation; `doing` names it in the message ("committing to rocks at
// /data"). A missing file is Corruption; the message about a full disk says what to do.
Status FromRocks(const rocksdb::Status& status, std::string_view doing);

// True if a write found no room: the disk, a quota, or the size that a file may have. RocksDB has a
// code of its own for the first only.
bool HasFoundNoRoom(const rocksdb::Status& status);

inline rocksdb::Slice ToSlice(Bytes bytes) { return {bytes.data(), bytes.size()}; }
inline Bytes ToBytes(const rocksdb::Slice& slice) { return {slice.data(), slice.size()}; }

}  // namespace mayfly::engine

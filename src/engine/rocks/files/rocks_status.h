// rocks_status.h - RocksDB's outcomes in mayfly's words.
#pragma once

#include <rocksdb/slice.h>
#include <rocksdb/status.h>

#include <string_view>

#include "mayfly/bytes.h"
#include "mayfly/status.h"

namespace mayfly::engine {

// Translates what happened while `doing` something ("committing to rocks at /data"). A file that is
// not where RocksDB left it is Corruption; a full disk says what to do about it.
Status FromRocks(const rocksdb::Status& status, std::string_view doing);

inline rocksdb::Slice ToSlice(Bytes bytes) { return {bytes.data(), bytes.size()}; }
inline Bytes ToBytes(const rocksdb::Slice& slice) { return {slice.data(), slice.size()}; }

}  // namespace mayfly::engine

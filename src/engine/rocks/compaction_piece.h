// compaction_piece.h - a compaction that fits into the little room of a full disk.
// RocksDB merges all young files of a role at once with those below. When deletes have made many,
// the result may not fit, and is tried again and again while more of them come. A piece takes the
// oldest young files only, as many as fit; or, if not even one does, a file of a lower level, so
// that there is less to merge the young ones with. Merged down piece by piece, deletes meet what
// they hide, and both go.
#pragma once

#include <rocksdb/metadata.h>

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace mayfly::engine {

struct CompactionPiece {
  std::vector<std::string> files;  // Names; RocksDB adds those of the output level.
  int output_level = 0;
};

// A piece whose inputs have at most `room` bytes. Nothing: none fits, or all is in the last level, or
// there are few young files, which are worth it only if it is urgent.
std::optional<CompactionPiece> PickPiece(const rocksdb::ColumnFamilyMetaData& family,
                                         std::uint64_t room, bool is_urgent);

}  // namespace mayfly::engine

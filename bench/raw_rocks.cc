#include "raw_rocks.h"

#include "engine/rocks/rocks_profile.h"

namespace mayfly::bench {

RawRocks::RawRocks(const std::string& directory) {
  engine::RocksSetup setup = engine::SetupRocks({.directory = directory});
  setup.database.create_if_missing = true;
  setup.database.create_missing_column_families = true;
  block_cache_ = setup.block_cache;
  rocksdb::DB* database = nullptr;
  Must(rocksdb::DB::Open(setup.database, directory, setup.families, &families_, &database));
  database_.reset(database);
  rows_ = families_[static_cast<std::size_t>(engine::Role::kRows)];
}

RawRocks::~RawRocks() {
  for (rocksdb::ColumnFamilyHandle* family : families_) {
    database_->DestroyColumnFamilyHandle(family).PermitUncheckedError();
  }
}

std::size_t RawRocks::Scan(Bytes start, std::size_t rows, Direction direction) const {
  const std::unique_ptr<rocksdb::Iterator> iterator(
      database_->NewIterator(rocksdb::ReadOptions(), rows_));
  std::size_t bytes = 0;
  if (direction == Direction::kForward) {
    iterator->Seek(Slice(start));
    for (std::size_t i = 0; i < rows; ++i) {
      if (!iterator->Valid()) iterator->SeekToFirst();
      bytes += iterator->key().size() + iterator->value().size();
      iterator->Next();
    }
  } else {
    iterator->SeekForPrev(Slice(start));
    for (std::size_t i = 0; i < rows; ++i) {
      if (!iterator->Valid()) iterator->SeekToLast();
      bytes += iterator->key().size() + iterator->value().size();
      iterator->Prev();
    }
  }
  Must(iterator->status());
  return bytes;
}

void RawRocks::Compact() {
  // As our engine's Compact() does it.
  rocksdb::CompactRangeOptions options;
  options.exclusive_manual_compaction = false;
  options.bottommost_level_compaction = rocksdb::BottommostLevelCompaction::kForceOptimized;
  Must(database_->CompactRange(options, rows_, nullptr, nullptr));
}

}  // namespace mayfly::bench

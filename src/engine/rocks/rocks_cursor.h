// rocks_cursor.h - a cursor on RocksDB's iterator.
#pragma once

#include <rocksdb/db.h>

#include <memory>
#include <string>

#include "engine/engine.h"

namespace mayfly::engine {

class RocksCursor final : public Cursor {
 public:
  // `name` is the engine's, for messages; it and the database outlive the cursor.
  RocksCursor(rocksdb::DB& database, rocksdb::ColumnFamilyHandle& family,
              const CursorOptions& options, const std::string& name,
              std::atomic<std::uint64_t>& open_cursors);

  Status status() const override;

 private:
  void DoSeekToFirst() override;
  void DoSeekToLast() override;
  void DoSeekAtOrAfter(Bytes target) override;
  void DoSeekAtOrBefore(Bytes target) override;
  void DoNext() override;
  void DoPrev() override;
  void Settle();

  const HandleTicket ticket_;
  const std::string& name_;
  const std::string begin_;  // RocksDB keeps pointers to the slices below for as long as it walks.
  const std::string end_;
  rocksdb::Slice begin_slice_;
  rocksdb::Slice end_slice_;
  std::unique_ptr<rocksdb::Iterator> iterator_;
};

}  // namespace mayfly::engine

// rocks_cursor.h - a cursor on RocksDB's iterator.
#pragma once

#include <rocksdb/db.h>

#include <memory>
#include <string>

#include "engine/damage_log.h"
#include "engine/engine.h"

namespace mayfly::engine {

class RocksCursor final : public Cursor {
 public:
  // The parts of its engine that a cursor needs. The engine outlives it.
  struct Owner {
    const std::string& name;  // For messages.
    DamageLog& damage;
    std::atomic<std::uint64_t>& open_cursors;
  };

  RocksCursor(rocksdb::DB& database, rocksdb::ColumnFamilyHandle& family,
              const CursorOptions& options, const Owner& owner);

  ~RocksCursor() override;

  Status status() const override;

 private:
  void DoSeekToFirst() override;
  void DoSeekToLast() override;
  void DoSeekAtOrAfter(Bytes target) override;
  void DoSeekAtOrBefore(Bytes target) override;
  void DoNext() override;
  void DoPrev() override;
  void ShowCurrent();

  const Owner owner_;
  const HandleTicket ticket_;
  const std::string begin_;  // RocksDB's iterator keeps pointers to the slices below.
  const std::string end_;
  rocksdb::Slice begin_slice_;
  rocksdb::Slice end_slice_;
  std::unique_ptr<rocksdb::Iterator> iterator_;
};

}  // namespace mayfly::engine

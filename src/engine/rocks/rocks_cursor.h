// rocks_cursor.h - a cursor on RocksDB's iterator.
#pragma once

#include <rocksdb/db.h>

#include <memory>
#include <string>
#include <vector>

#include "engine/damage_log.h"
#include "engine/engine.h"

namespace mayfly::engine {

class RocksCursor final : public Cursor {
 public:
  // What a cursor needs of its engine, which outlives it.
  struct Owner {
    const std::string& name;  // For messages.
    DamageLog& damage;
    std::atomic<std::uint64_t>& open_cursors;
    bool salvage;  // Forward moves step over what cannot be read.
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
  void Settle();

  // After a forward move: the same, but from `from` on a salvaging cursor looks for a key that can
  // be read.
  void SettleForward(Bytes from);
  void StepOverDamage(std::string from);
  std::string FirstReadable(std::string damaged, std::string readable);
  std::vector<std::string> ReadableBounds(const std::string& from) const;
  bool TrySeek(const std::string& target);

  rocksdb::DB& database_;
  rocksdb::ColumnFamilyHandle& family_;
  const Owner owner_;
  const HandleTicket ticket_;
  const std::string begin_;  // RocksDB keeps pointers to the slices below for as long as it walks.
  const std::string end_;
  rocksdb::Slice begin_slice_;
  rocksdb::Slice end_slice_;
  rocksdb::ReadOptions read_options_;
  std::unique_ptr<rocksdb::Iterator> iterator_;
  bool lost_the_rest_ = false;  // Nothing behind the last damage can be read.
};

}  // namespace mayfly::engine

#include "engine/rocks/rocks_cursor.h"

#include <fmt/format.h>

#include "engine/rocks/files/rocks_status.h"
#include "engine/rocks/rocks_snapshot.h"

namespace mayfly::engine {

RocksCursor::RocksCursor(rocksdb::DB& database, rocksdb::ColumnFamilyHandle& family,
                         const CursorOptions& options, const Owner& owner)
    : owner_(owner),
      ticket_(owner.open_cursors),
      begin_(options.range.begin),
      end_(options.range.end),
      begin_slice_(begin_),
      end_slice_(end_) {
  rocksdb::ReadOptions read;
  if (options.snapshot != nullptr) {
    read = RocksSnapshot::Of(*options.snapshot, database).read_options();
  }
  read.fill_cache = options.fill_cache;
  if (!begin_.empty()) read.iterate_lower_bound = &begin_slice_;
  if (!end_.empty()) read.iterate_upper_bound = &end_slice_;
  iterator_.reset(database.NewIterator(read, &family));
}

RocksCursor::~RocksCursor() {
  if (!is_owner()) Abandon(std::move(iterator_));
}

Status RocksCursor::status() const {
  if (!is_owner()) return OwnerProcess::Refusal();
  const rocksdb::Status status = iterator_->status();
  if (status.ok()) return {};
  return owner_.damage.Note(FromRocks(status, fmt::format("scanning {}", owner_.name)));
}

void RocksCursor::DoSeekToFirst() {
  iterator_->SeekToFirst();
  ShowCurrent();
}

void RocksCursor::DoSeekToLast() {
  iterator_->SeekToLast();
  ShowCurrent();
}

void RocksCursor::DoSeekAtOrAfter(Bytes target) {
  iterator_->Seek(ToSlice(target));
  ShowCurrent();
}

void RocksCursor::DoSeekAtOrBefore(Bytes target) {
  iterator_->SeekForPrev(ToSlice(target));
  ShowCurrent();
}

void RocksCursor::DoNext() {
  iterator_->Next();
  ShowCurrent();
}

void RocksCursor::DoPrev() {
  iterator_->Prev();
  ShowCurrent();
}

void RocksCursor::ShowCurrent() {
  if (iterator_->Valid()) {
    Show(ToBytes(iterator_->key()), ToBytes(iterator_->value()));
  } else {
    Hide();
  }
}

}  // namespace mayfly::engine

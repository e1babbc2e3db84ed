#include "engine/rocks/rocks_cursor.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/coding.h"
#include "engine/rocks/rocks_snapshot.h"
#include "engine/rocks/rocks_status.h"

namespace mayfly::engine {
namespace {

// Bytes that count when a place between two keys is sought, behind what the keys share.
constexpr std::size_t kMiddleBytes = 8;
constexpr int kSalvageStepsMax = 256;  // Eight halvings for each byte of a key that matters.

std::uint64_t Number(const std::string& key, std::size_t at) {
  std::uint64_t number = 0;
  for (std::size_t i = at; i < at + kMiddleBytes; ++i) {
    number = number << 8 | (i < key.size() ? static_cast<unsigned char>(key[i]) : 0U);
  }
  return number;
}

// A key about half way between the two.
std::string MiddleOf(const std::string& low, const std::string& high) {
  const auto differs = std::mismatch(low.begin(), low.end(), high.begin(), high.end()).first;
  const auto shared = static_cast<std::size_t>(differs - low.begin());
  const std::uint64_t begin = Number(low, shared);
  const std::uint64_t end = Number(high, shared);
  std::string middle = low.substr(0, shared);
  AppendBigEndian64(middle, begin + (end - begin) / 2);
  return middle;
}

}  // namespace

RocksCursor::RocksCursor(rocksdb::DB& database, rocksdb::ColumnFamilyHandle& family,
                         const CursorOptions& options, const Owner& owner)
    : database_(database),
      family_(family),
      owner_(owner),
      ticket_(owner.open_cursors),
      begin_(options.range.begin),
      end_(options.range.end),
      begin_slice_(begin_),
      end_slice_(end_) {
  rocksdb::ReadOptions& read = read_options_;
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
  if (status.ok() || lost_the_rest_) return {};
  return owner_.damage.Note(FromRocks(status, fmt::format("scanning {}", owner_.name)));
}

void RocksCursor::DoSeekToFirst() {
  iterator_->SeekToFirst();
  SettleForward(begin_);
}

void RocksCursor::DoSeekToLast() {
  iterator_->SeekToLast();
  Settle();
}

void RocksCursor::DoSeekAtOrAfter(Bytes target) {
  iterator_->Seek(ToSlice(target));
  SettleForward(target);
}

void RocksCursor::DoSeekAtOrBefore(Bytes target) {
  iterator_->SeekForPrev(ToSlice(target));
  Settle();
}

void RocksCursor::DoNext() {
  if (!owner_.salvage) {
    iterator_->Next();
    Settle();
    return;
  }
  const std::string from = iterator_->key().ToString();
  iterator_->Next();
  SettleForward(from);
}

void RocksCursor::DoPrev() {
  iterator_->Prev();
  Settle();
}

void RocksCursor::Settle() {
  if (iterator_->Valid()) {
    Show(ToBytes(iterator_->key()), ToBytes(iterator_->value()));
  } else {
    Hide();
  }
}

void RocksCursor::SettleForward(Bytes from) {
  if (owner_.salvage && !iterator_->Valid() && !iterator_->status().ok()) {
    StepOverDamage(std::string(from));
  }
  Settle();
}

// A seek into a damaged block fails, and one behind it does not. So the end of a file that can be
// read from is found first, and then the first readable place before it.
void RocksCursor::StepOverDamage(std::string from) {
  const Status damage =
      owner_.damage.Note(FromRocks(iterator_->status(), fmt::format("salvaging {}", owner_.name)));
  static_cast<void>(damage);  // Counted and logged; the walk goes on.
  for (std::string& bound : ReadableBounds(from)) {
    if (!end_.empty() && bound >= end_) break;
    if (!TrySeek(bound)) {
      from = std::move(bound);
      continue;
    }
    TrySeek(FirstReadable(std::move(from), std::move(bound)));
    return;
  }
  lost_the_rest_ = true;
}

// Between `damaged`, where a seek fails, and `readable`. There may be further damage in between, so
// the way leads down to `damaged` first, by ever smaller steps, and then up to where it ends.
std::string RocksCursor::FirstReadable(std::string damaged, std::string readable) {
  std::string highest_damaged = damaged;
  std::string probe = readable;
  for (int step = 0; step < kSalvageStepsMax; ++step) {
    probe = MiddleOf(damaged, probe);
    // Closer than this, they are one place.
    if (probe <= damaged || probe >= readable || probe.size() > damaged.size() + kMiddleBytes)
      break;
    if (TrySeek(probe)) {
      readable = probe;
      highest_damaged = damaged;
    } else {
      highest_damaged = std::max(highest_damaged, probe);
    }
  }
  for (int step = 0; step < kSalvageStepsMax; ++step) {
    std::string middle = MiddleOf(highest_damaged, readable);
    if (middle <= highest_damaged || middle >= readable) break;
    (TrySeek(middle) ? readable : highest_damaged) = std::move(middle);
  }
  return readable;
}

// Behind each file of the role that reaches beyond `from`, in order.
std::vector<std::string> RocksCursor::ReadableBounds(const std::string& from) const {
  std::vector<std::string> bounds;
  rocksdb::ColumnFamilyMetaData files;
  database_.GetColumnFamilyMetaData(&family_, &files);
  for (const auto& level : files.levels) {
    for (const auto& file : level.files) {
      if (file.largestkey >= from) bounds.push_back(file.largestkey + '\0');
    }
  }
  std::sort(bounds.begin(), bounds.end());
  return bounds;
}

// With a new iterator: one that has failed may go on failing.
bool RocksCursor::TrySeek(const std::string& target) {
  iterator_.reset(database_.NewIterator(read_options_, &family_));
  iterator_->Seek(target);
  return iterator_->status().ok();
}

}  // namespace mayfly::engine

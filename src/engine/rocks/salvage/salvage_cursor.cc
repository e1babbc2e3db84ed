#include "engine/rocks/salvage/salvage_cursor.h"

#include <algorithm>
#include <limits>

namespace mayfly::engine {
namespace {

constexpr std::uint64_t kLogs = std::numeric_limits<std::uint64_t>::max();

}  // namespace

SalvageCursor::SalvageCursor(const SalvagedState& state, Role role, const CursorOptions& options,
                             std::atomic<std::uint64_t>& open_cursors)
    : state_(state),
      role_(role),
      ticket_(open_cursors),
      begin_(options.range.begin),
      end_(options.range.end) {}

void SalvageCursor::DoSeekToLast() { SeekBackward(end_.empty() ? nullptr : &end_); }

void SalvageCursor::DoSeekAtOrAfter(Bytes target) {
  SeekForward(std::max(std::string(target), begin_));
}

void SalvageCursor::DoSeekAtOrBefore(Bytes target) {
  // The end is not part of the range, and this would include it.
  if (!end_.empty() && target >= end_) return DoSeekToLast();
  const std::string at = std::string(target) + '\0';
  SeekBackward(&at);
}

void SalvageCursor::DoNext() {
  if (!forward_) return SeekForward(key_ + '\0');
  Forward();
}

void SalvageCursor::DoPrev() {
  if (forward_) {
    const std::string here = key_;
    return SeekBackward(&here);
  }
  Backward();
}

void SalvageCursor::SeekForward(std::string target) {
  forward_ = true;
  sources_.clear();
  logged_ = state_.logged(role_).rows.lower_bound(target);
  const auto& tables = state_.tables(role_);
  // Tables that end before the target are skipped; those that begin after it are opened when the
  // cursor reaches them.
  for (next_table_ = 0; next_table_ < tables.size() && tables[next_table_].smallest <= target;
       ++next_table_) {
    if (tables[next_table_].largest >= target) OpenReached(target);
  }
  key_ = std::move(target);
  Forward();
}

// Opens the next table at the target.
void SalvageCursor::OpenReached(const std::string& target) {
  const SalvagedState::Table& table = state_.tables(role_)[next_table_];
  auto opened = state_.Load(table);
  if (opened == nullptr) return;
  Source source{.number = table.number, .walk = std::make_unique<TableCursor>(std::move(opened))};
  source.walk->SeekAtOrAfter(target);
  if (source.Valid()) sources_.push_back(std::move(source));
}

// All sources are after the last key shown.
void SalvageCursor::Forward() {
  const auto& tables = state_.tables(role_);
  const auto& rows = state_.logged(role_).rows;
  while (true) {
    const std::string* next = logged_ != rows.end() ? &logged_->first : nullptr;
    for (const Source& source : sources_) {
      if (next == nullptr || source.key() < Bytes(*next)) next = &source.walk->entry().key;
    }
    if (next_table_ < tables.size() && (next == nullptr || tables[next_table_].smallest <= *next)) {
      OpenReached({});
      ++next_table_;
      continue;
    }
    if (next == nullptr || (!end_.empty() && *next >= end_)) return Hide();
    key_ = *next;
    found_ = false;
    if (logged_ != rows.end() && logged_->first == key_) Consider((logged_++)->second, kLogs);
    for (Source& source : sources_) {
      if (source.key() == key_) Consider(source.walk->entry(), source.number);
      while (source.Valid() && source.key() == key_) source.walk->Next();
    }
    std::erase_if(sources_, [](const Source& source) { return !source.Valid(); });
    if (ShowBest(key_)) return;
  }
}

void SalvageCursor::SeekBackward(const std::string* target) {
  forward_ = false;
  sources_.clear();
  const auto& rows = state_.logged(role_).rows;
  logged_ = target == nullptr ? rows.end() : rows.lower_bound(*target);
  for (const SalvagedState::Table& table : state_.tables(role_)) {
    if (target != nullptr && table.smallest >= *target) break;
    auto opened = state_.Load(table);
    if (opened == nullptr) continue;
    Source source{.number = table.number, .walk = std::make_unique<TableCursor>(std::move(opened))};
    if (target == nullptr) {
      source.walk->SeekToLast();
    } else {
      source.walk->SeekAtOrBefore(*target);
      while (source.Valid() && source.key() >= Bytes(*target)) source.walk->Prev();
    }
    if (source.Valid()) sources_.push_back(std::move(source));
  }
  Backward();
}

// All sources are before the last key shown.
void SalvageCursor::Backward() {
  const auto& rows = state_.logged(role_).rows;
  while (true) {
    const std::string* next = logged_ != rows.begin() ? &std::prev(logged_)->first : nullptr;
    for (const Source& source : sources_) {
      if (next == nullptr || source.key() > Bytes(*next)) next = &source.walk->entry().key;
    }
    if (next == nullptr || *next < begin_) return Hide();
    key_ = *next;
    found_ = false;
    if (logged_ != rows.begin() && std::prev(logged_)->first == key_) {
      Consider((--logged_)->second, kLogs);
    }
    for (Source& source : sources_) {
      for (; source.Valid() && source.key() == key_; source.walk->Prev()) {
        Consider(source.walk->entry(), source.number);
      }
    }
    std::erase_if(sources_, [](const Source& source) { return !source.Valid(); });
    if (ShowBest(key_)) return;
  }
}

void SalvageCursor::Consider(const TableEntry& entry, std::uint64_t number) {
  if (found_ && std::pair(entry.sequence, number) <= std::pair(best_.sequence, best_number_)) {
    return;
  }
  best_ = entry;
  best_number_ = number;
  found_ = true;
}

bool SalvageCursor::ShowBest(const std::string& key) {
  if (best_.deleted || state_.cover(role_).Hides(key, best_.sequence)) return false;
  Show(key, best_.value);
  return true;
}

}  // namespace mayfly::engine

#include "server/session/scan_cursors.h"

#include <algorithm>
#include <iterator>

namespace mayfly::server {
namespace {

// Numbers stay below 2^53: some clients keep them in a double.
constexpr int kPlaceBits = 11;
constexpr std::uint64_t kPlacesPerMilestone = (std::uint64_t{1} << kPlaceBits) - 1;

// The first number of a process: two for each millisecond since 2024, of which 42 bits last for
// sixty years. A process makes fewer than that, so its numbers end before those of the next begin.
constexpr std::int64_t kMsAt2024 = 1'704'067'200'000;

std::uint64_t FirstNumber(WallTime now) {
  return 2 * static_cast<std::uint64_t>(std::max<std::int64_t>(ToMs(now) - kMsAt2024, 0));
}

}  // namespace

ScanCursors::ScanCursors(WallTime now, const ScanCursorLimits& limits)
    : limits_(limits), last_milestone_(FirstNumber(now)) {}

ScanCursors::Place ScanCursors::Find(int database, std::uint64_t cursor) {
  if (cursor == 0) return {};
  const std::lock_guard lock(mutex_);
  const std::uint64_t number = cursor >> kPlaceBits;
  const Milestone* const milestone = Use(number, database);
  if (const auto exact = by_cursor_.find(cursor); exact != by_cursor_.end()) {
    places_.splice(places_.end(), places_, exact->second);
    if (exact->second->database == database) return exact->second->place;
  }
  if (milestone == nullptr) return {.key = {}, .rows_min = limits_.spacing};
  const bool is_milestone = (cursor & kPlacesPerMilestone) == 0;
  return {
      .key = milestone->key, .milestone = number, .rows_min = is_milestone ? 0 : limits_.spacing};
}

std::uint64_t ScanCursors::Keep(int database, const Place& from, std::uint64_t rows,
                                Bytes next_key) {
  const std::lock_guard lock(mutex_);
  Milestone* milestone = &MilestoneFor(database, from, rows, next_key);
  if (milestone->key == next_key) return milestone->number << kPlaceBits;
  const bool same = milestone->number == from.milestone;
  // A number means one place for good: when they are used up, the milestone gets another block.
  if (milestone->places == kPlacesPerMilestone) {
    milestone = &NewMilestone(database, std::string(milestone->key));
  }
  const std::uint64_t cursor = milestone->number << kPlaceBits | ++milestone->places;
  Remember(cursor, database,
           {.key = std::string(next_key),
            .milestone = milestone->number,
            .rows_behind = same ? from.rows_behind + rows : 0});
  return cursor;
}

// The milestone that the scan lies behind already; or, where it has gone far enough, a new one.
ScanCursors::Milestone& ScanCursors::MilestoneFor(int database, const Place& from,
                                                  std::uint64_t rows, Bytes next_key) {
  Milestone* last = Use(from.milestone, database);
  if (last == nullptr) last = &MilestoneAt(database, from.key);
  if (from.rows_min == 0 && from.rows_behind + rows < limits_.spacing) return *last;
  const auto behind = by_key_.upper_bound(std::make_pair(database, std::string(next_key)));
  const auto& [key, number] = *std::prev(behind);  // There is `last` at least.
  return key.second > last->key ? *Use(number, database) : NewMilestone(database, next_key);
}

ScanCursors::Milestone& ScanCursors::MilestoneAt(int database, Bytes key) {
  const auto found = by_key_.find(std::make_pair(database, std::string(key)));
  return found != by_key_.end() ? *Use(found->second, database) : NewMilestone(database, key);
}

ScanCursors::Milestone* ScanCursors::Use(std::uint64_t number, int database) {
  const auto found = by_number_.find(number);
  if (found == by_number_.end() || found->second->database != database) return nullptr;
  milestones_.splice(milestones_.end(), milestones_, found->second);
  return &*found->second;
}

ScanCursors::Milestone& ScanCursors::NewMilestone(int database, Bytes key) {
  ++last_milestone_;
  milestones_.push_back({.number = last_milestone_, .database = database, .key = std::string(key)});
  by_number_[last_milestone_] = std::prev(milestones_.end());
  by_key_[{database, std::string(key)}] = last_milestone_;
  if (milestones_.size() > limits_.milestones_max) {
    const Milestone& oldest = milestones_.front();
    const auto place = by_key_.find(std::make_pair(oldest.database, oldest.key));
    if (place != by_key_.end() && place->second == oldest.number) by_key_.erase(place);
    by_number_.erase(oldest.number);
    milestones_.pop_front();
  }
  return milestones_.back();
}

void ScanCursors::Remember(std::uint64_t cursor, int database, Place place) {
  places_.push_back({.cursor = cursor, .database = database, .place = std::move(place)});
  by_cursor_[cursor] = std::prev(places_.end());
  if (places_.size() > limits_.places_max) {
    by_cursor_.erase(places_.front().cursor);
    places_.pop_front();
  }
}

}  // namespace mayfly::server

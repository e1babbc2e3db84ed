#include "engine/hot/reader/hot_follower.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "engine/hot/fold_marker.h"
#include "engine/hot/limits.h"
#include "engine/hot/reader/limits.h"

namespace mayfly::engine::hot {
namespace {

std::shared_ptr<HotRows> NewRows(const HotReaderOptions& options, const Engine& cold,
                                 Sequence folded) {
  auto rows = std::make_shared<HotRows>(
      HotIndexOptions{.bytes_max = HotIndex::ReservableBytes(options.reserved_bytes),
                      .huge_pages = options.huge_pages,
                      .visible = folded});
  rows->is_resident = false;
  rows->views = std::make_unique<ColdViews>(cold, folded);
  return rows;
}

}  // namespace

HotFollower::Following::Following(std::shared_ptr<HotRows> built, Sequence folded_through,
                                  LogFiles& files, const crypto::DatabaseKey* key)
    : folded(folded_through),
      rows(std::move(built)),
      replay(*rows, /*wipe_freed=*/true),
      walk(files, key, folded + 1) {}

HotFollower::HotFollower(const HotReaderOptions& options, const Engine& cold, LogFiles& files)
    : options_(options), cold_(cold), files_(files), key_(cold.encryption_key()) {}

Result<std::uint64_t> HotFollower::Refresh() {
  const std::lock_guard one_at_a_time(follow_mutex_);
  for (int builds = 0; builds < kBuildsMax; ++builds) {
    if (following_ != nullptr) {
      MAYFLY_TRY(const std::uint64_t cold_change, RefreshCold());
      MAYFLY_TRY(const Outcome outcome, Advance(*following_));
      if (outcome == Outcome::kLevel) {
        const bool cold_changed = ShowCold(cold_change);
        MAYFLY_TRY(const bool holds_too_much, HoldsTooMuch(cold_changed));
        if (!holds_too_much) return Count();
      } else {
        // What was missed may have changed anything.
        for (auto& bytes : touched_) bytes.set();
      }
    }
    MAYFLY_TRY(const auto before, ListSegments(files_));
    MAYFLY_TRY(const Outcome outcome, Build());
    if (outcome == Outcome::kLevel) return Count();
    MAYFLY_TRY(const auto after, ListSegments(files_));
    if (before == after) {
      return Status::Corruption(
          fmt::format("{}: a segment of the log is missing", files_.PathOf("")));
    }
  }
  return Status::Busy(
      fmt::format("the writer of {} folds its log faster than it can be read here; retry later",
                  options_.reader.rocks.directory));
}

Result<HotFollower::Outcome> HotFollower::Advance(Following& following) {
  if (following.is_broken) return Outcome::kLost;
  const bool is_draft = following_ != nullptr && &following != following_.get();
  const Sequence shown = is_draft ? following_->walk.next_sequence() : 0;
  const auto apply = [&](const LogRecord& record) {
    Status applied = following.replay.Apply(record);
    following.is_broken = !applied.ok();
    if (!applied.ok() || record.sequence < shown) return applied;
    for (const HotChange& change : following.replay.changes()) Touch(change);
    return applied;
  };
  MAYFLY_TRY(const Outcome outcome, following.walk.Advance(apply));
  following.replay.PublishBefore(following.walk.next_sequence());
  return outcome;
}

// In this order: (3) and (2) in the header.
Result<HotFollower::Outcome> HotFollower::Build() {
  ++builds_;
  MAYFLY_TRY(const Sequence folded, ReadFoldMarker(files_));
  MAYFLY_TRY(const std::uint64_t cold_change, RefreshCold());
  auto built =
      std::make_unique<Following>(NewRows(options_, cold_, folded), folded, files_, key_.get());
  MAYFLY_TRY(const Outcome outcome, Advance(*built));
  if (outcome == Outcome::kLost) return outcome;
  if (following_ == nullptr) {
    MAYFLY_RETURN_IF_ERROR(built->walk.CheckEnd());
    for (auto& bytes : touched_) bytes.set();
  }
  cold_shown_ = cold_change;
  Show(std::move(built));
  return Outcome::kLevel;
}

void HotFollower::Show(std::unique_ptr<Following> built) {
  std::shared_ptr<const HotRows> old;  // Destroyed without the lock.
  {
    const std::unique_lock lock(mutex_);
    old = std::exchange(rows_, built->rows);
  }
  log_bytes_ = built->walk.bytes();
  for (const auto& passed : built->walk.passed()) log_bytes_ += passed.bytes;
  following_ = std::move(built);
}

// The view that is shown would change with the cold store.
Status HotFollower::FreezeCold() {
  return following_ == nullptr ? Status() : following_->rows->views->FreezeCurrent();
}

Result<std::uint64_t> HotFollower::RefreshCold() {
  MAYFLY_RETURN_IF_ERROR(FreezeCold());
  return cold_.Refresh();
}

// Only when the log has been read to its end after the cold store. True if there was something new.
bool HotFollower::ShowCold(std::uint64_t change) {
  if (change == cold_shown_) return false;
  ColdViews& views = *following_->rows->views;
  views.Advance(following_->folded);
  static_cast<void>(views.oldest_through());  // Lets go of views that nobody reads.
  cold_shown_ = change;
  return true;
}

// True if much of what the rows hold was folded: it need not be in memory.
Result<bool> HotFollower::HoldsTooMuch(bool cold_changed) {
  const auto& passed = following_->walk.passed();
  std::uint64_t gone = 0;
  std::uint64_t kept = following_->walk.bytes();
  const bool looks = !passed.empty() && (cold_changed || passed.size() != following_->looked_at);
  Sequence folded = following_->folded;
  if (looks) {
    MAYFLY_TRY(folded, ReadFoldMarker(files_));
    following_->looked_at = passed.size();
  }
  for (const auto& segment : passed) {
    (segment.last_sequence <= folded ? gone : kept) += segment.bytes;
  }
  log_bytes_ = gone + kept;
  if (gone == 0) return false;
  return gone > std::max(options_.folded_bytes_max, kept) ||
         following_->rows->ranges.size() > kPendingRangesMax;
}

void HotFollower::Touch(const HotChange& change) {
  auto& bytes = touched_[static_cast<std::size_t>(change.role)];
  const auto first = static_cast<unsigned char>(change.key.empty() ? '\0' : change.key.front());
  auto last = first;
  if (change.kind == HotChange::Kind::kDeleteRange) {
    last = static_cast<unsigned char>(change.value.front());
  }
  for (unsigned byte = first; byte <= last; ++byte) bytes.set(byte);
}

std::uint64_t HotFollower::Count() {
  std::uint64_t change = changes_;
  for (const auto& bytes : touched_) {
    if (bytes.any()) change = changes_ + 1;
  }
  for (std::size_t role = 0; role < kRoleCount; ++role) {
    for (std::size_t byte = 0; touched_[role].any() && byte < touched_[role].size(); ++byte) {
      if (touched_[role].test(byte)) changed_at_[role][byte] = change;
    }
    touched_[role].reset();
  }
  changes_ = change;
  return change;
}

Result<std::unique_lock<std::mutex>> HotFollower::Pause() {
  std::unique_lock paused(follow_mutex_);
  MAYFLY_RETURN_IF_ERROR(FreezeCold());
  return paused;
}

void HotFollower::Close() {
  const std::lock_guard one_at_a_time(follow_mutex_);
  const std::unique_lock lock(mutex_);
  rows_.reset();
  following_.reset();
}

}  // namespace mayfly::engine::hot

#include "core/reclaim/due_walk.h"

#include <algorithm>

#include "core/layout/addresses.h"
#include "core/layout/keys.h"
#include "core/layout/liveness.h"

namespace mayfly::core {
namespace {

Status DamagedEntry() {
  return Status::Corruption("an entry of the expiry index is damaged; run a check with repair");
}

Result<std::unique_ptr<engine::Cursor>> WalkFrom(const Store& store, const IndexHalf& half,
                                                 const std::string& begin) {
  const std::string end = KeyspaceEnd(half.index());
  const engine::CursorOptions walk{.range = {begin, end}, .fill_cache = false};
  MAYFLY_TRY(auto cursor, store.engine().NewCursor(kExpiry, walk));
  cursor->SeekToFirst();
  return cursor;
}

}  // namespace

Result<bool> DueWalk::Fill(const Store& store, const IndexHalf& half, const Request& request) {
  if (done_ < page_.size() && by_latch_ == request.by_latch) return true;
  const std::string watermark = EntryBegin(half.index(), half.watermark());
  pass_ = half.keyspace.purge_pass(half.members);
  if (pass_.reached > watermark) {
    MAYFLY_TRY(const bool found, Read(store, half, pass_.reached, request));
    if (found && first_ <= pass_.settled) return true;
  }
  pass_ = {.reached = {}, .settled = request.settled};
  half.keyspace.SetPurgePass(half.members, pass_);
  return Read(store, half, watermark, request);
}

Result<bool> DueWalk::Read(const Store& store, const IndexHalf& half, const std::string& begin,
                           const Request& request) {
  page_.clear();
  done_ = 0;
  MAYFLY_TRY(const auto cursor, WalkFrom(store, half, begin));
  MemberStripes members(store, half.keyspace);
  for (; cursor->Valid() && page_.size() < request.rows_max; cursor->Next()) {
    const auto entry = DecodeEntry(cursor->key());
    if (!entry) return DamagedEntry();
    if (!IsDead(entry->deadline, request.now)) break;
    page_.push_back({entry->deadline, std::string(entry->key), 0});
    MAYFLY_TRY(page_.back().stripe, StripeOfDue(half, members, page_.back().key));
  }
  MAYFLY_RETURN_IF_ERROR(cursor->status());
  if (page_.empty()) return false;
  first_ = page_.front().deadline;
  through_ = page_.back().deadline;
  last_ = EntryKey(half.index(), through_, page_.back().key);
  by_latch_ = request.by_latch;
  if (by_latch_) {
    std::stable_sort(page_.begin(), page_.end(),
                     [](const Due& a, const Due& b) { return a.stripe < b.stripe; });
  }
  return true;
}

std::span<Due> DueWalk::Next(std::size_t rows_max) {
  std::size_t end = std::min(done_ + rows_max, page_.size());
  for (std::size_t i = done_ + 1; by_latch_ && i < end; ++i) {
    if (page_[i].stripe != page_[done_].stripe) end = i;
  }
  return std::span(page_).subspan(done_, end - done_);
}

std::optional<WallTime> DueWalk::ReachedWith(const IndexHalf& half,
                                             std::span<const Due> rows) const {
  if (done_ + rows.size() < page_.size()) return std::nullopt;
  return std::max(std::min(through_, pass_.settled), half.watermark());
}

void DueWalk::Done(const IndexHalf& half, std::span<const Due> rows) {
  done_ += rows.size();
  if (done_ < page_.size()) return;
  pass_.reached = last_;
  half.keyspace.SetPurgePass(half.members, pass_);
}

Result<Stripe> StripeOfDue(const IndexHalf& half, MemberStripes& members, const std::string& key) {
  const KeyspaceState& keyspace = half.keyspace;
  if (!half.members) return StripeOf(keyspace.id(), key);
  if (!keyspace.by_timestamp()) return members.Of(key);
  // A damaged key has no row: its entry is stale, and any latch will do.
  return StripeOf(keyspace.id(), UserKeyOfMember(key).value_or(key));
}

Result<std::optional<WallTime>> FirstDeadline(const Store& store, const IndexHalf& half,
                                              const std::string& begin) {
  MAYFLY_TRY(const auto cursor, WalkFrom(store, half, begin));
  if (!cursor->Valid()) {
    MAYFLY_RETURN_IF_ERROR(cursor->status());
    return std::optional<WallTime>();
  }
  const auto entry = DecodeEntry(cursor->key());
  if (!entry) return DamagedEntry();
  return std::optional(entry->deadline);
}

}  // namespace mayfly::core

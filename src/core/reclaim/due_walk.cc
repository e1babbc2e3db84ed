#include "core/reclaim/due_walk.h"

#include <algorithm>
#include <cassert>

#include "base/fair_yield.h"
#include "core/layout/addresses.h"
#include "core/layout/keys.h"
#include "core/layout/limits.h"
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
  if (done_ < page_.size() && order_ == request.order) return true;
  const std::string watermark = EntryBegin(half.index(), half.watermark());
  pass_ = half.keyspace.purge_pass(half.members);
  if (pass_.reached > watermark) {
    MAYFLY_TRY(const bool found, Read(store, half, pass_.reached, request));
    if (found && first_ <= pass_.stable) return true;
  }
  pass_ = {.reached = {}, .stable = request.stable};
  half.keyspace.SetPurgePass(half.members, pass_);
  return Read(store, half, watermark, request);
}

Result<bool> DueWalk::Read(const Store& store, const IndexHalf& half, const std::string& begin,
                           const Request& request) {
  page_.clear();
  keys_.release();
  done_ = 0;
  MAYFLY_TRY(const auto cursor, WalkFrom(store, half, begin));
  MemberStripes members(store, half.keyspace);
  FairYield yield;
  for (; cursor->Valid() && page_.size() < request.rows_max; cursor->Next()) {
    const auto entry = DecodeEntry(cursor->key());
    if (!entry) return DamagedEntry();
    assert(page_.empty() || entry->deadline >= page_.back().deadline);
    if (!IsDead(entry->deadline, request.now)) break;
    char* const kept =
        static_cast<char*>(keys_.allocate(std::max<std::size_t>(entry->key.size(), 1), 1));
    const Bytes key(kept, entry->key.copy(kept, entry->key.size()));
    MAYFLY_TRY(const Stripe stripe, StripeOfDue(half, members, key));
    page_.push_back({entry->deadline, key, stripe});
    if (page_.size() % kScanEntriesPerYield == 0) yield.Offer(store.clock());
  }
  MAYFLY_RETURN_IF_ERROR(cursor->status());
  if (page_.empty()) return false;
  first_ = page_.front().deadline;
  through_ = page_.back().deadline;
  last_ = EntryKey(half.index(), through_, page_.back().key);
  Arrange(request.order);
  return true;
}

void DueWalk::Arrange(Order order) {
  order_ = order;
  if (order == Order::kIndex) return;
  // Stable, and so in time order for each counter.
  std::stable_sort(page_.begin(), page_.end(), [order](const Due& a, const Due& b) {
    if (order == Order::kDeadlineByLatch && a.deadline != b.deadline) {
      return a.deadline < b.deadline;
    }
    return CounterOf(a.stripe) < CounterOf(b.stripe);
  });
}

std::span<Due> DueWalk::Next(std::size_t rows_max) {
  const std::span<Due> rows = std::span(page_).subspan(done_);
  std::size_t count = std::min(rows_max, rows.size());
  if (order_ != Order::kIndex) {
    const std::size_t mixed = order_ == Order::kLatch ? 1 : std::min(count, kReaperStepRowsMax);
    const auto other = std::find_if(
        rows.begin(), rows.begin() + static_cast<std::ptrdiff_t>(count),
        [&](const Due& row) { return CounterOf(row.stripe) != CounterOf(rows[0].stripe); });
    count = std::max(mixed, static_cast<std::size_t>(other - rows.begin()));
  }
  return rows.first(count);
}

std::optional<WallTime> DueWalk::ReachedWith(const IndexHalf& half,
                                             std::span<const Due> rows) const {
  if (done_ + rows.size() < page_.size()) return std::nullopt;
  // What follows in the index is due at through_ or later, or was written after the pass began.
  assert(first_ <= through_);
  return std::max(std::min(through_, pass_.stable), half.watermark());
}

void DueWalk::Done(const IndexHalf& half, std::span<const Due> rows) {
  done_ += rows.size();
  if (done_ < page_.size()) return;
  pass_.reached = last_;
  half.keyspace.SetPurgePass(half.members, pass_);
}

Result<Stripe> StripeOfDue(const IndexHalf& half, MemberStripes& members, Bytes key) {
  const KeyspaceState& keyspace = half.keyspace;
  if (!half.members) return StripeOf(keyspace.id(), key);
  if (!keyspace.by_timestamp()) return members.Of(key);
  // A damaged key has no row: its entry is stale, and any latch will do.
  const auto user_key = UserKeyOfMember(key);
  return StripeOf(keyspace.id(), user_key ? Bytes(*user_key) : key);
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

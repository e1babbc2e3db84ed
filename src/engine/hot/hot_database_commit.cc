// Commits of the memory-first engine.
//   locks of all rows -> conditions -> room in memory -> log -> memory -> visible, unlocked -> disk
// The log decides the order, and its sequence is the state that the commit makes. Everything that
// can fail comes before the log.
#include <fmt/format.h>

#include <algorithm>
#include <boost/container/small_vector.hpp>

#include "engine/hot/hot_database.h"
#include "engine/hot/log/change_codec.h"

namespace mayfly::engine::hot {
namespace {

using Touches = boost::container::small_vector<HotIndex::Touch, 16>;
using Changes = boost::container::small_vector<HotChange, 16>;

// begin == end deletes nothing.
bool IsEmptyRange(const Batch::Change& change) {
  return change.kind == Batch::Kind::kDeleteRange && change.key >= change.value;
}

// Of the thread, so that a commit allocates nothing for its record, and clears nothing.
class PayloadBuffer {
 public:
  PayloadBuffer() = default;
  ~PayloadBuffer() {
    if (bytes_.capacity() > kPayloadBufferMax) bytes_ = std::string();
  }
  PayloadBuffer(const PayloadBuffer&) = delete;
  PayloadBuffer& operator=(const PayloadBuffer&) = delete;

  std::string& bytes() { return bytes_; }

 private:
  static thread_local std::string bytes_;
};
thread_local std::string PayloadBuffer::bytes_;

}  // namespace

Status HotDatabase::DoCommit(const Batch& batch, Durability durability) {
  if (is_slow_.load(std::memory_order_relaxed)) [[unlikely]]
    MAYFLY_RETURN_IF_ERROR(AwaitRoom(batch));
  bool lacks_room = IsShortOfSpace();
  Status committed;
  if (!lacks_room) [[likely]]
    committed = TryToCommit(batch, durability, lacks_room);
  return lacks_room ? CommitOnFullDisk(batch, durability) : committed;
}

Status HotDatabase::TryToCommit(const Batch& batch, Durability durability, bool& lacks_room) {
  lacks_room = false;
  Touches touches;
  touches.reserve(batch.change_count() + batch.condition_count());
  bool changes = false;
  for (std::size_t i = 0; i < batch.change_count(); ++i) {
    const Batch::Change change = batch.change(i);
    if (IsEmptyRange(change)) continue;
    changes = true;
    const bool is_range = change.kind == Batch::Kind::kDeleteRange;
    touches.push_back({.role = change.at.role,
                       .key = change.key,
                       .all = is_range,
                       .hash = is_range ? 0 : rows_->index.HashOf(change.at.role, change.key)});
  }
  for (std::size_t i = 0; i < batch.condition_count(); ++i) {
    const Batch::Condition condition = batch.condition(i);
    touches.push_back({.role = condition.at.role, .key = condition.key});
  }
  if (touches.empty()) return {};
  Sequence sequence = 0;
  {
    HotIndex::Commit commit(rows_->index, touches);
    if (batch.condition_count() > 0) MAYFLY_RETURN_IF_ERROR(CheckConditions(commit, batch));
    if (!changes) return {};
    MAYFLY_RETURN_IF_ERROR(CheckRoom(batch));
    auto appended = AppendToLog(commit, batch);
    if (!appended.has_value()) {
      lacks_room = appended.error().code() == StatusCode::kBusy;
      return appended.error();
    }
    sequence = *appended;
    ApplyAndPublish(commit, batch, touches, sequence);
  }
  if (durability != Durability::kDisk || log_ == nullptr) return {};
  const Status synced = log_->Sync(sequence);
  if (synced.ok()) return {};
  WakeUpkeep();  // It writes again what may be lost.
  return Status::IoError(fmt::format(
      "the batch is visible but its outcome after a power cut is unknown: {}", synced.message()));
}

Status HotDatabase::CheckConditions(const HotIndex::Commit& commit, const Batch& batch) const {
  PinnedBytes cold;
  for (std::size_t i = 0; i < batch.condition_count(); ++i) {
    const Batch::Condition condition = batch.condition(i);
    const HotIndex::CurrentRow row = commit.Current(condition.at.role, condition.key);
    std::optional<Bytes> value;
    if (row.presence == Presence::kValue) value = row.value;
    // Nobody else changes the key meanwhile, so it does not come to memory or to the cold store.
    if (row.presence == Presence::kNothing && !IsResident()) {
      const Status read = GetCold(condition.at, condition.key, cold);
      if (!read.ok() && !read.IsNotFound()) return read;
      if (read.ok()) value = cold.view();
    }
    if (value != condition.expected) return ConditionFailed(condition);
  }
  return {};
}

Status HotDatabase::CheckRoom(const Batch& batch) const {
  if (rows_->index.HasRoomFor(batch.change_count(), batch.bytes())) [[likely]]
    return {};
  return Status::Busy(fmt::format(
      "{} has no room in memory for this batch; delete rows, or reserve more memory", name()));
}

Result<Sequence> HotDatabase::AppendToLog(HotIndex::Commit& commit, const Batch& batch) {
  if (log_ == nullptr) return next_sequence_.fetch_add(1, std::memory_order_relaxed);
  PayloadBuffer payload;
  const Bytes bytes = EncodeBatch(batch, payload.bytes());
  Sequence voided = 0;
  // Nothing is acknowledged before the publication, which waits for all commits before this one.
  auto appended = log_->Append(std::span(&bytes, 1), voided, HotLog::Wait::kForOwnRecord);
  // Later commits wait for every sequence.
  if (voided != 0) commit.Publish(voided);
  if (appended.has_value()) CountLogged(*appended, bytes.size());
  return appended;
}

Flags HotDatabase::FlagsOfChanges() const {
  Flags kept = options_.wipe_freed ? kDirty | kPromised : kDirty;
  if (options_.memory_bytes_max != 0) kept |= kNewcomer;
  // With the locks of the rows: what is resident now stays until they are released.
  return IsResident() ? kept : static_cast<Flags>(kept | kOverCold);
}

void HotDatabase::ApplyAndPublish(HotIndex::Commit& commit, const Batch& batch,
                                  std::span<const HotIndex::Touch> touches, Sequence sequence) {
  const Flags flags = FlagsOfChanges();
  Changes changes;
  changes.reserve(batch.change_count());
  auto touch = touches.begin();
  for (std::size_t i = 0; i < batch.change_count(); ++i) {
    const Batch::Change change = batch.change(i);
    if (IsEmptyRange(change)) continue;
    HotChange& made = changes.emplace_back();
    made = {.kind = static_cast<HotChange::Kind>(change.kind),
            .role = change.at.role,
            .flags = flags,
            .key = change.key,
            .value = change.value,
            .hash = touch == touches.end() ? 0 : (touch++)->hash};
    if (change.kind != Batch::Kind::kDeleteRange) continue;
    // The range itself hides the cold store's rows until the fold has deleted them there.
    made.flags = static_cast<Flags>((flags & ~kOverCold) | kNotInCold);
    if (log_ == nullptr) continue;
    rows_->ranges.Add(change.at.role, change.key, change.value, sequence);
    ++rows_->departures;
  }
  commit.Apply(sequence, changes);
  commit.Publish(sequence);
}

// Deletes rows that are dead, where these versions still are the newest. What the cold store has
// dropped by itself leaves no tombstone.
Status HotDatabase::DropVersionsOf(std::span<const RowVersion> versions, IsDeadRow is_dead,
                                   WhichDead which) {
  Touches touches;
  for (const RowVersion& version : versions) {
    touches.push_back({.role = version.role, .key = version.key});
  }
  HotIndex::Commit commit(rows_->index, touches);
  Batch batch;
  Changes changes;
  PinnedBytes cold;
  // The row itself says whether it lies over the cold store.
  auto flags = static_cast<Flags>(FlagsOfChanges() & ~kOverCold);
  if (which == WhichDead::kDroppedByCold) flags |= kNotInCold;
  for (const RowVersion& version : versions) {
    const HotIndex::CurrentRow row = commit.Current(version.role, version.key);
    if (row.presence != Presence::kValue || row.sequence != version.sequence) continue;
    if (!is_dead(version.role, version.key, row.value)) continue;
    if (which == WhichDead::kDroppedByCold) {
      if (row.flags & kDirty) continue;
      const Status read = storage_.cold->Get({.role = version.role}, version.key, cold);
      if (read.ok()) continue;
      if (!read.IsNotFound()) return read;
    }
    batch.Delete({.role = version.role}, version.key);
    HotChange& made = changes.emplace_back();
    made = {.kind = HotChange::Kind::kDelete,
            .role = version.role,
            .flags = flags,
            .key = version.key,
            .value = {}};
  }
  if (changes.empty()) return {};
  const LogSpace::Use use(FullDiskRight::kRowDelete);
  auto appended = AppendToLog(commit, batch);
  if (!appended.has_value()) return WithoutRoom(appended.error());
  const Sequence sequence = *appended;
  commit.Apply(sequence, changes);
  commit.Publish(sequence);
  drops_.fetch_add(changes.size(), std::memory_order_relaxed);
  return {};
}

Status HotDatabase::DoSync(Durability durability) {
  // Every commit was in the hands of the operating system before it returned.
  if (durability != Durability::kDisk || log_ == nullptr) return {};
  Status synced = log_->Sync(log_->last_sequence());
  if (!synced.ok()) WakeUpkeep();  // It writes again what may be lost.
  return synced;
}

// So many appended bytes wake the thread: a quarter of a segment, or a part of the budget.
std::uint64_t HotDatabase::WakeBytes() const {
  const std::uint64_t budget = options_.memory_bytes_max;
  const std::uint64_t of_segment = options_.segment_bytes / 4;
  return budget == 0 ? of_segment : std::min(of_segment, BudgetParts(1));
}

void HotDatabase::CountLogged(Sequence sequence, std::size_t payload_bytes) {
  std::uint64_t bytes = payload_bytes;
  if (bytes < kCountedPayloadBytes) {
    if (sequence % kCountedCommits != 0) return;
    bytes = (bytes + kRowOverhead) * kCountedCommits;
  }
  if (options_.memory_bytes_max != 0) {
    // What was free when it was measured is used up: measure again.
    const auto added = static_cast<std::int64_t>(bytes);
    if (room_to_grow_.fetch_sub(added, std::memory_order_relaxed) < added) is_slow_ = true;
  }
  const std::uint64_t before = uncounted_bytes_.fetch_add(bytes, std::memory_order_relaxed);
  if (before + bytes < WakeBytes()) return;
  uncounted_bytes_.store(0, std::memory_order_relaxed);
  WakeUpkeep();
}

}  // namespace mayfly::engine::hot

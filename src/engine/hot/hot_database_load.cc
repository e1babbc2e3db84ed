// The load: rows of the cold store come to memory after opening, until all of them are there.
// It goes over each role in key order, in steps. A step opens a state, and admits what the view
// below it has and memory does not know, as of the view's through(), as a read does.
//
// Why everything is resident at the end. For every key behind which the load is, this holds: if the
// cold store has the key, memory knows it, as a row or a tombstone, or a pending range delete hides
// it.
// (1) It holds after the step. A key of the view was admitted; or known; or hidden; or something
//     left memory meanwhile, and then the step is repeated from this key on, with a newer view. A
//     key that the cold store got after the view is of a fold, see (2).
// (2) The cold store gets keys from folds alone, and these write what is in memory, and dirty until
//     a view shows it.
// (3) Memory forgets a key by eviction: then the load is given up, before the first one. Or by
//     removing a tombstone, after every view in use has the delete. Or because of a range delete,
//     which is pending until the same holds. Or because the cold store was seen, with the key's
//     lock, to have dropped the row. Or by a delete without a tombstone: of a row that is not over
//     the cold store. While the flag is not set, all changes are.
// A row that the DropPolicy calls dead is not admitted: it is deleted by a commit, which leaves a
// tombstone, so memory knows its key.
// Evictions and the end of the load are of one thread, so none comes between the last step and the
// flag. States from before the flag do not rely on it: they do not see rows that were admitted as of
// a later view (HotState::was_resident()).
#include <algorithm>

#include "base/log.h"
#include "engine/hot/hot_database.h"

namespace mayfly::engine::hot {

void HotDatabase::StartLoad() {
  if (options_.load_at_open && !IsResident()) load_ = Load{};
}

void HotDatabase::GiveUpLoad(Bytes why) {
  if (!load_) return;
  Log(logger_, LogLevel::kInfo, "{} keeps a part of its rows in memory, {} were loaded: {}", name(),
      load_->rows, why);
  load_.reset();
}

void HotDatabase::LoadStep() {
  if (!load_) return;
  const Result<bool> more = LoadRows();
  if (!more.has_value()) return GiveUpLoad(more.error().ToString());
  if (load_->retries > kLoadRetriesMax) return GiveUpLoad("rows leave memory all the time");
  if (*more) return;
  rows_->is_resident.store(true, std::memory_order_seq_cst);
  Log(logger_, LogLevel::kInfo, "{} has all its rows in memory, {} were loaded", name(),
      load_->rows);
  load_.reset();
}

// Up to where the eviction would go. Without a budget nothing is evicted, and what is loaded must
// leave room for commits.
std::uint64_t HotDatabase::RoomToLoad() const {
  const std::uint64_t end =
      options_.memory_bytes_max != 0 ? BudgetParts(kEvictedParts) : options_.reserved_bytes / 2;
  const std::uint64_t used = rows_->index.memory().used_bytes;
  return end - std::min(end, used);
}

Result<bool> HotDatabase::LoadRows() {
  // Before the view.
  const std::uint64_t departures = rows_->departures.load(std::memory_order_seq_cst);
  const HotState state(*rows_);
  const Sequence through = state.view()->through();
  const auto role = static_cast<Role>(load_->role);
  MAYFLY_TRY(const auto cursor,
             state.view()->NewCursor({.role = role}, {.begin = load_->from, .end = {}}, false));
  const Flags flags = options_.wipe_freed ? kPromised : Flags{0};
  const std::uint64_t room = RoomToLoad();
  const auto judge = options_.drop_policy ? options_.drop_policy->NewJudge(role) : nullptr;
  std::vector<std::string> dead;
  std::size_t rows = 0;
  std::size_t bytes = 0;
  for (cursor->SeekToFirst(); cursor->Valid(); cursor->Next()) {
    const Bytes key = cursor->key();
    if (rows > 0 && (rows >= options_.load_step_rows || bytes >= kLoadStepBytes)) {
      MAYFLY_TRY(const bool known, DeleteDead(dead, role, {departures, through}));
      if (known) load_->from = key;
      return true;
    }
    if (judge != nullptr && judge->IsDead(key, cursor->value())) {
      dead.emplace_back(key);
      ++rows;
      continue;
    }
    const std::size_t row_bytes = key.size() + cursor->value().size() + kRowOverhead;
    if (bytes + row_bytes > room || !rows_->index.HasRoomFor(1, row_bytes)) {
      return Status::Busy("there is no room for more");
    }
    const bool admitted = rows_->index.Admit(role, key, cursor->value(), through, flags, [&] {
      return rows_->IsStillRight(role, key, through, departures);
    });
    if (!admitted && rows_->departures.load(std::memory_order_seq_cst) != departures) {
      // The dead before it are met again.
      if (dead.empty()) load_->from = key;
      ++load_->retries;
      return true;
    }
    load_->retries = 0;
    ++rows;
    bytes += row_bytes;
    if (admitted) ++load_->rows;
  }
  MAYFLY_RETURN_IF_ERROR(cursor->status());
  MAYFLY_TRY(const bool known, DeleteDead(dead, role, {departures, through}));
  if (!known) return true;
  load_->from.clear();
  load_->retries = 0;
  return ++load_->role < kRoleCount;
}

// Deletes rows of the cold store that are dead, and that memory does not know. False: something has
// left memory meanwhile, and the step has to be made again.
Result<bool> HotDatabase::DeleteDead(const std::vector<std::string>& keys, Role role,
                                     ReadMoment moment) {
  if (keys.empty()) return true;
  std::vector<HotIndex::Touch> touches;
  for (const std::string& key : keys) touches.push_back({.role = role, .key = key});
  HotIndex::Commit commit(rows_->index, touches);
  Batch batch;
  for (const std::string& key : keys) {
    if (commit.Current(role, key).presence != Presence::kNothing) continue;
    if (!rows_->IsStillRight(role, key, moment.through, moment.departures)) {
      if (rows_->departures.load(std::memory_order_seq_cst) == moment.departures) continue;
      ++load_->retries;
      return false;
    }
    batch.Delete({.role = role}, key);
  }
  if (batch.empty()) return true;
  MAYFLY_RETURN_IF_ERROR(CheckRoom(batch));
  MAYFLY_TRY(const Sequence sequence, AppendToLog(commit, batch));
  ApplyAndPublish(commit, batch, {}, sequence);
  return true;
}

}  // namespace mayfly::engine::hot

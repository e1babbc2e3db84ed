// version_plan.h - changes of one key where the largest timestamp wins.
// A write is either the newest of its key or late. The newest write becomes the row, or the marker
// if it is a delete or is dead; the write it overtakes goes into the history, for as long as reads
// of the past may ask for it. A late write goes straight into the history, or nowhere. A row that
// dies leaves a marker with its timestamp: it was the newest write, and no older one may come back.
#pragma once

#include "core/commit/commit_plan.h"
#include "core/commit/key_state.h"

namespace mayfly::core {

// The marker of a key whose newest write left no row.
VersionView MarkerOf(const KeyspacePolicy& policy, WallTime timestamp);

// How long after its end a part of a row may be kept on purpose: its key, so that a late write does
// not bring it back, and its value, for reads of the past. Millis::max(): for ever.
Millis KeptBehind(const KeyspacePolicy& policy);

class VersionPlan {
 public:
  // All four must outlive this object.
  VersionPlan(CommitPlan& plan, KeyspaceState& keyspace, Bytes key, const KeyState& key_state)
      : plan_(plan), keyspace_(keyspace), key_(key), key_state_(key_state) {}

  // The newest write: at or after key_state.newest().
  void Put(const RowView& fresh);
  void Delete(WallTime timestamp);

  // A late write, overtaken at `overtaken_at` at the latest. `same` is the stored version with the
  // same timestamp, if there is one.
  void PutLate(const VersionView& version, WallTime overtaken_at, const VersionView* same);

  // Writes a row of a backup, where nothing is stored of the key; its marker if it has died since.
  void Restore(const RowView& row);

  // Removes the stored row, which is dead.
  void Purge(EventCause cause);

  // Until when a write that was overtaken then can be read. Nothing: it cannot any more.
  std::optional<WallTime> KeptUntil(WallTime overtaken_at) const;

 private:
  Stripe stripe() const;
  void Retire(WallTime overtaken_at);
  void Mark(WallTime timestamp);

  CommitPlan& plan_;
  KeyspaceState& keyspace_;
  const Bytes key_;
  const KeyState& key_state_;
};

}  // namespace mayfly::core

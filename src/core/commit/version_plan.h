// version_plan.h - changes of one key where the largest timestamp wins.
// A write is either the last word on its key or comes late. The last word becomes the row, or the
// marker when it is a delete or is dead; what it overtakes goes into the history, for as long as
// somebody may ask for it. What comes late goes straight into the history, or nowhere. A row that
// dies leaves a marker with its timestamp: it was the last word, and nothing older may come back.
#pragma once

#include "core/commit/commit_plan.h"
#include "core/commit/key_state.h"

namespace mayfly::core {

// What is kept of a key whose last word left no row.
VersionView MarkerOf(const KeyspacePolicy& policy, WallTime timestamp);

// How long after its end something of a row may be kept on purpose: its key, so that a late write
// does not bring it back, and its value, for whoever asks for the past. Millis::max(): for ever.
Millis KeptBehind(const KeyspacePolicy& policy);

class VersionPlan {
 public:
  // All four must outlive the plan.
  VersionPlan(CommitPlan& plan, KeyspaceState& keyspace, Bytes key, const KeyState& key_state)
      : plan_(plan), keyspace_(keyspace), key_(key), key_state_(key_state) {}

  // The last word: at or after key_state.newest().
  void Put(const RowView& fresh);
  void Delete(WallTime timestamp);

  // One that comes late, overtaken at `overtaken_at` at the latest. `same` is the version that is
  // stored with its timestamp, if there is one.
  void PutLate(const VersionView& version, WallTime overtaken_at, const VersionView* same);

  // A row from elsewhere, where nothing is known of the key. If it died on the way, its marker.
  void Restore(const RowView& row);

  // The stored row, which is dead, goes.
  void Purge(EventCause cause);

  // How long somebody may ask for what was overtaken then. Nothing: nobody can any more.
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

// key_state.h - the stored row or marker of one key, in one state of the engine.
#pragma once

#include <optional>

#include "core/layout/liveness.h"
#include "core/layout/row_codec.h"
#include "core/layout/version_codec.h"
#include "mayfly/clock.h"
#include "mayfly/pinned_bytes.h"

namespace mayfly::core {

// The views point into `pin`, so a KeyState must not be moved after it was filled.
struct KeyState {
  PinnedBytes pin;
  std::optional<RowView> stored;      // The row, dead or not.
  std::optional<VersionView> marker;  // If there is no row, and only where order is by timestamp.

  // The row, if it lives.
  const RowView* Living(WallTime now) const {
    return stored && !IsDead(stored->deadline, now) ? &*stored : nullptr;
  }

  // The timestamp of the key's newest write; nothing when there was none, or order is by arrival.
  std::optional<WallTime> newest() const {
    if (stored) return stored->timestamp;
    return marker ? marker->row.timestamp : std::nullopt;
  }
};

}  // namespace mayfly::core

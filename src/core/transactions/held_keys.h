// held_keys.h - the gates and latches that a transaction holds: alone for keys it may change,
// shared with other readers for the rest. Lock order: ARCHITECTURE.md.
#pragma once

#include <memory>
#include <optional>
#include <shared_mutex>
#include <span>
#include <vector>

#include "core/store/store.h"

namespace mayfly::core {

class HeldKeys {
 public:
  // A stripe to latch.
  struct Target {
    KeyspaceState* keyspace;
    Stripe stripe;
    bool writes = true;  // False: the stripe is shared with other readers.
  };

  // The store must outlive this object.
  explicit HeldKeys(Store& store) : store_(store) {}

  // Waits for the gates and latches. Call one of them, once. Invalid when a keyspace was dropped.
  Status Hold(std::span<const Target> targets);
  Status HoldEverything();

  void Release();

  bool everything() const { return everything_; }
  bool HoldsGate(const KeyspaceState& keyspace) const;
  bool Holds(Stripe stripe) const { return alone_[stripe] || shared_[stripe]; }
  bool HoldsAlone(Stripe stripe) const { return alone_[stripe]; }

 private:
  Status HoldGate(KeyspaceState& keyspace);
  Status HoldGates(std::vector<KeyspaceState*> keyspaces);

  Store& store_;
  bool everything_ = false;

  // Released in reverse: latches first. Most latched transactions have one key of one keyspace, and
  // allocate nothing here.
  std::vector<std::shared_ptr<KeyspaceState>> kept_;  // With everything; the catalog's too.
  const KeyspaceState* only_ = nullptr;               // The keyspace whose gate is held, if one,
  std::shared_lock<KeyspaceState::Gate> only_gate_;
  std::vector<KeyspaceState*> keyspaces_;  // or several, by id.
  std::vector<std::shared_lock<KeyspaceState::Gate>> gates_;
  KeyLatches::Stripes alone_;
  KeyLatches::Stripes shared_;  // Unless they are among alone_.
  KeyLatches::One latch_;       // For a transaction that needs one latch,
  KeyLatches::Shared shared_latch_;
  std::optional<KeyLatches::Many> latches_;  // or several.
};

}  // namespace mayfly::core

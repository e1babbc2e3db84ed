// memory_cursor.h - a cursor over one role of the memory engine, at one frozen state.
// It is on a node of the map and shows the node's own key and value: both stay until the frozen
// state is released (memory_map.h, invariant 4). The lock is held only while moving.
#pragma once

#include <atomic>
#include <cstdint>
#include <string>

#include "engine/cursor.h"
#include "engine/engine.h"
#include "engine/memory/memory_map.h"
#include "engine/memory/memory_store.h"

namespace mayfly::engine {

class MemoryCursor final : public Cursor {
 public:
  // At the present state, or at the state of `frozen`, if given.
  MemoryCursor(MemoryStore& store, Role role, const KeyRange& range,
               const MemoryStore::FrozenState* frozen, std::atomic<std::uint64_t>& open_cursors);

  Status status() const override { return is_owner() ? Status() : OwnerProcess::Refusal(); }

 private:
  using Node = MemoryMap::ConstNode;

  void DoSeekToFirst() override { DoSeekAtOrAfter(begin_); }
  void DoSeekToLast() override;
  void DoSeekAtOrAfter(Bytes target) override;
  void DoSeekAtOrBefore(Bytes target) override;
  void DoNext() override;
  void DoPrev() override;

  // Move to the first visible node from `node` on, or the last before it. With the lock held.
  void StandAtOrAfter(Node node);
  void StandBefore(Node node);
  bool StandOn(Node node);  // False, and no move, when the node is not visible.

  const HandleTicket ticket_;  // First, so that it is destroyed last.
  const MemoryStore& store_;
  const MemoryMap& map_;
  const std::string begin_;
  const std::string end_;  // Empty: no bound.
  const MemoryStore::FrozenState frozen_;
  Node node_;  // Only when Valid().
};

}  // namespace mayfly::engine

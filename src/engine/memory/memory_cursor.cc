#include "engine/memory/memory_cursor.h"

#include <algorithm>
#include <iterator>

namespace mayfly::engine {

MemoryCursor::MemoryCursor(MemoryStore& store, Role role, const KeyRange& range,
                           const MemoryStore::FrozenState* frozen,
                           std::atomic<std::uint64_t>& open_cursors)
    : ticket_(open_cursors),
      store_(store),
      map_(store_.map(role)),
      begin_(range.begin),
      end_(range.end),
      frozen_(frozen ? MemoryStore::FrozenState(store, *frozen) : MemoryStore::FrozenState(store)) {
}

void MemoryCursor::DoSeekToLast() {
  const auto lock = store_.LockToRead();
  StandBefore(end_.empty() ? map_.chains().end() : map_.chains().lower_bound(end_));
}

void MemoryCursor::DoSeekAtOrAfter(Bytes target) {
  const auto lock = store_.LockToRead();
  StandAtOrAfter(map_.chains().lower_bound(std::max(target, Bytes(begin_))));
}

void MemoryCursor::DoSeekAtOrBefore(Bytes target) {
  if (!end_.empty() && target >= end_) return DoSeekToLast();
  const auto lock = store_.LockToRead();
  StandBefore(map_.chains().upper_bound(target));
}

void MemoryCursor::DoNext() {
  const auto lock = store_.LockToRead();
  StandAtOrAfter(std::next(node_));
}

void MemoryCursor::DoPrev() {
  const auto lock = store_.LockToRead();
  StandBefore(node_);
}

void MemoryCursor::StandAtOrAfter(Node node) {
  for (; node != map_.chains().end() && (end_.empty() || node->first < end_); ++node) {
    if (StandOn(node)) return;
  }
  Hide();
}

void MemoryCursor::StandBefore(Node node) {
  while (node != map_.chains().begin()) {
    --node;
    if (node->first < begin_) break;
    if (StandOn(node)) return;
  }
  Hide();
}

bool MemoryCursor::StandOn(Node node) {
  const Value value = node->second.At(frozen_.sequence());
  if (!value) return false;
  node_ = node;
  Show(node->first, *value);
  return true;
}

}  // namespace mayfly::engine

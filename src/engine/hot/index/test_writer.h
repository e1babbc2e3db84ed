// test_writer.h - what the engine will do around an index, for tests and benchmarks: takes
// sequences under the row locks, applies and publishes.
#pragma once

#include <atomic>
#include <span>
#include <vector>

#include "engine/hot/index/hot_index.h"

namespace mayfly::engine::hot {

class TestWriter {
 public:
  explicit TestWriter(HotIndex& index) : index_(index), last_(index.visible()) {}

  Sequence Take() { return last_.fetch_add(1) + 1; }

  Sequence Write(std::span<const HotChange> changes) {
    std::vector<HotIndex::Touch> touches;
    touches.reserve(changes.size());
    for (const HotChange& change : changes) {
      touches.push_back({.role = change.role,
                         .key = change.key,
                         .all = change.kind == HotChange::Kind::kDeleteRange});
    }
    return WriteTouched(touches, changes);
  }

  Sequence WriteTouched(std::span<const HotIndex::Touch> touches,
                        std::span<const HotChange> changes) {
    HotIndex::Commit commit(index_, touches);
    const Sequence sequence = Take();
    commit.Apply(sequence, changes);
    commit.Publish(sequence);
    return sequence;
  }

  Sequence WriteOne(const HotChange& change) {
    const HotIndex::Touch touch{.role = change.role,
                                .key = change.key,
                                .all = change.kind == HotChange::Kind::kDeleteRange};
    return WriteTouched({&touch, 1}, {&change, 1});
  }

  Sequence Put(Bytes key, Bytes value, Flags flags = kDirty) {
    return WriteOne({.flags = flags, .key = key, .value = value});
  }
  Sequence Delete(Bytes key, Flags flags = kDirty) {
    return WriteOne({.kind = HotChange::Kind::kDelete, .flags = flags, .key = key, .value = {}});
  }
  Sequence DeleteRange(Bytes begin, Bytes end) {
    return WriteOne({.kind = HotChange::Kind::kDeleteRange, .key = begin, .value = end});
  }

 private:
  HotIndex& index_;
  std::atomic<Sequence> last_;
};

// A small index: tests need no 64 GiB of addresses.
inline HotIndexOptions TestOptions(std::size_t bytes = std::size_t{1} << 30) {
  return {.bytes_max = bytes, .huge_pages = false, .count_uses = true, .visible = 0};
}

}  // namespace mayfly::engine::hot

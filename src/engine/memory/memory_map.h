// memory_map.h - the keys of one role, each with the versions that an open state may still see.
// Old versions are kept only for open states (snapshots and cursors). They stand in a queue, in the
// order of the commits that replaced them, so that pruning costs in proportion to what it frees.
// Invariants:
// (1) A version newer than every open state is rewritten in place: a key has at most one version
//     more than the states opened since the oldest open one.
// (2) A key has one queue entry per version but its newest, oldest first.
// (3) A key whose only version is "deleted" is not in the map.
// (4) From (1) to (3): the node and the value that an open state sees stay where they are until the
//     state closes, so a cursor may point at them without the lock.
// Threads: guarded by the lock of its store.
#pragma once

#include <cstddef>
#include <deque>
#include <functional>
#include <map>
#include <string>

#include "engine/key_range.h"
#include "engine/memory/version_chain.h"
#include "mayfly/bytes.h"

namespace mayfly::engine {

class MemoryMap {
 public:
  using Chains = std::map<std::string, VersionChain, std::less<>>;
  using ConstNode = Chains::const_iterator;

  // A commit under way, and the newest open state, 0 when there is none.
  struct Moment {
    Sequence commit;
    Sequence newest_open;
  };

  const Chains& chains() const { return chains_; }

  // The value of `key` at `state`; null when it was absent then.
  Value Find(Bytes key, Sequence state) const;

  // Sets the value of `key`. Null: deletes it.
  void Write(Bytes key, Value value, Moment moment);

  // Deletes the keys in [begin, end).
  void DeleteRange(Bytes begin, Bytes end, Moment moment);

  // Removes every version that no state from `oldest_open` on sees.
  void Prune(Sequence oldest_open);

  // Removes everything; no state may be open.
  void Clear();

  // Keys, values and their overhead; an estimate.
  std::size_t memory_bytes() const { return memory_bytes_; }

  // Versions kept only for open states.
  std::size_t obsolete_versions() const { return obsolete_.size(); }

 private:
  using Node = Chains::iterator;

  struct Obsolete {
    Sequence replaced_at;
    Node node;
  };

  void Overwrite(Node node, Value value, Moment moment);
  void Erase(Node node);

  Chains chains_;
  std::deque<Obsolete> obsolete_;  // By replaced_at.
  std::size_t memory_bytes_ = 0;
};

}  // namespace mayfly::engine

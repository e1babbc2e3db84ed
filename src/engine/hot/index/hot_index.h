// hot_index.h - ordered maps of bytes in memory, one per role, with versions: the part of the
// memory-first engine that knows neither a log nor files.
//
//   Commit commit(index, touches);            // locks rows, present or absent, in a fixed order
//   commit.Current(role, key)                 // conditions
//   ... take a sequence and a place in the log ...
//   commit.Apply(sequence, changes);          // not visible yet
//   commit.Publish(sequence);                 // visible, in the order of sequences; unlocks
//
// Invariants: (1) The changes of one sequence become visible together. (2) An open state and its
// cursors show what was visible when it was opened. (3) Readers take no lock: they copy and compare
// versions. A reader of the newest state that meets an unpublished change of a small commit waits
// for its publication. (4) Old versions are kept for open states alone.
// Sequences are dense: each one is published once, also if nothing is applied under it.
// Threads: every call from any thread. A thread in a Commit opens no state and begins no other.
#pragma once

#include <array>
#include <boost/container/small_vector.hpp>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/function_ref.h"
#include "base/latch.h"
#include "base/sparse_bits.h"
#include "engine/address.h"
#include "engine/hot/index/limits.h"
#include "engine/hot/index/newcomers.h"
#include "engine/hot/index/open_states.h"
#include "engine/hot/index/role_map.h"
#include "engine/hot/index/row_reader.h"
#include "engine/hot/index/slab_arena.h"
#include "engine/hot/index/tree_node.h"
#include "engine/hot/index/use_counts.h"
#include "mayfly/bytes.h"

namespace mayfly::engine::hot {

struct HotIndexOptions {
  // Addresses to reserve for rows: at most 64 GiB. Memory is used as rows come.
  std::size_t bytes_max = kArenaBytesMax;
  bool huge_pages = true;           // Ask for 2 MiB pages.
  bool count_uses = false;          // For eviction; costs memory of a 256th of bytes_max.
  std::size_t missed_keys_max = 0;  // Keys that Admit() remembers; four bytes each.
  Sequence visible = 0;             // Where sequences go on.
};

// What a lookup found.
enum class Presence {
  kValue,
  kDeleted,  // A tombstone: the key is absent, whatever the cold store has.
  kNothing,  // The index does not know the key in this state.
};

struct HotChange {
  enum class Kind : std::uint8_t { kPut, kDelete, kDeleteRange };
  Kind kind = Kind::kPut;
  Role role = Role::kRows;
  Flags flags = kDirty;  // kDirty, kOverCold, kPromised, kNewcomer; kNotInCold of deletes.
  Bytes key;
  Bytes value;             // The end of the range, exclusive, for kDeleteRange.
  std::uint64_t hash = 0;  // HotIndex::HashOf(role, key); 0: not known.
};

struct HotMemory {
  std::size_t rows = 0;        // Tombstones included.
  std::size_t used_bytes = 0;  // Blocks of rows and versions, nodes, buckets.
  std::size_t held_bytes = 0;  // The same with the free room in slabs.
  // The same with slabs and nodes that are free, and with what the eviction knows: memory that the
  // process has from the system.
  std::size_t taken_bytes = 0;
  std::size_t slack_bytes = 0;  // Of these, what may be free in slabs and cannot be helped.
  std::size_t retired = 0;      // Rows that wait to be looked at by Reclaim().
};

class HotIndex {
 public:
  // A row that a commit reads or changes. `all`: every row of all roles, for range deletes.
  struct Touch {
    Role role = Role::kRows;
    Bytes key;
    bool all = false;
    std::uint64_t hash = 0;  // As in HotChange.
  };

  // The newest version of a row, for the holder of its lock, while it is held.
  struct CurrentRow {
    Presence presence = Presence::kNothing;
    Bytes value;
    Sequence sequence = 0;
    Flags flags = 0;
  };

  class Commit;

  // Of a key, for who needs it more than once.
  std::uint64_t HashOf(Role role, Bytes key) const { return map(role).Hash(key); }

  // The bytes_max that the process has addresses for: `wanted`, or less. On a machine with less
  // memory than 32 GiB no more than these, so that blocks are finer.
  static std::size_t ReservableBytes(std::size_t wanted);

  // Ends the process if there are no addresses for it.
  explicit HotIndex(const HotIndexOptions& options = {});
  ~HotIndex();
  HotIndex(const HotIndex&) = delete;
  HotIndex& operator=(const HotIndex&) = delete;

  // Reads `key` as it is visible now, or in an open state. `value` is overwritten.
  Presence Get(Role role, Bytes key, std::string& value) const;
  Presence Get(Role role, Bytes key, Sequence open_state, std::string& value) const;

  // Fetches buckets and rows of these keys into the processor's cache.
  void Prefetch(Role role, std::span<const Bytes> keys) const;

  // Opens the state that is visible now. Waits for commits under way, unless the same state is open
  // already.
  Sequence OpenState() const { return states_.Open(); }
  void OpenStateAgain(Sequence state) const { states_.OpenAgain(state); }
  void CloseState(Sequence state) const { states_.Close(state); }
  std::size_t open_states() const { return states_.open_count(); }

  Sequence visible() const { return states_.visible(); }

  // Gives back versions and tombstones that nobody needs any more, of at most `rows_max` retired
  // rows. Returns how many it looked at. Commits do some of it; call it after closing a state.
  std::size_t Reclaim(std::size_t rows_max);

  // True if this version is the newest of its row, and no delete.
  bool IsNewest(Role role, Bytes key, Sequence sequence) const;

  // For the fold, before this version of the row goes to the cold store: its flags, if it is the
  // newest and dirty. A later delete leaves a tombstone from here on.
  std::optional<Flags> BeginFold(Role role, Bytes key, Sequence sequence);

  // For the fold, after the cold store has this version of the row: the row is clean, or a
  // tombstone is not needed any more. False when the row has changed since.
  bool MarkClean(Role role, Bytes key, Sequence sequence);

  // Adds a clean row from the cold store, as of `sequence`. False when the key is known already, or
  // when `is_still_right`, called with the row's lock, says so.
  bool Admit(Role role, Bytes key, Bytes value, Sequence sequence, Flags flags,
             FunctionRef<bool()> is_still_right);
  bool Admit(Role role, Bytes key, Bytes value, Sequence sequence, Flags flags = 0) {
    return Admit(role, key, value, sequence, flags, [] { return true; });
  }

  // Removes a clean row. False when it is dirty, deleted, out of bounds, or has older versions.
  bool Evict(Role role, Bytes key, const EvictionBounds& bounds = {});

  // True if the key was looked for in vain lately: it is worth to be admitted.
  bool WasMissed(Role role, Bytes key) const;

  // Evicts the oldest newcomers, of up to `rows_max`, unless they were read. Calls
  // `before_eviction` before each. Returns how many are gone.
  std::size_t EvictNewcomers(std::size_t rows_max, const EvictionBounds& bounds,
                             FunctionRef<void()> before_eviction);
  std::size_t newcomers() const { return newcomers_.size(); }

  struct Evicted {
    std::size_t asked = 0;  // Clean rows that were no newcomers.
    std::size_t gone = 0;   // Of these.
  };

  // Evicts clean rows that are no newcomers and were not read for some turns of the hand, of up to
  // `rows_max` rows, or a leaf, from the key `from` on. Sets `from` to where to go on; empty: the end
  // was reached. The rest as above.
  Evicted EvictUnused(Role role, std::string& from, std::size_t rows_max,
                      const EvictionBounds& bounds, FunctionRef<void()> before_eviction);

  // Empties the slab that is used least, if it is used by less than four fifths: rows that were not
  // read leave memory, others move. False when there is no such slab, or something in it does not move.
  bool EmptySlab(const EvictionBounds& bounds, FunctionRef<void()> before_eviction);

  // Gives the memory of free slabs back to the system.
  void GiveBackFreeSlabs() { arena_.GiveBackFree(); }

  // The newest state that is open; 0: none. While no state is being opened.
  Sequence newest_open_state() const;

  // True if the bytes are in a row, an older version, a separator, or a block that was given back.
  bool Contains(Bytes needle) const { return arena_.Contains(needle); }

  // How often the row was read, up to UseCounts::kMax, for the choice of what to evict.
  unsigned UseOf(Role role, Bytes key) const;
  void ClearUse(Role role, Bytes key);

  // False when rows of so many bytes might not fit. Ask before a commit is logged: Apply() ends the
  // process when there is no memory.
  bool HasRoomFor(std::size_t rows, std::size_t bytes) const;

  HotMemory memory() const;

  // For cursors.
  const SlabArena& arena() const { return arena_; }
  const RoleMap& map(Role role) const { return *maps_[static_cast<std::size_t>(role)]; }
  const OpenStates& states() const { return states_; }

 private:
  struct Retired {
    Sequence sequence;
    std::uint64_t hash;
    Role role;
  };

  RoleMap& map(Role role) { return *maps_[static_cast<std::size_t>(role)]; }
  std::size_t StripeOf(Role role, std::uint64_t hash) const {
    return ((hash >> 40) + static_cast<std::size_t>(role) * 131) % kStripeCount;
  }
  Latch& StripeMutex(Role role, std::uint64_t hash) { return stripes_[StripeOf(role, hash)]; }
  Presence Read(Role role, Bytes key, Sequence state, bool is_open, std::string& value) const;
  void Retire(Sequence sequence, std::span<const RetiredRow> rows);
  bool EvictNewcomer(Newcomers::One one, const EvictionBounds& bounds,
                     FunctionRef<void()> before_eviction);
  void EmptyBlock(Handle block, std::size_t block_bytes, const EvictionBounds& bounds,
                  FunctionRef<void()> before_eviction);

  const HotIndexOptions options_;
  mutable SlabArena arena_;
  NodePool nodes_;
  mutable OpenStates states_;
  const RowReader reader_;
  mutable UseCounts uses_;
  mutable Newcomers newcomers_;
  std::array<std::unique_ptr<RoleMap>, kRoleCount> maps_;
  std::array<Latch, kStripeCount> stripes_;

  mutable std::mutex retired_mutex_;
  std::deque<Retired> retired_;  // About in the order of sequences.
  std::atomic<std::size_t> retired_count_{0};
};

// Changes rows under their locks. Without Apply() and Publish() it changes nothing. See above.
class HotIndex::Commit {
 public:
  Commit(HotIndex& index, std::span<const Touch> touches);
  ~Commit();
  Commit(const Commit&) = delete;
  Commit& operator=(const Commit&) = delete;

  // Only for touched rows.
  CurrentRow Current(Role role, Bytes key) const;

  // Once; only touched rows, in order: the last change of a row wins.
  void Apply(Sequence sequence, std::span<const HotChange> changes);

  // Once, also without Apply(), for a sequence that was taken in vain. Returns when it is visible.
  void Publish(Sequence sequence);

 private:
  void Unlock();
  bool PruneOwn(Sequence sequence);

  HotIndex& index_;
  SparseBits<kStripeCount> stripes_;
  std::optional<std::size_t> ticket_;
  RetiredRows retired_;
  bool applied_ = false;
};

}  // namespace mayfly::engine::hot

// role_map.h - the rows of one role: table, tree, and the changes of rows.
// A change replaces the newest version in place. What it replaces is copied to a version block only
// if an open state needs it (open_states.h), or if the commit is so large that readers must not
// wait for it. A deleted row stays as a tombstone until Prune() finds that nobody needs it.
// Threads: changes with the lock of the row; reads from any thread.
#pragma once

#include <boost/container/small_vector.hpp>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "engine/address.h"
#include "engine/hot/index/open_states.h"
#include "engine/hot/index/row.h"
#include "engine/hot/index/row_reader.h"
#include "engine/hot/index/row_table.h"
#include "engine/hot/index/row_tree.h"
#include "engine/hot/index/slab_arena.h"
#include "mayfly/bytes.h"

namespace mayfly::engine::hot {

// Rows that a commit has deleted, or left older versions of.
struct RetiredRow {
  std::uint64_t hash;
  Handle row;  // Where it was then.
  Role role;
};
struct RetiredRows {
  boost::container::small_vector<RetiredRow, 16> rows;
  bool changed_again = false;  // By the same commit: some may be gone, moved, or here twice.
};

class RoleMap {
 public:
  // A commit under way.
  struct Moment {
    Sequence sequence;
    Sequence needed_below;  // OpenStates::needed_below().
    bool keep_all;          // Keep what is replaced for readers of the newest state, too.
    Role role;
    RetiredRows& retired;  // Rows that Prune() has to look at later.
  };

  RoleMap(SlabArena& arena, NodePool& nodes, std::uint32_t number, std::uint64_t seed,
          std::size_t rows_max)
      : arena_(arena), seed_(seed), table_(arena, seed, rows_max), tree_(arena, nodes, number) {}

  const RowTable& table() const { return table_; }
  const RowTree& tree() const { return tree_; }
  std::uint64_t Hash(Bytes key) const { return HashOf(key, seed_); }

  // Sets the value of `key`; nothing: deletes it. `flags`: kDirty, kOverCold, kPromised, and
  // kNotInCold of deletes. A delete of an absent key leaves a tombstone only with kOverCold.
  void Write(const Moment& moment, Bytes key, std::uint64_t hash, std::optional<Bytes> value,
             Flags flags);

  // Deletes the rows in [begin, end), leaf by leaf. The caller has the locks of all rows.
  void DeleteRange(const Moment& moment, Bytes begin, Bytes end, Flags flags);

  // Frees what nobody needs of the rows with this hash.
  void Prune(std::uint64_t hash, Sequence horizon);

  // The same for a row that has not moved.
  void PruneRow(Handle row, std::uint64_t hash, Sequence horizon);

  // Changes flags of the row, if it still has this sequence. False when it has not.
  bool ChangeFlags(Bytes key, std::uint64_t hash, Sequence sequence, Flags set, Flags clear);

  // Moves the row to another block. The caller has made sure that the arena chooses another.
  void Relocate(Handle row, std::uint64_t hash);

  // Removes a row that is clean, living, within bounds, and without older versions.
  bool Evict(Bytes key, std::uint64_t hash, const EvictionBounds& bounds);

 private:
  struct NewValue {
    Bytes inline_bytes;  // The value, or the handle below.
    Handle external = 0;
    std::uint32_t size = 0;
  };

  void Insert(const Moment& moment, Bytes key, std::uint64_t hash, std::optional<Bytes> value,
              Flags flags);
  void Overwrite(const Moment& moment, Handle row, Bytes key, std::uint64_t hash,
                 std::optional<Bytes> value, Flags flags);
  bool MarkDeleted(const Moment& moment, Handle row, Flags flags);
  void RewriteInPlace(Handle row, const NewValue& value, Handle older, std::uint64_t state);
  void Move(Handle row, Bytes key, std::uint64_t hash, const NewValue& value, Handle older,
            std::uint64_t state, std::size_t bytes);

  Handle MustAllocate(std::size_t bytes);
  NewValue Place(std::optional<Bytes> value, Handle& external);
  Handle KeepVersion(Handle row);
  Handle ExternalOf(Handle row) const;
  Handle OlderOf(Handle row) const;
  void FreeBlock(Handle block, bool wipe);
  void FreeChain(Handle version);
  void RemoveRow(Handle row, std::uint64_t hash);
  std::string KeyOf(Handle row) const;

  SlabArena& arena_;
  const std::uint64_t seed_;
  RowTable table_;
  RowTree tree_;
};

}  // namespace mayfly::engine::hot

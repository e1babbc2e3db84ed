// member_purge.h - removes dead members of collections, within one batch of a purge.
// When members of one collection die together, its row, with its counts, is read once and written
// once. A collection without members left is removed. A member whose collection was removed before
// belongs to an orphan; it is removed here because its entry is due, and the rest of the orphan
// stays queued.
#pragma once

#include <map>
#include <string>
#include <vector>

#include "core/layout/collection_codec.h"
#include "core/store/store.h"

namespace mayfly::core {

// Finds the latches of due members: those of their collections' keys. Collections can move to other
// keys, so the result must be checked again once the latch is held.
class MemberStripes {
 public:
  MemberStripes(const Store& store, const KeyspaceState& keyspace)
      : store_(store), keyspace_(keyspace) {}

  // The member's key is given without the keyspace.
  Result<Stripe> Of(Bytes member_key);

 private:
  const Store& store_;
  const KeyspaceState& keyspace_;
  // Members that die together mostly belong to one collection.
  std::optional<std::uint64_t> last_collection_;
  Stripe last_stripe_ = 0;
};

class MemberPurge {
 public:
  // Used under the latches of all keys. The arguments must outlive it. `deaths` gets the members
  // that are removed from their collections, and rows that are removed with members left; it may be
  // null.
  MemberPurge(Store& store, CommitPlan& plan, KeyspaceState& keyspace,
              std::vector<Death>* deaths = nullptr)
      : store_(store), plan_(plan), keyspace_(keyspace), deaths_(deaths) {}

  // Removes the member with this key, given without the keyspace, if it still has this deadline,
  // which has passed. False when it has another, or is gone.
  Result<bool> Remove(Bytes member_key, WallTime deadline);

  // Writes or removes the rows of the collections, after the last Remove(). Returns how many rows
  // were removed.
  Result<std::uint64_t> Finish();

 private:
  struct Touched {
    Touched(KeyspaceId keyspace, std::uint64_t collection_id) : keys(keyspace, collection_id) {}

    const PartKeys keys;
    std::string key;
    bool named = false;  // The key is known.
    Stripe stripe = 0;
    KeyState key_state;
    bool is_orphan = false;
    std::optional<WallTime> ended;  // Of an orphan, if its record was found.
    Collection collection;          // Else its new row.
    std::uint64_t removed = 0;
  };

  Result<Touched*> Touch(const PartKeyView& part);
  Status ReadOrphan(std::uint64_t collection_id, Touched& touched) const;
  Result<bool> FinishOne(Touched& touched);

  Store& store_;
  CommitPlan& plan_;
  KeyspaceState& keyspace_;
  std::vector<Death>* const deaths_;
  std::map<std::uint64_t, Touched> touched_;  // By collection id.
};

}  // namespace mayfly::core

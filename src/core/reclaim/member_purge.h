// member_purge.h - dead members of collections, within one batch of a purge.
// Members of one collection may die together: its row, with its counts, is then read once and
// written once. A collection with nothing left goes. A member whose collection went before is an
// orphan's; it goes here because its entry is due, and the rest of the orphan stays queued.
#pragma once

#include <map>
#include <string>

#include "core/layout/collection_codec.h"
#include "core/store/store.h"

namespace mayfly::core {

// The latches of members that are due: those of their collections' keys. Collections get other
// keys, so an answer holds only once that latch is held.
class MemberStripes {
 public:
  MemberStripes(const Store& store, const KeyspaceState& keyspace)
      : store_(store), keyspace_(keyspace) {}

  // The member's key is given without the keyspace.
  Result<Stripe> Of(Bytes member_key);

 private:
  const Store& store_;
  const KeyspaceState& keyspace_;
  // Members that die together mostly are of one collection.
  std::optional<std::uint64_t> last_collection_;
  Stripe last_stripe_ = 0;
};

class MemberPurge {
 public:
  // Under the latches of all keys; both outlive it.
  MemberPurge(Store& store, CommitPlan& plan, KeyspaceState& keyspace)
      : store_(store), plan_(plan), keyspace_(keyspace) {}

  // Removes the member with this key, given without the keyspace, if it still has the deadline,
  // which has passed. False when it has not.
  Result<bool> Remove(Bytes member_key, WallTime deadline);

  // After the last of them: what becomes of the collections. Returns how many rows went.
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
    Collection collection;          // Else what its row will say.
    std::uint64_t removed = 0;
  };

  Result<Touched*> Touch(const PartKeyView& part);
  Status ReadOrphan(std::uint64_t collection_id, Touched& touched) const;
  Result<bool> FinishOne(Touched& touched);

  Store& store_;
  CommitPlan& plan_;
  KeyspaceState& keyspace_;
  std::map<std::uint64_t, Touched> touched_;  // By version.
};

}  // namespace mayfly::core

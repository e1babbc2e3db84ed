// commit_group.h - commits that go to the store as one write.
// Batches are added in the order in which they take effect. Each one's conditions are checked
// against the rows in memory and the batches before it, so the group needs no condition of its own,
// and a batch whose conditions do not hold leaves no trace in it. Of several changes of one key the
// last one stays. Deletes name keys that exist, so a range costs what it holds.
// The group points into the batches: they must outlive it.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "engine/batch.h"
#include "engine/cluster/objects/object_store.h"
#include "engine/cluster/shard/large_values.h"
#include "engine/cluster/shard/shard_state.h"

namespace mayfly::engine::cluster {

class CommitGroup {
 public:
  CommitGroup(const ShardState& state, LargeValues& large) : state_(state), large_(large) {}

  // Whether one more batch fits; always true of the first one.
  bool HasRoomFor(const Batch& batch) const;

  // True: the batch is in the group. False: a condition does not hold, the one with this number.
  // An error: the rows could not be read; nothing was added.
  struct Added {
    bool done = true;
    std::size_t broken = 0;
  };
  Result<Added> Add(const Batch& batch);

  // Values to be stored in objects of their own, before the write.
  struct NewLarge {
    LargeValue large;
    Bytes value;
  };
  std::vector<NewLarge> AssignLarge();

  // The write of all changes. After AssignLarge().
  MapWrite ToWrite() const;

  // What changes in memory when the write has happened, in the order of slots.
  std::vector<KeyChange> changes() const;

  // Tells the large values which rows have which, and returns those that no row has any more.
  std::vector<LargeValue> SettleLarge();

 private:
  struct Pending {
    Address at;
    std::optional<Bytes> value = std::nullopt;  // The key is deleted.
    std::optional<LargeValue> large = std::nullopt;
  };

  Result<bool> Holds(const Batch::Condition& condition) const;
  Result<bool> Exists(Address at, Bytes key) const;
  Status AddRange(const Batch::Change& change);
  Status AddDelete(Address at, Bytes key);
  Address Normal(Address at) const { return {.role = at.role, .slot = state_.Place(at.slot)}; }

  const ShardState& state_;
  LargeValues& large_;
  std::map<std::string, Pending> pending_;  // By the row's key in the map.
  std::size_t batches_ = 0;
  std::size_t bytes_ = 0;
  std::size_t changes_ = 0;
};

}  // namespace mayfly::engine::cluster

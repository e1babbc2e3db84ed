// large_values.h - the values of a shard that lie in objects of their own.
// Knows which rows have one, gives out ids, writes, reads and removes the objects. Announcements
// and rows are keys of the shard's map, which the caller writes: before the objects, and after
// them.
// Threads: one at a time, except that Remove() finishes in the background.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "engine/cluster/objects/object_store.h"
#include "engine/cluster/shard/limits.h"
#include "engine/cluster/shard/shard_layout.h"

namespace mayfly::engine::cluster {

class LargeValues {
 public:
  // New ids carry `epoch`. `store` must outlive this.
  LargeValues(ObjectStore& store, std::string shard_object, std::uint64_t epoch);

  // Ids from here on differ from all that were given out before the shard's write `sequence`, also
  // under the same epoch. Before New().
  void BeginAt(std::uint64_t sequence) { last_number_ = sequence * kLargeValuesPerWriteMax; }

  LargeValue New(std::uint64_t size) { return {.id = {epoch_, ++last_number_}, .size = size}; }

  // Ok when all parts are stored. Busy: unknown, some may be.
  Status Store(const LargeValue& large, Bytes value);

  // Corruption when parts are missing or their size is another.
  Result<std::string> Load(const LargeValue& large);

  // Removes the objects. When they are gone, the announcement may go: see TakeRemoved().
  void Remove(const LargeId& id, std::uint64_t parts);

  // The ids whose objects are gone since the last call.
  std::vector<LargeId> TakeRemoved();

  // Which row, by its key in the map, has which value. Null: the row has none, or is not there.
  const LargeValue* Find(const std::string& row) const;
  void Set(const std::string& row, const LargeValue& large) { rows_[row] = large; }
  void Erase(const std::string& row) { rows_.erase(row); }

 private:
  // Outlives this, for replies that come later.
  struct Removed {
    std::mutex mutex;
    std::vector<LargeId> ids;  // Guarded by mutex.
  };

  ObjectStore& store_;
  const std::string shard_object_;
  const std::uint64_t epoch_;
  std::uint64_t last_number_ = 0;
  std::map<std::string, LargeValue> rows_;
  const std::shared_ptr<Removed> removed_ = std::make_shared<Removed>();
};

}  // namespace mayfly::engine::cluster

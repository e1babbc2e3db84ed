// engine_store.h - mayfly's engines as the benchmarks call them.
// RawRocks in raw_rocks.h has the same members; the benchmarks are templates over the two, so that
// a loop makes the calls it measures directly.
#pragma once

#include <cstddef>
#include <memory>
#include <string>

#include "dataset.h"
#include "engine/engine.h"
#include "must.h"

namespace mayfly::bench {

enum class Direction { kForward, kReverse };

class EngineStore {
 public:
  // What one thread keeps from call to call.
  struct Session {
    PinnedBytes value;
    engine::Batch batch;
  };

  // False when the row does not exist.
  bool Get(Session& session, Bytes key) const {
    const Status status = engine_->Get(kRows, key, session.value);
    if (!status.ok() && !status.IsNotFound()) Must(status);
    return status.ok();
  }

  void Put(Session& session, Bytes key, Bytes value, Durability durability) {
    session.batch.Clear();
    session.batch.Put(kRows, key, value);
    Must(engine_->Commit(session.batch, durability));
  }

  // One batch of `count` rows of the dataset, from number `first`, with the values of `salt` later.
  void PutMany(Session& session, const Dataset& data, std::size_t first, std::size_t count,
               std::size_t salt, Durability durability) {
    session.batch.Clear();
    for (std::size_t i = first; i < first + count; ++i) {
      session.batch.Put(kRows, data.key(i), data.value(i + salt));
    }
    Must(engine_->Commit(session.batch, durability));
  }

  // Reads `rows` rows from `start`, wrapping around at the end. Returns the bytes read.
  std::size_t Scan(Bytes start, std::size_t rows, Direction direction) const;

  // Brings the rows into their final order on disk.
  void Compact() { Must(engine_->Compact(engine::Role::kRows)); }

 protected:
  explicit EngineStore(std::unique_ptr<engine::Engine> engine) : engine_(std::move(engine)) {}

 private:
  static constexpr engine::Address kRows{.role = engine::Role::kRows};

  std::unique_ptr<engine::Engine> engine_;
};

struct MemoryStore : EngineStore {
  static constexpr const char* kName = "memory";
  explicit MemoryStore(const std::string& directory);  // Not used.
};

struct RocksStore : EngineStore {
  static constexpr const char* kName = "rocks";
  explicit RocksStore(const std::string& directory);  // Made if missing.
};

}  // namespace mayfly::bench

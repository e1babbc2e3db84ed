// core_store.h - a TTL database for benchmarks, loaded with known rows, on an engine they can reach
// as well. Half of the rows live for ever. The other half are mortal; the first of these,
// `dead_rows` of them, die together after an hour, a millisecond apart and in the order of their
// numbers, the rest after ten hours.
#pragma once

#include <cstddef>
#include <memory>
#include <string>

#include "dataset.h"
#include "engine/engine.h"
#include "mayfly/database.h"

namespace mayfly::bench {

// Which row has which key and deadline.
class Mortality {
 public:
  Mortality(const Dataset& data, WallTime start) : data_(data), start_(start) {}

  std::size_t mortal_rows() const { return data_.rows() / 2; }
  std::size_t dead_rows() const { return data_.rows() / 5; }

  // Both for any i: the numbers go round.
  Bytes mortal_key(std::size_t i) const { return data_.key(i % mortal_rows()); }
  Bytes plain_key(std::size_t i) const { return data_.key(mortal_rows() + i % mortal_rows()); }

  WallTime deadline(std::size_t i) const {
    return start_ + (i < dead_rows() ? std::chrono::hours(1) : std::chrono::hours(10)) +
           Millis(static_cast<std::int64_t>(i));
  }

  WallTime start() const { return start_; }
  WallTime when_dead() const { return start_ + std::chrono::hours(2); }

 private:
  const Dataset& data_;
  const WallTime start_;
};

class CoreStore {
 public:
  // On rocks; made if missing. An empty directory: in memory.
  CoreStore(const std::string& directory, const Clock& clock);

  // Writes every row and brings files into their final order.
  void Load(const Dataset& data, const Mortality& mortality);

  Database& database() { return *database_; }
  Keyspace& rows() { return database_->default_keyspace(); }
  engine::Engine& engine() { return *engine_; }

 private:
  engine::Engine* engine_ = nullptr;  // database_'s.
  std::unique_ptr<Database> database_;
};

}  // namespace mayfly::bench

// load.h - fills a store, compacts it and warms its caches.
#pragma once

#include <cstddef>
#include <type_traits>

#include "dataset.h"
#include "engine/engine.h"
#include "engine_store.h"
#include "must.h"

namespace mayfly::bench {

inline constexpr std::size_t kBatchRows = 100;

// Writes every row and compacts.
template <typename Store>
void Load(Store&& store, const Dataset& data) {
  typename std::remove_reference_t<Store>::Session session;
  for (std::size_t first = 0; first < data.rows(); first += kBatchRows) {
    store.PutMany(session, data, first, kBatchRows, 0, Durability::kNone);
  }
  store.Compact();
}

// Reads everything once, so that caches are full.
template <typename Store>
void Warm(const Store& store, const Dataset& data) {
  const std::size_t bytes = store.Scan(data.key(0), data.rows(), Direction::kForward);
  Must(bytes == data.rows() * (Dataset::kKeyBytes + Dataset::kValueBytes), "a lost row");
}

}  // namespace mayfly::bench

// rows_ahead.h - keys whose rows will be read soon.
// The engine fetches their rows into the processor's cache all at once; read one by one, each would
// be waited for. A server spent a fifth of its time so.
#pragma once

#include <array>
#include <cstring>
#include <span>

#include "core/layout/addresses.h"
#include "core/layout/keys.h"
#include "core/layout/limits.h"
#include "engine/engine.h"
#include "mayfly/bytes.h"

namespace mayfly::core {

// For one thread, on its stack. Keys that do not fit are left out.
class RowsAhead {
 public:
  void Add(KeyspaceId keyspace, Bytes key) {
    const std::size_t bytes = sizeof keyspace + key.size();
    if (count_ == keys_.size() || bytes > arena_.size() - used_) return;
    char* const at = arena_.data() + used_;
    const std::uint32_t big_endian = __builtin_bswap32(keyspace);
    std::memcpy(at, &big_endian, sizeof big_endian);
    std::memcpy(at + sizeof big_endian, key.data(), key.size());
    keys_[count_++] = {at, bytes};
    used_ += bytes;
  }
  void Fetch(const engine::Engine& engine) const {
    engine.Prefetch(kRows, std::span(keys_.data(), count_));
  }

 private:
  std::array<char, kPrefetchedBytesMax> arena_;  // Not cleared: only keys_ is read.
  std::array<Bytes, kPrefetchedKeysMax> keys_;
  std::size_t count_ = 0;
  std::size_t used_ = 0;
};

}  // namespace mayfly::core

// eviction_policy.h - which rows leave when the data passes `maxmemory`: the values of
// maxmemory-policy, in the order of the setting's choices.
#pragma once

#include <cstdint>

namespace mayfly::server {

enum class EvictionPolicy : std::int64_t {
  kNoEviction = 0,  // None: commands that add are refused.
  kAllKeysLru,
  kAllKeysLfu,
  kAllKeysRandom,
  kVolatileLru,  // The volatile ones take rows with a deadline only.
  kVolatileLfu,
  kVolatileRandom,
  kVolatileTtl,
};

constexpr bool IsVolatile(EvictionPolicy policy) { return policy >= EvictionPolicy::kVolatileLru; }
constexpr bool IsLru(EvictionPolicy policy) {
  return policy == EvictionPolicy::kAllKeysLru || policy == EvictionPolicy::kVolatileLru;
}
constexpr bool IsLfu(EvictionPolicy policy) {
  return policy == EvictionPolicy::kAllKeysLfu || policy == EvictionPolicy::kVolatileLfu;
}

}  // namespace mayfly::server

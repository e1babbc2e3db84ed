#include "dataset.h"

#include "base/random.h"

namespace mayfly::bench {
namespace {

constexpr std::size_t kPoolBytes = 64 << 10;

}  // namespace

// 128 random bits: the two sets of keys do not meet.
Dataset::Dataset(std::size_t rows)
    : rows_(rows),
      keys_(Random(1).Bytes(rows * kKeyBytes)),
      missing_keys_(Random(2).Bytes(rows * kKeyBytes)),
      values_(Random(3).Bytes(kPoolBytes)) {}

}  // namespace mayfly::bench

// held_result.h - bounds the memory of a result that must be complete before it is written.
// A result that is sorted, or replaces one of its operands, cannot be written as it is computed.
// Its bytes are counted, and too many are an error.
#pragma once

#include <cstddef>
#include <cstdint>

#include "mayfly/result.h"

namespace mayfly::server {

// As much as the replies of one transaction.
inline constexpr std::size_t kHeldResultBytesMax = std::size_t{512} << 20;

class HeldResult {
 public:
  explicit HeldResult(std::size_t bytes_max = kHeldResultBytesMax) : bytes_max_(bytes_max) {}

  // Counts one more value of so many bytes, in an object of that size. False: it must not be held.
  [[nodiscard]] bool Add(std::size_t bytes, std::size_t object) {
    bytes_ += bytes + object;
    return bytes_ <= bytes_max_;
  }

  // An error when a value was refused.
  Status status() const {
    if (bytes_ <= bytes_max_) return {};
    return Status::Invalid(
        "the result is larger than 512 MiB, and cannot be held in memory to be sorted or stored");
  }

 private:
  const std::size_t bytes_max_;
  std::size_t bytes_ = 0;
};

}  // namespace mayfly::server

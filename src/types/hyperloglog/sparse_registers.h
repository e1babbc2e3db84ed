// sparse_registers.h - registers as runs of equal ones, while few elements were met.
//   00nnnnnn            n + 1 registers that are 0
//   01nnnnnn nnnnnnnn   the same, up to 16,384
//   1vvvvvnn            n + 1 registers that are v + 1: up to 4, and up to 32
// Stored, as in Redis. The runs of a HyperLogLog are valid when they cover all registers and no
// more. A change makes the same runs as Redis does, since values are compared and moved as bytes.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "types/hyperloglog/registers.h"

namespace mayfly::types {

inline constexpr unsigned kSparseRankMax = 32;

struct SparseRun {
  std::uint32_t length;  // Of registers.
  std::uint8_t value;
  std::uint8_t bytes;
};

// Visits runs in order. Ends at the end of the bytes or, with `valid` false, at a run that is cut
// off or covers more registers than there are.
class SparseRuns {
 public:
  explicit SparseRuns(Bytes bytes) : bytes_(bytes) {}

  // Nothing when there is no other.
  std::optional<SparseRun> Next();

  // After the last run: whether all registers are covered.
  bool valid() const { return valid_ && covered_ == kRegisters; }

 private:
  const Bytes bytes_;
  std::size_t at_ = 0;
  std::size_t covered_ = 0;
  bool valid_ = true;
};

bool IsValidSparse(Bytes runs);

// An empty HyperLogLog.
std::string EmptyRuns();

// These expect valid runs.

// The register's value.
std::uint8_t SparseRegister(Bytes runs, std::size_t index);

// Sets a register to a higher rank, in the runs that begin at `begin` of a value. False, and the
// value is unchanged, when runs cannot hold the rank, or the value would grow beyond `bytes_max`.
bool RaiseSparseRegister(std::string& value, std::size_t begin, const Observation& observed,
                         std::size_t bytes_max);

}  // namespace mayfly::types

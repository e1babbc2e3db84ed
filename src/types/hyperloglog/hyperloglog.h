// hyperloglog.h - a HyperLogLog as the bytes of a string, in Redis' own format.
//   | "HYLL" | encoding u8: 0 dense, 1 sparse | 3 unused | estimate u64, little endian | registers |
// The highest bit of the estimate says that it is out of date. Since the value is a plain string,
// GET, SET, DUMP and a copied key move it between mayfly and Redis, and counts stay the same.
// Invariants: (1) A value that was read is changed only in a copy. (2) Bytes that are not valid are
// refused by the call that would need them, and nothing outside of them is read. (3) It becomes
// dense when runs cannot hold a rank or would pass the given size, and never sparse again.
// Layout of registers: dense_registers.h, sparse_registers.h.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>

#include "mayfly/bytes.h"
#include "mayfly/result.h"
#include "types/hyperloglog/registers.h"

namespace mayfly::types {

class HyperLogLog {
 public:
  enum class Encoding : std::uint8_t { kDense = 0, kSparse = 1 };  // Stored.

  // One that has met nothing.
  HyperLogLog();

  // Borrows the value until the first change. Nothing if the head says that it is something else;
  // the registers are not looked at yet.
  static std::optional<HyperLogLog> Read(Bytes value);

  Encoding encoding() const { return encoding_; }

  // The whole of it, to be stored. Holds until the next change.
  Bytes value() const { return changed_ ? Bytes(own_) : borrowed_; }

  // The estimate that is stored, if it is up to date.
  std::optional<std::uint64_t> stored_estimate() const;

  // The calls below return Invalid for registers that are not valid.

  Result<std::uint64_t> Count() const;

  // Raises each register to that of this one.
  Status MergeInto(Registers& registers) const;

  // Adds an element; true when a register changed. A sparse one may grow to `sparse_bytes_max`.
  Result<bool> Add(Bytes element, std::size_t sparse_bytes_max);

  // Raises the registers to these; true when one changed.
  Result<bool> Raise(const Registers& registers, std::size_t sparse_bytes_max);

  // True when it was sparse.
  Result<bool> MakeDense();

  // The runs as text, such as "Z:100 v:3,1 z:20"; of a sparse one.
  Result<std::string> DescribeRuns() const;

  void StoreEstimate(std::uint64_t estimate);
  void ForgetEstimate();

 private:
  explicit HyperLogLog(Bytes value);

  Bytes registers() const;
  Status CheckRegisters();
  bool RaiseOne(const Observation& observed, std::size_t sparse_bytes_max);
  void BecomeDense();
  std::string& Own();

  Encoding encoding_;
  bool changed_ = false;
  bool checked_ = false;  // The registers are valid.
  Bytes borrowed_;        // Until it is changed.
  std::string own_;       // From then on.
};

}  // namespace mayfly::types

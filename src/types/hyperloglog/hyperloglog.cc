#include "types/hyperloglog/hyperloglog.h"

#include <fmt/format.h>

#include <algorithm>
#include <span>

#include "types/hyperloglog/dense_registers.h"
#include "types/hyperloglog/sparse_registers.h"

namespace mayfly::types {
namespace {

constexpr Bytes kMagic = "HYLL";
constexpr std::size_t kEncodingAt = 4;
constexpr std::size_t kEstimateAt = 8;
constexpr std::size_t kEstimateBytes = 8;
constexpr std::size_t kHeadBytes = kEstimateAt + kEstimateBytes;
constexpr unsigned char kStaleBit = 0x80;  // In the last byte of the estimate.

std::string NewHead(HyperLogLog::Encoding encoding) {
  std::string head(kMagic);
  head.resize(kHeadBytes, '\0');
  head[kEncodingAt] = static_cast<char>(encoding);
  return head;
}

Status Damaged() { return Status::Invalid("the registers of a HyperLogLog are damaged"); }

std::span<char, kDenseBytes> DensePart(std::string& value) {
  return std::span<char, kDenseBytes>(value.data() + kHeadBytes, kDenseBytes);
}

}  // namespace

HyperLogLog::HyperLogLog()
    : encoding_(Encoding::kSparse),
      changed_(true),
      checked_(true),
      own_(NewHead(Encoding::kSparse) + EmptyRuns()) {}

HyperLogLog::HyperLogLog(Bytes value)
    : encoding_(static_cast<Encoding>(value[kEncodingAt])), borrowed_(value) {}

std::optional<HyperLogLog> HyperLogLog::Read(Bytes value) {
  if (value.size() < kHeadBytes || !value.starts_with(kMagic)) return std::nullopt;
  const auto encoding = static_cast<unsigned char>(value[kEncodingAt]);
  if (encoding > static_cast<unsigned char>(Encoding::kSparse)) return std::nullopt;
  HyperLogLog read(value);
  const bool dense = read.encoding_ == Encoding::kDense;
  if (dense && value.size() != kHeadBytes + kDenseBytes) return std::nullopt;
  return read;
}

Bytes HyperLogLog::registers() const { return value().substr(kHeadBytes); }

std::optional<std::uint64_t> HyperLogLog::stored_estimate() const {
  std::uint64_t estimate = 0;
  for (std::size_t i = kEstimateBytes; i > 0; --i) {
    estimate = estimate << 8 | static_cast<unsigned char>(value()[kEstimateAt + i - 1]);
  }
  constexpr unsigned kStaleShift = 8 * (kEstimateBytes - 1);
  if ((estimate >> kStaleShift & kStaleBit) != 0) return std::nullopt;
  return estimate;
}

void HyperLogLog::StoreEstimate(std::uint64_t estimate) {
  std::string& own = Own();
  for (std::size_t i = 0; i < kEstimateBytes; ++i) {
    own[kEstimateAt + i] = static_cast<char>(estimate >> (8 * i) & 0xff);
  }
}

void HyperLogLog::ForgetEstimate() {
  char& last = Own()[kHeadBytes - 1];
  last = static_cast<char>(static_cast<unsigned char>(last) | kStaleBit);
}

Result<std::uint64_t> HyperLogLog::Count() const {
  if (encoding_ == Encoding::kDense) return Estimate(CountDense(registers()));
  RegisterCounts counts = {};
  SparseRuns runs(registers());
  while (const auto run = runs.Next()) counts[run->value] += run->length;
  if (!runs.valid()) return Damaged();
  return Estimate(counts);
}

Status HyperLogLog::MergeInto(Registers& merged) const {
  if (encoding_ == Encoding::kDense) {
    MergeDense(registers(), merged);
    return {};
  }
  SparseRuns runs(registers());
  std::size_t index = 0;
  while (const auto run = runs.Next()) {
    for (const std::size_t end = index + run->length; index < end; ++index) {
      merged[index] = std::max(merged[index], run->value);
    }
  }
  return runs.valid() ? Status() : Damaged();
}

Result<bool> HyperLogLog::Add(Bytes element, std::size_t sparse_bytes_max) {
  MAYFLY_RETURN_IF_ERROR(CheckRegisters());
  return RaiseOne(Observe(element), sparse_bytes_max);
}

Result<bool> HyperLogLog::Raise(const Registers& wanted, std::size_t sparse_bytes_max) {
  MAYFLY_RETURN_IF_ERROR(CheckRegisters());
  bool any = false;
  for (std::uint32_t index = 0; index < kRegisters; ++index) {
    if (wanted[index] > 0 && RaiseOne({index, wanted[index]}, sparse_bytes_max)) any = true;
  }
  return any;
}

Result<bool> HyperLogLog::MakeDense() {
  if (encoding_ == Encoding::kDense) return false;
  MAYFLY_RETURN_IF_ERROR(CheckRegisters());
  BecomeDense();
  return true;
}

Result<std::string> HyperLogLog::DescribeRuns() const {
  std::string text;
  SparseRuns runs(registers());
  while (const auto run = runs.Next()) {
    if (!text.empty()) text += ' ';
    text += run->value > 0 ? fmt::format("v:{},{}", run->value, run->length)
                           : fmt::format("{}:{}", run->bytes == 1 ? 'z' : 'Z', run->length);
  }
  if (!runs.valid()) return Damaged();
  return text;
}

Status HyperLogLog::CheckRegisters() {
  if (!checked_ && encoding_ == Encoding::kSparse && !IsValidSparse(registers())) return Damaged();
  checked_ = true;
  return {};
}

bool HyperLogLog::RaiseOne(const Observation& observed, std::size_t sparse_bytes_max) {
  const bool sparse = encoding_ == Encoding::kSparse;
  const std::uint8_t present = sparse ? SparseRegister(registers(), observed.index)
                                      : DenseRegister(registers(), observed.index);
  if (present >= observed.rank) return false;
  if (!sparse || !RaiseSparseRegister(Own(), kHeadBytes, observed, sparse_bytes_max)) {
    BecomeDense();
    SetDenseRegister(DensePart(Own()), observed.index, observed.rank);
  }
  ForgetEstimate();
  return true;
}

void HyperLogLog::BecomeDense() {
  if (encoding_ == Encoding::kDense) return;
  std::string dense(value().substr(0, kHeadBytes));
  dense[kEncodingAt] = static_cast<char>(Encoding::kDense);
  dense.resize(kHeadBytes + kDenseBytes, '\0');
  SparseRuns runs(registers());
  std::size_t index = 0;
  while (const auto run = runs.Next()) {
    for (const std::size_t end = index + run->length; index < end; ++index) {
      if (run->value > 0) SetDenseRegister(DensePart(dense), index, run->value);
    }
  }
  own_ = std::move(dense);
  changed_ = true;
  encoding_ = Encoding::kDense;
}

std::string& HyperLogLog::Own() {
  if (!changed_) own_ = borrowed_;
  changed_ = true;
  return own_;
}

}  // namespace mayfly::types

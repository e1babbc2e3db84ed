// Goal: no bytes break a HyperLogLog; those that are taken stay valid through every change.
// Method: the input is read as a value. Where counting accepts it, elements are added, and the
// result is counted again and compared with the union of its registers.
#include <cstddef>
#include <cstdint>

#include "base/check.h"
#include "types/hyperloglog/hyperloglog.h"

namespace mayfly::types {
namespace {

void Try(Bytes bytes) {
  auto read = HyperLogLog::Read(bytes);
  if (!read) return;
  const bool valid = read->Count().has_value();
  Registers registers = {};
  MAYFLY_CHECK(read->MergeInto(registers).ok() == valid, "a union takes what a count refuses");
  constexpr std::size_t kSizes[] = {0, 40, 3000};
  for (const std::size_t bytes_max : kSizes) {
    HyperLogLog changed = *read;
    MAYFLY_CHECK(changed.Add(bytes, bytes_max).has_value() == valid, "adding takes other bytes");
    if (!valid) continue;
    MAYFLY_CHECK(!*changed.Add(bytes, bytes_max), "an element was added twice");
    Registers after = {};
    MAYFLY_CHECK(changed.MergeInto(after).ok(), "a change has made damaged registers");
    MAYFLY_CHECK(changed.Count().value() == Estimate(CountsOf(after)), "a union counts otherwise");
    for (std::size_t i = 0; i < kRegisters; ++i) {
      MAYFLY_CHECK(after[i] >= registers[i], "a register went down");
    }
  }
}

}  // namespace
}  // namespace mayfly::types

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const mayfly::Bytes bytes(reinterpret_cast<const char*>(data), size);
  mayfly::types::Try(bytes);
  // Most inputs would fail at the head otherwise.
  std::string value("HYLL\x01\0\0\0\0\0\0\0\0\0\0\x80", 16);
  value.append(bytes);
  mayfly::types::Try(value);
  return 0;
}

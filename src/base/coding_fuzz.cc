// Goal: readers survive any bytes, and what they accept is exactly what the writers write.
// Method: the input is read as a list of (kind, encoded thing); each accepted thing is written
// again.
#include <cstddef>
#include <cstdint>
#include <string>

#include "base/check.h"
#include "base/coding.h"

namespace mayfly {
namespace {

// Eats one thing of the given kind. Accepted: writing it again must give the bytes that were eaten.
// Refused: the view must be as it was.
template <typename Value, typename Eat, typename Append>
bool EatAndCompare(Bytes& in, Value value, Eat eat, Append append) {
  const Bytes before = in;
  if (!eat(in, value)) {
    MAYFLY_CHECK(in.data() == before.data() && in.size() == before.size(),
                 "a refusal moved the view");
    return false;
  }
  MAYFLY_CHECK(in.size() < before.size(), "something was read from nothing");
  std::string written;
  append(written, value);
  MAYFLY_CHECK(written == before.substr(0, before.size() - in.size()),
               "what was read is not what is written");
  return true;
}

bool EatOne(unsigned kind, Bytes& in) {
  switch (kind % 8) {
    case 0: return EatAndCompare(in, std::uint16_t{0}, EatBigEndian16, AppendBigEndian16);
    case 1: return EatAndCompare(in, std::uint32_t{0}, EatBigEndian32, AppendBigEndian32);
    case 2: return EatAndCompare(in, std::uint64_t{0}, EatBigEndian64, AppendBigEndian64);
    case 3: return EatAndCompare(in, std::uint32_t{0}, EatLittleEndian32, AppendLittleEndian32);
    case 4: return EatAndCompare(in, std::uint64_t{0}, EatLittleEndian64, AppendLittleEndian64);
    case 5: return EatAndCompare(in, std::uint64_t{0}, EatVarint, AppendVarint);
    case 6: return EatAndCompare(in, std::int64_t{0}, EatZigZag, AppendZigZag);
    default: return EatAndCompare(in, Bytes(), EatSized, AppendSized);
  }
}

}  // namespace
}  // namespace mayfly

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  mayfly::Bytes in(reinterpret_cast<const char*>(data), size);
  while (!in.empty()) {
    const auto kind = static_cast<unsigned char>(in.front());
    in.remove_prefix(1);
    if (!mayfly::EatOne(kind, in)) break;
  }
  return 0;
}

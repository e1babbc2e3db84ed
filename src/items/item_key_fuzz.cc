// Goal: decoding keys survives any bytes, accepted bytes are what the encoder writes, order is
// kept.
// Method: two values are read off the input, written again and compared.
#include <cstddef>
#include <cstdint>
#include <string>

#include "base/check.h"
#include "items/compare.h"
#include "items/item_key.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace mayfly;
  const Bytes in(reinterpret_cast<const char*>(data), size);
  Bytes rest = in;
  const auto a = items::TakeKeyValue(rest);
  if (!a) return 0;
  std::string first;
  items::AppendKeyValue(*a, first);
  MAYFLY_CHECK(in.starts_with(first) && in.size() == first.size() + rest.size(),
               "a key is not what is written");
  const auto b = items::TakeKeyValue(rest);
  if (!b || a->type() != b->type()) return 0;
  std::string second;
  items::AppendKeyValue(*b, second);
  MAYFLY_CHECK(std::partial_ordering(first <=> second) == items::Compare(*a, *b),
               "keys in another order than their values");
  return 0;
}

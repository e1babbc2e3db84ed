// Goal: decoding items survives any bytes, and accepted bytes are what the encoder writes. Method:
// so.
#include <cstddef>
#include <cstdint>

#include "base/check.h"
#include "items/item_codec.h"
#include "items/item_size.h"

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace mayfly;
  const Bytes in(reinterpret_cast<const char*>(data), size);
  const auto stored = items::DecodeItem(in);
  const auto measured = items::MeasureStored(in);
  if (!stored) return 0;
  MAYFLY_CHECK(items::EncodeItem(stored->item, stored->version) == in,
               "an item is not what is written");
  MAYFLY_CHECK(measured && measured->size == items::SizeOf(stored->item), "an item has two sizes");
  return 0;
}

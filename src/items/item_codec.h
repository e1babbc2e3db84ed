// item_codec.h - an item as the bytes of a row, and back.
//   row value := format u8 | version varint | map
//   map       := count varint | (name, sized | value) ...
//   value     := AttributeType u8 | content
//   content   := sized bytes (S, N, B) | u8 (BOOL) | nothing (NULL) | count, values (L) | map (M) |
//                count, sized bytes (SS, NS, BS)
// Counts and sizes are varints. Names and members come in their order and numbers in their normal
// form, so that equal items are equal bytes; other bytes are refused.
#pragma once

#include <cstdint>
#include <string>

#include "mayfly/bytes.h"
#include "mayfly/item.h"
#include "mayfly/result.h"

namespace mayfly::items {

struct StoredItem {
  std::uint64_t version = 0;
  Item item;
};

// The item is nested no deeper than kStoredDepthMax (limits.h).
std::string EncodeItem(const Item& item, std::uint64_t version);

// Corruption when the bytes are malformed, Unsupported when a newer build wrote them.
Result<StoredItem> DecodeItem(Bytes bytes);

}  // namespace mayfly::items

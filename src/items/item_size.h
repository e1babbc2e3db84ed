// item_size.h - the size of an item as DynamoDB computes it, for its limits and capacity.
#pragma once

#include <cstddef>
#include <cstdint>

#include "mayfly/bytes.h"
#include "mayfly/item.h"
#include "mayfly/result.h"

namespace mayfly::items {

// Strings and binaries by their bytes; numbers a byte per two digits and one or two more; null and
// booleans one; sets their members; lists and maps 3, one per element, and their contents, to which
// the names in a map belong.
std::size_t SizeOf(const AttributeValue& value);

// Names, by their bytes, and values.
std::size_t SizeOf(const Item& item);

// The same for an item as EncodeItem() wrote it, and its version; errors as DecodeItem()'s.
struct StoredSize {
  std::size_t size = 0;
  std::uint64_t version = 0;
};
Result<StoredSize> MeasureStored(Bytes stored);

// Levels of lists and maps: 0 for a scalar, 1 for a list or map of scalars.
std::size_t DepthOf(const AttributeValue& value);

}  // namespace mayfly::items

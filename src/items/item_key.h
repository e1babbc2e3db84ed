// item_key.h - keys of items and index entries as bytes that sort as the attributes do.
//   item        := hash (2 bytes, big endian) | partition | sort
//   index entry := hash | index partition | index sort | key of the item
//   partition, sort := AttributeType u8 | bytes that end themselves and sort by value
//     S, B: the bytes, 00 as 00 FF                                            | 00 01
//     N:    sign (1 -, 2 zero, 3 +) | power + 130 | two digits + 1 per byte ... | 00
//           all but the sign inverted if negative; zero is its sign alone
// The hash, of the encoded partition, spreads partitions, so that segments of a parallel scan are
// ranges; within a partition, order is that of the sort key: strings and binaries by their bytes,
// numbers by value.
#pragma once

#include <cstdint>
#include <string>

#include "mayfly/bytes.h"
#include "mayfly/item.h"
#include "mayfly/result.h"

namespace mayfly::items {

// A value that may be a key: a string, number or binary. Appends; prefix-free.
void AppendKeyValue(const AttributeValue& value, std::string& to);

// Appends the common prefix of all strings or binaries with this beginning: for begins_with.
void AppendKeyPrefix(const AttributeValue& beginning, std::string& to);

// Reads one value and takes its bytes off. Corruption when it is malformed; then `from` is
// unchanged.
Result<AttributeValue> TakeKeyValue(Bytes& from);

// hash | partition: the prefix of all keys of a partition.
std::string PartitionPrefix(const AttributeValue& partition);

std::string ItemKey(const AttributeValue& partition, const AttributeValue* sort);

// The first key of a segment. Segment i of n is [SegmentBegin(i, n), SegmentBegin(i + 1, n)), and
// the last one has no upper bound: SegmentBegin(n, n) is empty.
std::string SegmentBegin(std::uint32_t segment, std::uint32_t segments);

// The smallest bytes above every key with this prefix; empty: there are none.
std::string PrefixEnd(Bytes prefix);

}  // namespace mayfly::items

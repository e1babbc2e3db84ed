// value_type.h - the type of the value that a key holds.
// A plain row is a string: its bytes are the value, so that rows written through the library are
// strings here and the reverse. A long string of which a part was written is chunks, and still a
// string to all readers (string.h). The head of a collection begins with a byte that names its
// type:
//   | type u8 | what the type keeps, see its own header |
#pragma once

#include <cstdint>
#include <string_view>

#include "core/transactions/latched_transaction.h"
#include "mayfly/result.h"

namespace mayfly::types {

// Stored; append, never renumber.
enum class ValueType : char {
  kString = 0,  // Never in a head.
  kHash = 'h',
  kList = 'l',
  kSet = 's',
  kSortedSet = 'Z',  // 'z' was one whose order was not counted.
  kStream = 'x',
};

// The name that Redis' TYPE returns: "string", "hash", "list", "set", "zset", "stream".
std::string_view NameOf(ValueType type);

// The type of a living row. Corruption when the head names none of these.
Result<ValueType> TypeOf(bool is_collection, Bytes value);

// Reads the row. WrongType when it exists and is of another type.
Status FindTyped(core::TransactionKeyspace& space, Bytes key, ValueType type, core::FoundRow& row);

}  // namespace mayfly::types

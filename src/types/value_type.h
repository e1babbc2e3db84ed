// value_type.h - what kind of value a key holds.
// A plain row is a string: its bytes are the value, so that rows written through the library are
// strings here and the reverse. A long one of which a part was written is chunks, and is still a
// string to everybody (string.h). The head of a collection begins with a byte that names its type:
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
};

// As Redis' TYPE answers: "string", "hash", "list", "set", "zset".
std::string_view NameOf(ValueType type);

// Of a living row. Corruption when the head is none of these.
Result<ValueType> TypeOf(bool is_collection, Bytes value);

// Reads the row and makes sure that it is of this type, if it is there at all: else WrongType.
Status FindTyped(core::LatchedKeyspace& space, Bytes key, ValueType type, core::FoundRow& row);

}  // namespace mayfly::types

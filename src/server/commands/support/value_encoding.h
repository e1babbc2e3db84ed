// value_encoding.h - the encoding Redis would use for a value, which some programs and many tests
// ask for.
// mayfly stores all values of a type in one way. The answer follows from the value and the
// settings, not from the value's history.
#pragma once

#include <string_view>

#include "server/command/command.h"

namespace mayfly::server {

// Of a row that exists: "int", "embstr", "raw", "listpack", "hashtable", "intset", "skiplist" or
// "quicklist".
Result<std::string_view> EncodingOf(const Call& call, Bytes key, const core::FoundRow& row);

}  // namespace mayfly::server

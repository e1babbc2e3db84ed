// bytes.h - borrowed bytes.
// Keys and values are plain bytes; mayfly expects no terminator and no encoding. A Bytes owns
// nothing: a class that keeps one in a member states beside it who owns the memory.
// Order is memcmp's: unsigned, byte by byte, a prefix before longer keys.
#pragma once

#include <string_view>

namespace mayfly {

using Bytes = std::string_view;

}  // namespace mayfly

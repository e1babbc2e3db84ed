// bytes.h - borrowed bytes.
// Keys and values are plain bytes; nothing in mayfly looks for a terminator or an encoding. A Bytes
// owns nothing: whoever keeps one in a member says beside it who owns the memory.
// Order is memcmp's, so unsigned byte by byte, a prefix before what it begins.
#pragma once

#include <string_view>

namespace mayfly {

using Bytes = std::string_view;

}  // namespace mayfly

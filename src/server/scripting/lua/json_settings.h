// json_settings.h - settings of the table `cjson` of scripts. They last for one run: the next
// begins with these defaults, which are Redis'.
#pragma once

#include <cstdint>

#include "server/scripting/lua/limits.h"

namespace mayfly::server {

enum class InvalidNumbers : std::uint8_t { kRefused, kWritten, kNull };

struct JsonSettings {
  // An array is sparse if its last index is above `safe` and above `ratio` times its values.
  bool sparse_as_object = false;
  int sparse_ratio = 2;  // 0: no array is sparse.
  int sparse_safe = 10;
  int encode_depth_max = kJsonDepthMax;
  int decode_depth_max = kJsonDepthMax;
  int precision = 14;       // Digits of a number.
  bool keep_buffer = true;  // Accepted and shown; there is no buffer to keep.
  InvalidNumbers encode_invalid = InvalidNumbers::kRefused;
  bool decode_invalid = true;
};

}  // namespace mayfly::server

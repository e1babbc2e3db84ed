// redis_version.h - the Redis whose commands and words the server follows; clients look at it to
// know what they may ask.
#pragma once

#include <string_view>

namespace mayfly::server::admin {

inline constexpr std::string_view kRedisVersion = "7.0.15";

}  // namespace mayfly::server::admin

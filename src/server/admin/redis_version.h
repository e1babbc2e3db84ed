// redis_version.h - the Redis version whose commands and wording the server follows; clients read
// it to know which commands they may send.
#pragma once

#include <string_view>

namespace mayfly::server::admin {

inline constexpr std::string_view kRedisVersion = "7.0.15";

}  // namespace mayfly::server::admin

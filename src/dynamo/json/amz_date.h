// amz_date.h - instants as signed requests write them: 20130524T000000Z.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "mayfly/clock.h"

namespace mayfly::dynamo {

// Nothing when it is malformed.
std::optional<WallTime> ReadAmzDate(std::string_view text);

std::string WriteAmzDate(WallTime time);

}  // namespace mayfly::dynamo

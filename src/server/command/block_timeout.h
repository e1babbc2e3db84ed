// block_timeout.h - how long a client is willing to wait.
#pragma once

#include <optional>

#include "mayfly/bytes.h"
#include "mayfly/clock.h"
#include "mayfly/result.h"

namespace mayfly::server {

// Seconds, with a fraction; rounded up to milliseconds, so that whoever waits never waits for ever
// by rounding. 0 is for ever: nothing. Invalid with Redis' words when it is no number, below zero,
// or ends past the end of time.
Result<std::optional<Millis>> BlockTimeout(Bytes argument, WallTime now);

}  // namespace mayfly::server

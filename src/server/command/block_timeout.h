// block_timeout.h - parses the timeout of a blocking command.
#pragma once

#include <optional>

#include "mayfly/bytes.h"
#include "mayfly/clock.h"
#include "mayfly/result.h"

namespace mayfly::server {

// Seconds, with a fraction; rounded up to milliseconds, so that a short timeout does not become 0,
// which means no timeout: then nothing is returned. Invalid with Redis' words when it is no number,
// below zero, or overflows the clock.
Result<std::optional<Millis>> BlockTimeout(Bytes argument, WallTime now);

}  // namespace mayfly::server

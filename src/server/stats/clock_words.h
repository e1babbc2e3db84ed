// clock_words.h - the state of the database's clock in words, for INFO, TTL.CLOCK and /health.
#pragma once

#include <string>
#include <string_view>

#include "mayfly/maintenance.h"

namespace mayfly::server {

// "ok", "ahead" (of the machine's clock, which was set back or had been wrong) or "jumped" (nothing
// is removed until an operator decides).
std::string_view ClockState(const ClockReport& report);

// What an operator should know and do; empty when all is well.
std::string ClockAdvice(const ClockReport& report);

}  // namespace mayfly::server

// question.h - asks before something is removed.
#pragma once

#include <string>

#include "mayfly/result.h"

namespace mayfly::app {

// True if `yes`, or if the person at the terminal answers so. Invalid without a terminal: nobody
// can answer, and the message names --yes. Ctrl-C is a no.
Result<bool> Agreed(bool yes, const std::string& question);

}  // namespace mayfly::app

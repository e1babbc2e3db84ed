// server_info.h - what INFO tells, as figures.
#pragma once

#include "apps/mayfly/target/target.h"

namespace mayfly::app {

// Fills clients and commands from the reply to INFO.
void ReadInfo(const Reply& info, Activity& activity);

}  // namespace mayfly::app

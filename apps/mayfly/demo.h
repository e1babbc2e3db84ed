// demo.h - the story `mayfly demo` tells: what the library does, one step at a time, on standard
// output. It runs on a clock of its own, which moves only when told, so the story never waits and
// reads the same each time.
#pragma once

#include <string>

#include "mayfly/status.h"

namespace mayfly::app {

// Runs the demo in `directory`; when empty, in a temporary folder that is removed afterwards.
// Invalid when the folder holds anything but the database of an earlier demo, which is cleared.
// Otherwise the first error of the database. Stops between two steps, with Ok, when Interrupted().
// Throws std::system_error when there is no place for temporary files.
Status RunDemo(const std::string& directory);

}  // namespace mayfly::app

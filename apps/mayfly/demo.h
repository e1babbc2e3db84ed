// demo.h - `mayfly demo`: shows what the library does, step by step, on standard output. It runs on
// a manual clock, so that it never waits and prints the same each time.
#pragma once

#include <string>

#include "mayfly/status.h"

namespace mayfly::app {

// Runs the demo in `directory`; when empty, in a temporary folder that is removed afterwards.
// Invalid when the folder contains anything but the database of an earlier demo, which is cleared.
// Otherwise the first error of the database. Stops between two steps, with Ok, when Interrupted().
// Throws std::system_error when there is no place for temporary files.
Status RunDemo(const std::string& directory);

}  // namespace mayfly::app

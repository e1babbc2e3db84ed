// directory_target.h - a database in a folder, through the library.
// Opened read-only where nothing is written, so that it can be read beside a server that has it.
#pragma once

#include <memory>

#include "apps/mayfly/target/target.h"

namespace mayfly::app {

// With kRead it must exist; with kWrite it is made if flags.create says so.
Result<std::unique_ptr<Target>> OpenDirectory(const TargetFlags& flags, Access access);

}  // namespace mayfly::app

// hot_to_rocks.h - the way back: a memory-first directory becomes one of plain rocks.
//   fold everything -> close -> lock, and look that the log has no record the tables lack
//   -> rename hot/ to hot.removed/ -> remove that
// A crash before the rename leaves a memory-first directory, and after it a plain one: opening one for
// writing removes what is left of the folder (RemoveLeftHotLog() in rocks_engine.h).
#pragma once

#include "engine/rocks/rocks_engine.h"
#include "mayfly/status.h"

namespace mayfly::engine {

// Nothing to do, and Ok, if options.directory is not memory-first. Busy while it is open elsewhere, by
// a reader too. Otherwise errors of OpenHotEngine() and of its Flush(): the directory is memory-first
// as before then, and has lost nothing. `options` are those for opening it afterwards.
Status ConvertHotToRocks(const RocksOptions& options);

}  // namespace mayfly::engine

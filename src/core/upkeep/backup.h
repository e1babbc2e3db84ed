// backup.h - a whole database in one file, and back.
// The file holds rows as they are stored, deadlines included, and no index: that is made from the
// rows. Layout: docs/formats/backup.md. A restore reads the file twice: once to see that it is
// whole, once to write.
#pragma once

#include <string>

#include "core/store/store.h"
#include "core/upkeep/watched_upkeep.h"
#include "mayfly/maintenance.h"

namespace mayfly::core {

// From one frozen state, while others write. The file appears under its name only when it is
// complete.
Result<BackupReport> WriteBackup(Store& store, const std::string& file,
                                 const Progress& progress = nullptr);

Result<RestoreReport> RestoreBackup(Store& store, const std::string& file,
                                    const RestoreOptions& options);

}  // namespace mayfly::core

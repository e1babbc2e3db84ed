// backup.h - writes a whole database to one file, and restores it.
// The file holds rows as they are stored, deadlines included, and no index, which a restore makes
// from the rows. Layout: docs/formats/backup.md. A restore reads the file twice: once to check that
// it is whole, once to write.
#pragma once

#include <string>

#include "core/store/store.h"
#include "core/upkeep/watched_upkeep.h"
#include "mayfly/maintenance.h"

namespace mayfly::core {

// Writes one frozen state, while other threads write. The file gets its name only when it is
// complete.
Result<BackupReport> WriteBackup(Store& store, const std::string& file,
                                 const Progress& progress = nullptr);

Result<RestoreReport> RestoreBackup(Store& store, const std::string& file,
                                    const RestoreOptions& options,
                                    const Progress& progress = nullptr);

}  // namespace mayfly::core

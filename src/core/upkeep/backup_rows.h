// backup_rows.h - writes one frozen state of all keyspaces to a backup's file.
// In a salvage of a damaged database, rows that cannot be read are left out and counted.
#pragma once

#include <string>

#include "core/store/store.h"
#include "core/upkeep/watched_upkeep.h"
#include "mayfly/maintenance.h"

namespace mayfly::core {

// Writes the whole file. `report` has the instant it is taken at, and gets the counts.
Status WriteBackupRows(Store& store, const std::string& file, const Progress& progress,
                       BackupReport& report);

}  // namespace mayfly::core

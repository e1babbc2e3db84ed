// backup_rows.h - the rows of a backup: one frozen state of all keyspaces, written to its file.
// Of a damaged database that was opened for a salvage, what cannot be read is left out and counted.
#pragma once

#include <string>

#include "core/store/store.h"
#include "core/upkeep/watched_upkeep.h"
#include "mayfly/maintenance.h"

namespace mayfly::core {

// All of the file; `report` says when it is taken, and is told the rest.
Status WriteBackupRows(Store& store, const std::string& file, const Progress& progress,
                       BackupReport& report);

}  // namespace mayfly::core

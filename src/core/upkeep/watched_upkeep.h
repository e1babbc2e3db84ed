// watched_upkeep.h - proofs, checks, backups, restores and the return of space, which report their
// progress and can be ended.
// Threads: any, as long as the database is open.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "mayfly/database.h"
#include "mayfly/proof.h"

namespace mayfly::core {

// How much is done, of about how much: bytes of the search for ProofOptions::find, bytes rewritten
// of those on the disk, or rows; of how much is 0 while that is unknown. If it returns false, the
// call ends with Conflict.
using Progress = std::function<bool(std::uint64_t done, std::uint64_t all)>;

// As the calls of Database.
Result<Proof> ProveWatched(Database& database, const ProofOptions& options,
                           const Progress& progress);
Result<CheckReport> CheckWatched(Database& database, const CheckOptions& options,
                                 const Progress& progress);
Result<BackupReport> BackupWatched(Database& database, const std::string& file,
                                   const Progress& progress);
Result<RestoreReport> RestoreWatched(Database& database, const std::string& file,
                                     const RestoreOptions& options, const Progress& progress);
Result<ReclaimReport> ReclaimWatched(Database& database, const ReclaimOptions& options,
                                     const Progress& progress);

}  // namespace mayfly::core

// watched_proof.h - Database::Prove() for those who run it beside other work: told how far it is,
// and ended when asked. Safe to call from any thread, for as long as the database is open.
#pragma once

#include <cstdint>
#include <functional>

#include "mayfly/database.h"
#include "mayfly/proof.h"

namespace mayfly::core {

// Bytes of the search for ProofOptions::find that are done, of about how many. False ends it.
using ProofProgress = std::function<bool(std::uint64_t done, std::uint64_t all)>;

// As Database::Prove(); Conflict when `progress` ended it.
Result<Proof> ProveWatched(Database& database, const ProofOptions& options,
                           const ProofProgress& progress);

}  // namespace mayfly::core

// prover.h - reports which bytes of dead and deleted rows are left in files.
#pragma once

#include "core/store/store.h"
#include "mayfly/proof.h"

namespace mayfly::core {

// Gathers the proof. Conflict when `progress` ended the search.
Result<Proof> GatherProof(Store& store, const ProofOptions& options,
                          const engine::FindProgress& progress = {});

}  // namespace mayfly::core

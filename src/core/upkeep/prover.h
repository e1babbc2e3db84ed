// prover.h - tells what is left of the dead, from the files as they are.
#pragma once

#include "core/store/store.h"
#include "mayfly/proof.h"

namespace mayfly::core {

// Conflict when `progress` ended the search.
Result<Proof> GatherProof(Store& store, const ProofOptions& options,
                          const engine::FindProgress& progress = {});

}  // namespace mayfly::core

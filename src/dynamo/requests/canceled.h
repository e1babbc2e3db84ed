// canceled.h - the refusal of a transaction some of whose actions could not be done.
#pragma once

#include <vector>

#include "dynamo/json/refusal.h"
#include "mayfly/tables.h"

namespace mayfly::dynamo {

inline constexpr const char* kDuplicateItemMessage = "Duplicate primary key exists in table";

// With a reason for each action, "None" for those that could have been done. `inserts`: for each
// action, whether its condition fails because the item exists; empty: none does.
Refusal Canceled(const std::vector<TransactOutcome::Verdict>& verdicts,
                 const std::vector<bool>& inserts = {});

}  // namespace mayfly::dynamo

// write_prefix.h - applies several independent writes of items in one call: those of tables without
// indexes, streams and sweeps share a commit.
#pragma once

#include <span>
#include <variant>
#include <vector>

#include "mayfly/result.h"
#include "mayfly/tables.h"

namespace mayfly::tables {

using ItemWrite = std::variant<PutItemRequest, UpdateItemRequest, DeleteItemRequest>;

// Applies a prefix of `writes` in order, at least one if there is any. Returns one result per write
// applied, as the call of Tables would; ends early where the outcomes would grow large.
std::vector<Result<WriteOutcome>> WritePrefix(Tables& tables, std::span<const ItemWrite> writes);

}  // namespace mayfly::tables

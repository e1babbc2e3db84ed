// write_prefix.h - writes of items that have nothing to do with each other, for whoever has several
// of them at hand: those of tables without indexes, streams and sweeps share a commit.
#pragma once

#include <span>
#include <variant>
#include <vector>

#include "mayfly/result.h"
#include "mayfly/tables.h"

namespace mayfly::tables {

using ItemWrite = std::variant<PutItemRequest, UpdateItemRequest, DeleteItemRequest>;

// The first of these writes, as Tables' calls would do them one after the other, and what each call
// would return. At least one, if there is one; it ends early where the outcomes would grow large.
std::vector<Result<WriteOutcome>> WritePrefix(Tables& tables, std::span<const ItemWrite> writes);

}  // namespace mayfly::tables

// collection_walk.h - iterates over a list, set or sorted set, for commands that take any.
#pragma once

#include "base/function_ref.h"
#include "core/transactions/latched_transaction.h"
#include "types/value_type.h"

namespace mayfly::server {

// Visits every element: a list's from head to tail, a set's in no particular order, a sorted set's
// from the lowest score on. WrongType for all other types. The collection must not change
// meanwhile.
Status WalkElements(core::TransactionKeyspace& space, Bytes key, types::ValueType type,
                    FunctionRef<void(Bytes element)> show);

// Replaces the key's value by a list of these; without any: deletes it.
Status ReplaceWithList(core::TransactionKeyspace& space, Bytes key,
                       std::span<const Bytes> elements);

}  // namespace mayfly::server

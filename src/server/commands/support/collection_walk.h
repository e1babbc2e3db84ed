// collection_walk.h - what a list, set or sorted set consists of, for commands that take any.
#pragma once

#include "base/function_ref.h"
#include "core/transactions/latched_transaction.h"
#include "types/value_type.h"

namespace mayfly::server {

// Shows every element: a list's from head to tail, a set's in no order that means anything, a
// sorted set's from the lowest score on. WrongType for all other types. The collection must stay as
// it is meanwhile.
Status WalkElements(core::LatchedKeyspace& space, Bytes key, types::ValueType type,
                    FunctionRef<void(Bytes element)> show);

// Puts a list of these in place of whatever the key held; of none: deletes it.
Status ReplaceWithList(core::LatchedKeyspace& space, Bytes key, std::span<const Bytes> elements);

}  // namespace mayfly::server

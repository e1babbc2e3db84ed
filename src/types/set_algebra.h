// set_algebra.h - union, intersection and difference of sets and sorted sets.
// Members of sets count as having the score 1. All operands have their members in the order of
// MemberKey(), so a union is a merge of cursors; an intersection scans the smallest and looks its
// members up in the others, a difference scans the first. Only the current member is held in
// memory.
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "base/function_ref.h"
#include "core/transactions/latched_transaction.h"
#include "mayfly/bytes.h"
#include "mayfly/result.h"

namespace mayfly::types {

struct Operand {
  Bytes key;  // The caller's.
  bool scored = false;
  std::uint64_t members = 0;  // 0: the key has no row, which counts as an empty set.
};

enum class OperandKind : std::uint8_t { kSets, kSetsAndSortedSets };

// WrongType when the key holds a type that `kind` does not allow.
Result<Operand> FindOperand(core::TransactionKeyspace& space, Bytes key, OperandKind kind);

// Receives a name and, by operand, its score there, where the call shows it; false ends the scan.
// The view holds during the call.
using ShowShared = FunctionRef<bool(Bytes name, std::span<const std::optional<double>> scores)>;

// Each call shows every name once, in the order of MemberKey(). The operands must not change
// meanwhile; one may be given more than once.

Status WalkUnion(core::TransactionKeyspace& space, std::span<const Operand> operands,
                 ShowShared show);

// Shows all scores.
Status WalkIntersection(core::TransactionKeyspace& space, std::span<const Operand> operands,
                        ShowShared show);

// The members of the first operand that are in no other. Shows the first operand's score.
Status WalkDifference(core::TransactionKeyspace& space, std::span<const Operand> operands,
                      ShowShared show);

}  // namespace mayfly::types

// set_algebra.h - what several sets have together, in common, or one alone.
// Sorted sets take part beside sets, whose members count as having the score 1. All of them keep
// their members in the one order of MemberKey(), so a union is a merge of walks; an intersection
// walks the smallest and looks its members up in the others, a difference walks the first. Nothing
// is held in memory but the member at hand.
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
  std::uint64_t members = 0;  // 0: there is none, as good as an empty one.
};

enum class OperandKind : std::uint8_t { kSets, kSetsAndSortedSets };

// WrongType when the key holds something else than these.
Result<Operand> FindOperand(core::LatchedKeyspace& space, Bytes key, OperandKind kind);

// Takes a name and, by operand, the score it has there, where that was asked; false ends the walk.
// The view holds during the call.
using ShowShared = FunctionRef<bool(Bytes name, std::span<const std::optional<double>> scores)>;

// Each shows every name once, in the order of MemberKey(). The operands must stay as they are
// meanwhile; one may be given more than once.

Status WalkUnion(core::LatchedKeyspace& space, std::span<const Operand> operands, ShowShared show);

// Shows all scores.
Status WalkIntersection(core::LatchedKeyspace& space, std::span<const Operand> operands,
                        ShowShared show);

// The first without what is in one of the others. Shows the first one's score.
Status WalkDifference(core::LatchedKeyspace& space, std::span<const Operand> operands,
                      ShowShared show);

}  // namespace mayfly::types

// random_members.h - members of a collection drawn by chance.
// Exactly even where that is affordable: up to kWalkedMembersMax members, or where a third of them
// and more is asked for, the collection is walked. Beyond it a draw enters the order of hashes
// (member_key.h) at a random place and takes a random one of the kWindowMembers that follow, which
// evens out the gaps between hashes: near to even, at the same cost however many members there are.
// So it is for collections whose members are named by MemberKey(). Memory follows what is drawn.
#pragma once

#include <cstdint>

#include "base/function_ref.h"
#include "base/random.h"
#include "core/transactions/latched_transaction.h"
#include "mayfly/bytes.h"
#include "mayfly/status.h"

namespace mayfly::types {

inline constexpr std::uint64_t kWalkedMembersMax = 1024;
inline constexpr std::uint64_t kWindowMembers = 64;

// Takes what is drawn: the member as it is stored, so with its hash in front, and its value. The
// views hold during the call.
using DrawnMember = FunctionRef<void(Bytes member, Bytes value)>;

// Both draw from what a fresh cursor over all members shows; `members` is how many these are, as in
// FoundRow::members. Errors are the cursor's.

// Draws `count` times, each time from all members; one after the other as chance has it. Nothing
// when there are none.
Status DrawWithRepetition(core::MemberCursor& cursor, std::uint64_t members, std::uint64_t count,
                          Random& random, DrawnMember drawn);

// Draws `count` different ones, or all there are if these are fewer; in no promised order.
Status DrawDistinct(core::MemberCursor& cursor, std::uint64_t members, std::uint64_t count,
                    Random& random, DrawnMember drawn);

}  // namespace mayfly::types

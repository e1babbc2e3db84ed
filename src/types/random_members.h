// random_members.h - draws members of a collection at random.
// Exactly uniform where that is affordable: up to kWalkedMembersMax members, or where a third of
// them or more is wanted, the collection is scanned. Beyond that a draw enters the order of hashes
// (member_key.h) at a random place and takes a random one of the next kWindowMembers, which evens
// out the gaps between hashes: nearly uniform, at the same cost however many members there are. So
// it is for collections whose members are named by MemberKey(). Memory is proportional to what is
// drawn.
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

// Receives a drawn member as it is stored, with its hash in front, and its value. The views hold
// during the call.
using DrawnMember = FunctionRef<void(Bytes member, Bytes value)>;

// Both draw from a fresh cursor over all members; `members` is their number, as in
// FoundRow::members. Errors are the cursor's.

// Draws `count` times, each time from all members, in random order. Draws nothing when there are no
// members.
Status DrawWithRepetition(core::MemberCursor& cursor, std::uint64_t members, std::uint64_t count,
                          Random& random, DrawnMember drawn);

// Draws `count` different members, or all if there are fewer; in unspecified order.
Status DrawDistinct(core::MemberCursor& cursor, std::uint64_t members, std::uint64_t count,
                    Random& random, DrawnMember drawn);

}  // namespace mayfly::types

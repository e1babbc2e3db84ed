#include "types/random_members.h"

#include <string>
#include <unordered_set>
#include <utility>
#include <vector>

#include "types/member_key.h"

namespace mayfly::types {
namespace {

using Names = std::unordered_set<std::string>;

// For one in this many members or more, a scan of all of them is cheaper than drawing.
constexpr std::uint64_t kWalkedShare = 3;

// Draws per member wanted after which a scan replaces drawing. Names can be chosen so that their
// hashes lie close together, and then the same few are drawn again and again.
constexpr std::uint64_t kDrawsPerMemberMax = 8;

// Puts the cursor on a member near a random place. False when there is none.
bool SeekRandom(core::MemberCursor& cursor, Random& random) {
  cursor.SeekAtOrAfter(MemberKeysFrom(random.Below(kMemberHashMax)));
  if (!cursor.Valid()) cursor.SeekToFirst();
  for (std::uint64_t steps = random.Below(kWindowMembers); steps > 0 && cursor.Valid(); --steps) {
    cursor.Next();
    if (!cursor.Valid()) cursor.SeekToFirst();
  }
  return cursor.Valid();
}

// Scans all members but the `known` and takes `count` of the `left` others, each choice equally
// likely: a member is taken with probability (still wanted) / (still left).
Status WalkDistinct(core::MemberCursor& cursor, std::uint64_t left, std::uint64_t count,
                    const Names& known, Random& random, DrawnMember drawn) {
  for (cursor.SeekToFirst(); cursor.Valid() && count > 0 && left > 0; cursor.Next()) {
    if (!known.empty() && known.contains(std::string(cursor.member()))) continue;
    if (random.Below(left--) >= count) continue;
    drawn(cursor.member(), cursor.value());
    --count;
  }
  return cursor.status();
}

Status DrawFromAll(core::MemberCursor& cursor, std::uint64_t count, Random& random,
                   DrawnMember drawn) {
  std::vector<std::pair<std::string, std::string>> all;
  for (cursor.SeekToFirst(); cursor.Valid(); cursor.Next()) {
    all.emplace_back(cursor.member(), cursor.value());
  }
  MAYFLY_RETURN_IF_ERROR(cursor.status());
  for (; !all.empty() && count > 0; --count) {
    const auto& [member, value] = all[random.Below(all.size())];
    drawn(member, value);
  }
  return {};
}

}  // namespace

Status DrawWithRepetition(core::MemberCursor& cursor, std::uint64_t members, std::uint64_t count,
                          Random& random, DrawnMember drawn) {
  if (members <= kWalkedMembersMax) {
    // A single draw needs no copy of all members.
    if (count == 1) return WalkDistinct(cursor, members, 1, {}, random, drawn);
    return DrawFromAll(cursor, count, random, drawn);
  }
  for (; count > 0 && SeekRandom(cursor, random); --count) drawn(cursor.member(), cursor.value());
  return cursor.status();
}

Status DrawDistinct(core::MemberCursor& cursor, std::uint64_t members, std::uint64_t count,
                    Random& random, DrawnMember drawn) {
  Names known;
  if (members > kWalkedMembersMax && count < members / kWalkedShare) {
    std::uint64_t draws_left = count * kDrawsPerMemberMax;
    while (known.size() < count && draws_left-- > 0 && SeekRandom(cursor, random)) {
      if (known.emplace(cursor.member()).second) drawn(cursor.member(), cursor.value());
    }
    MAYFLY_RETURN_IF_ERROR(cursor.status());
  }
  const std::uint64_t missing = count - known.size();
  if (missing == 0) return {};
  return WalkDistinct(cursor, members - known.size(), missing, known, random, drawn);
}

}  // namespace mayfly::types

// set_commands.h - the handlers of the set family, by file, and the functions they share.
#pragma once

#include <string_view>

#include "server/command/command.h"
#include "types/set.h"

namespace mayfly::server {

// The set under the key.
Result<types::Set> SetOf(const Call& call, Bytes key);

// Notifies of what happened to the set: that it is new, the event itself, and that it was deleted,
// as far as they apply.
void NotifySet(const Call& call, const types::Set& set, std::string_view event, Bytes key);

// Corruption when a reply does not have the members its header announced.
Status CheckShown(std::uint64_t announced, std::uint64_t shown);

// set_commands.cc
Answer SAdd(Call& call);
Answer SCard(Call& call);
Answer SIsMember(Call& call);
Answer SMembers(Call& call);
Answer SMIsMember(Call& call);
Answer SMove(Call& call);
Answer SRem(Call& call);
Answer SScan(Call& call);

// set_commands_random.cc
Answer SPop(Call& call);
Answer SRandMember(Call& call);

// set_commands_algebra.cc
Answer SDiff(Call& call);
Answer SDiffStore(Call& call);
Answer SInter(Call& call);
Answer SInterCard(Call& call);
Answer SInterStore(Call& call);
Answer SUnion(Call& call);
Answer SUnionStore(Call& call);

}  // namespace mayfly::server

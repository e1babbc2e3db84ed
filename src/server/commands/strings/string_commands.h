// string_commands.h - the handlers of the string family; its table is in string_commands.cc.
#pragma once

#include "server/command/command.h"

namespace mayfly::server {

// string_commands_set.cc: writing a whole string and its deadline.
Answer Set(Call& call);
Answer SetNx(Call& call);
Answer SetEx(Call& call);
Answer PSetEx(Call& call);
Answer GetSet(Call& call);
Answer GetEx(Call& call);
Answer MSet(Call& call);
Answer MSetNx(Call& call);
Answer MSetEx(Call& call);

// string_commands.cc: reading, and changing a part.
Answer Get(Call& call);
Answer GetDel(Call& call);
Answer MGet(Call& call);
Answer StrLen(Call& call);
Answer Append(Call& call);
Answer GetRange(Call& call);
Answer SetRange(Call& call);

// string_commands_numbers.cc: strings that are numbers.
Answer Incr(Call& call);
Answer Decr(Call& call);
Answer IncrBy(Call& call);
Answer DecrBy(Call& call);
Answer IncrByFloat(Call& call);

// string_commands_conditions.cc: as long as a string is what the client expects.
Answer Digest(Call& call);
Answer DelEx(Call& call);
Answer DelIfEq(Call& call);

// string_commands_lcs.cc
Answer Lcs(Call& call);

}  // namespace mayfly::server

// hash_commands.h - what the files of the hash family share: its handlers, by file, and a few steps
// that most of them take.
#pragma once

#include <initializer_list>
#include <span>
#include <string_view>

#include "server/command/arguments.h"
#include "server/command/command.h"
#include "types/hash.h"

namespace mayfly::server {

// The hash under the command's key.
Result<types::Hash> HashOf(Call& call);

// Tells what happened to the hash: that it is new, the events themselves, and that it went,
// whichever is so.
void NotifyHash(Call& call, const types::Hash& hash,
                std::initializer_list<std::string_view> events);

// The value, or a null.
void ReplyField(Call& call, const core::FoundMember& found);

// The arguments from the word FIELDS on: it, how many there are, and the fields. Errors are worded
// as Redis 7.4 does; `count_error` is what a count that is none, or not positive, gets.
Result<std::span<const Bytes>> FieldsClause(std::span<const Bytes> clause, std::string_view command,
                                            std::string_view count_error);
inline constexpr std::string_view kFieldCountError = "Number of fields must be a positive integer";

// When fields die, as given: zero or more, and early enough to be one of Redis' instants.
Result<WallTime> FieldInstant(Bytes argument, TimeUnit unit, WallTime now,
                              std::string_view command);

// hash_commands_fields.cc
Answer HSet(Call& call);
Answer HMSet(Call& call);
Answer HSetNx(Call& call);
Answer HGet(Call& call);
Answer HMGet(Call& call);
Answer HDel(Call& call);
Answer HLen(Call& call);
Answer HStrLen(Call& call);
Answer HExists(Call& call);
Answer HIncrBy(Call& call);
Answer HIncrByFloat(Call& call);

// hash_commands_walks.cc
Answer HGetAll(Call& call);
Answer HKeys(Call& call);
Answer HVals(Call& call);
Answer HRandField(Call& call);
Answer HScan(Call& call);

// hash_commands_deadlines.cc
Answer HExpire(Call& call);
Answer HPExpire(Call& call);
Answer HExpireAt(Call& call);
Answer HPExpireAt(Call& call);
Answer HTtl(Call& call);
Answer HPTtl(Call& call);
Answer HExpireTime(Call& call);
Answer HPExpireTime(Call& call);
Answer HPersist(Call& call);

// hash_commands_lifetimes.cc
Answer HGetEx(Call& call);
Answer HSetEx(Call& call);
Answer HGetDel(Call& call);

}  // namespace mayfly::server

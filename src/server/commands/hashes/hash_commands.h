// hash_commands.h - the handlers of the hash family, by file, and the functions they share.
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

// Notifies of what happened to the hash: that it is new, the events themselves, and that it was
// deleted, as far as they apply.
void NotifyHash(Call& call, const types::Hash& hash,
                std::initializer_list<std::string_view> events);

// The value, or a null.
void ReplyField(Call& call, const core::FoundMember& found);

// The arguments from the word FIELDS on: it, their number, and the fields. Errors are worded as in
// Redis 7.4; `count_error` is for a count that is no positive number.
Result<std::span<const Bytes>> FieldsClause(std::span<const Bytes> clause, std::string_view command,
                                            std::string_view count_error);
inline constexpr std::string_view kFieldCountError = "Number of fields must be a positive integer";

// The deadline of fields, as given: zero or more, and within the range of Redis.
Result<WallTime> FieldInstant(Bytes argument, TimeUnit unit, WallTime now,
                              std::string_view command);

// Feeds the present deadline of fields, or (nothing) that they are gone. For calls with a feed.
void FeedFieldDeadlines(const Call& call, std::span<const Bytes> fields,
                        std::optional<WallTime> instant);

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

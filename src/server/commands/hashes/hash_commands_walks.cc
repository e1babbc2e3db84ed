// hash_commands_walks.cc - whole hashes: all fields, random ones, and HSCAN.
#include "server/command/arguments.h"
#include "server/command/errors.h"
#include "server/commands/hashes/hash_commands.h"
#include "server/commands/support/count_arguments.h"
#include "server/commands/support/member_scan.h"
#include "types/member_key.h"
#include "types/random_members.h"

namespace mayfly::server {
namespace {

enum class Shown : std::uint8_t { kFields, kValues, kBoth };

void ReplyPart(Call& call, Shown shown, Bytes member, Bytes value) {
  if (shown != Shown::kValues) call.reply.Bulk(types::NameOfMember(member));
  if (shown != Shown::kFields) call.reply.Bulk(value);
}

Answer ReplyAll(Call& call, Shown shown) {
  MAYFLY_TRY(const types::Hash hash, HashOf(call));
  call.reply.Begin(shown == Shown::kBoth ? Aggregate::kMap : Aggregate::kArray, hash.size());
  MAYFLY_TRY(const auto cursor, hash.NewCursor());
  if (cursor == nullptr) return {};
  std::uint64_t fields = 0;
  for (cursor->SeekToFirst(); cursor->Valid(); cursor->Next(), ++fields) {
    ReplyPart(call, shown, cursor->member(), cursor->value());
  }
  MAYFLY_RETURN_IF_ERROR(cursor->status());
  if (fields != hash.size()) {
    return Status::Corruption("a hash has other fields than it counts; run a check");
  }
  return {};
}

struct RandomFields {
  DrawCount count;
  bool with_values = false;
};

Result<RandomFields> ReadRandomFields(const Call& call) {
  const std::span<const Bytes> args = call.args;
  MAYFLY_TRY(const DrawCount count, DrawCountArgument(call, args[2]));
  const bool with_values = args.size() == 4 && IsWord(args[3], "withvalues");
  if (args.size() > 3 && !with_values) return SyntaxError();
  if (with_values && count.draws > kPairDrawsMax) return OutOfRange();
  return RandomFields{.count = count, .with_values = with_values};
}

// RESP3 has pairs where RESP2 has one flat array.
Answer ReplyRandomFields(Call& call, const types::Hash& hash, const RandomFields& wanted) {
  const bool paired = wanted.with_values && call.reply.version() == ProtocolVersion::kResp3;
  const std::uint64_t drawn = wanted.count.Of(hash.size());
  call.reply.Array(wanted.with_values && !paired ? drawn * 2 : drawn);
  if (drawn == 0) return {};
  const auto reply = [&](Bytes member, Bytes value) {
    if (paired) call.reply.Array(2);
    ReplyPart(call, wanted.with_values ? Shown::kBoth : Shown::kFields, member, value);
  };
  MAYFLY_TRY(const auto cursor, hash.NewCursor());
  Random& random = call.host.random();
  return wanted.count.with_repetition
             ? types::DrawWithRepetition(*cursor, hash.size(), drawn, random, reply)
             : types::DrawDistinct(*cursor, hash.size(), drawn, random, reply);
}

}  // namespace

Answer HGetAll(Call& call) { return ReplyAll(call, Shown::kBoth); }
Answer HKeys(Call& call) { return ReplyAll(call, Shown::kFields); }
Answer HVals(Call& call) { return ReplyAll(call, Shown::kValues); }

Answer HRandField(Call& call) {
  if (call.args.size() > 2) {
    MAYFLY_TRY(const RandomFields wanted, ReadRandomFields(call));
    MAYFLY_TRY(const types::Hash hash, HashOf(call));
    return ReplyRandomFields(call, hash, wanted);
  }
  MAYFLY_TRY(const types::Hash hash, HashOf(call));
  if (hash.empty()) {
    call.reply.Null();
    return {};
  }
  MAYFLY_TRY(const auto cursor, hash.NewCursor());
  return types::DrawWithRepetition(
      *cursor, hash.size(), 1, call.host.random(),
      [&](Bytes member, Bytes value) { ReplyPart(call, Shown::kFields, member, value); });
}

Answer HScan(Call& call) {
  bool no_values = false;
  const auto write = [&](Bytes name, Bytes value) -> Result<std::size_t> {
    call.reply.Bulk(name);
    if (no_values) return std::size_t{1};
    call.reply.Bulk(value);
    return std::size_t{2};
  };
  return ScanMembers(call, types::ValueType::kHash, write, &no_values);
}

}  // namespace mayfly::server

// dump_commands.cc - DUMP and RESTORE: values as bytes that Redis and mayfly exchange.
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/layout/liveness.h"
#include "server/command/arguments.h"
#include "server/command/errors.h"
#include "server/commands/keys/dump_rows.h"
#include "server/commands/keys/key_commands.h"
#include "server/dump/dump_payload.h"
#include "server/session/server.h"

namespace mayfly::server {
namespace {

struct RestoreOptions {
  bool replace = false;
  bool absolute = false;
  std::optional<Millis> idle;  // These two count under a policy of LRU or LFU.
  std::optional<std::uint8_t> frequency;
};

Result<RestoreOptions> ParseRestoreOptions(std::span<const Bytes> words) {
  constexpr std::int64_t kFrequencyMax = 255;
  RestoreOptions options;
  bool idle_given = false;
  bool frequency_given = false;
  for (std::size_t i = 0; i < words.size(); ++i) {
    const bool has_value = i + 1 < words.size();
    if (IsWord(words[i], "replace")) {
      options.replace = true;
    } else if (IsWord(words[i], "absttl")) {
      options.absolute = true;
    } else if (IsWord(words[i], "idletime") && has_value && !frequency_given) {
      MAYFLY_TRY(const std::int64_t seconds, IntegerArgument(words[++i]));
      if (seconds < 0) return Status::Invalid("Invalid IDLETIME value, must be >= 0");
      idle_given = true;
      constexpr std::int64_t kSecondsMax = 1'000'000'000;
      options.idle = std::chrono::seconds(std::min(seconds, kSecondsMax));
    } else if (IsWord(words[i], "freq") && has_value && !idle_given) {
      MAYFLY_TRY(const std::int64_t frequency, IntegerArgument(words[++i]));
      if (frequency < 0 || frequency > kFrequencyMax) {
        return Status::Invalid("Invalid FREQ value, must be >= 0 and <= 255");
      }
      frequency_given = true;
      options.frequency = static_cast<std::uint8_t>(frequency);
    } else {
      return SyntaxError();
    }
  }
  return options;
}

// The deadline of the row; 0: none.
Result<std::optional<WallTime>> DeadlineArgument(const Call& call, Bytes argument, TimeUnit unit) {
  MAYFLY_TRY(const std::int64_t ms, IntegerArgument(argument));
  if (ms < 0) return Status::Invalid("Invalid TTL value, must be >= 0");
  if (ms == 0) return std::optional<WallTime>();
  MAYFLY_TRY(const WallTime instant,
             InstantArgument(argument, unit, call.now(), "restore", /*positive=*/true));
  return std::optional(instant);
}

// Followers get the instant of the deadline, and a payload that Redis 7.0 reads: deadlines of fields
// are beside it then.
Status FeedRestored(const Call& call, Bytes key, DumpedValue value) {
  core::FoundRow row;
  MAYFLY_RETURN_IF_ERROR(call.space().Find(key, row));
  if (!row.exists) {
    call.feed->Instead({"DEL", key});
    return {};
  }
  const std::string deadline = row.deadline ? std::to_string(ToMs(*row.deadline)) : "0";
  std::vector<DumpedField> mortal;
  for (DumpedField& field : value.fields) {
    if (!field.deadline) continue;
    mortal.push_back({field.name, {}, field.deadline});
    field.deadline.reset();
  }
  call.feed->Instead({"RESTORE", key, deadline, EncodeDump(value), "REPLACE", "ABSTTL"});
  for (const DumpedField& field : mortal) {
    call.feed->Instead(
        {"HPEXPIREAT", key, std::to_string(ToMs(*field.deadline)), "FIELDS", "1", field.name},
        CommandFeed::Known::kSince74);
  }
  return {};
}

// Not undone if the command fails to be committed: it is a hint.
void NoteUse(const Call& call, Bytes key, const RestoreOptions& options) {
  Server* const server = call.host.server();
  AccessTable* const accesses = server == nullptr ? nullptr : server->data_limit().accesses();
  if (accesses == nullptr) return;
  accesses->Set(DatabaseKeyHash()(DatabaseKeyView{call.database, key}), options.idle,
                options.frequency);
}

}  // namespace

// DUMP key [NOMAXAGE]. With the word, which is not Redis', a stream's max age is left out.
Answer Dump(Call& call) {
  const bool leaves_out = call.args.size() == 3 && IsWord(call.args[2], "nomaxage");
  if (call.args.size() > 2 && !leaves_out) return SyntaxError();
  core::FoundRow row;
  MAYFLY_RETURN_IF_ERROR(call.space().Find(call.args[1], row));
  if (!row.exists) {
    call.reply.Null();
    return {};
  }
  MAYFLY_TRY(const DumpedValue value, ReadRows(call.space(), call.args[1], row, call.now(),
                                               leaves_out ? MaxAges::kLeaveOut : MaxAges::kRefuse));
  call.reply.Bulk(EncodeDump(value));
  return {};
}

Answer Restore(Call& call) {
  const Bytes key = call.args[1];
  MAYFLY_TRY(const RestoreOptions options, ParseRestoreOptions(call.args.subspan(4)));
  core::FoundRow old;
  MAYFLY_RETURN_IF_ERROR(call.space().Find(key, old));
  const bool existed = old.exists;
  if (existed && !options.replace) {
    return Answer::Error("BUSYKEY Target key name already exists.");
  }
  const TimeUnit unit = options.absolute ? TimeUnit::kUnixMillis : TimeUnit::kMillis;
  MAYFLY_TRY(const auto deadline, DeadlineArgument(call, call.args[2], unit));
  MAYFLY_TRY(DumpedValue value, DecodeDump(call.args[3]));
  if (core::IsDead(deadline, call.judged_at())) {
    MAYFLY_RETURN_IF_ERROR(call.space().Delete(key).status());
    if (existed) call.Notify(NotifyClass::kGeneric, "del", key);
  } else {
    MAYFLY_RETURN_IF_ERROR(WriteRows(call.space(), key, value, call.judged_at()));
    if (deadline) {
      const Status given = call.space().Expire(key, Lifetime::Until(*deadline)).status();
      // A hash whose fields have all died meanwhile does not exist.
      if (!given.ok() && !given.IsNotFound()) return given;
    }
    NoteUse(call, key, options);
    call.Notify(NotifyClass::kNew, "new", key);
    call.Notify(NotifyClass::kGeneric, "restore", key);
  }
  if (call.feed != nullptr) MAYFLY_RETURN_IF_ERROR(FeedRestored(call, key, std::move(value)));
  call.reply.Ok();
  return {};
}

}  // namespace mayfly::server

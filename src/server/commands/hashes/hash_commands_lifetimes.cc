// hash_commands_lifetimes.cc - values and deadlines of fields in one step: HGETEX, HSETEX, HGETDEL.
#include <fmt/format.h>

#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "core/layout/liveness.h"
#include "server/command/arguments.h"
#include "server/command/errors.h"
#include "server/commands/hashes/hash_commands.h"

namespace mayfly::server {
namespace {

std::optional<TimeUnit> ReadUnit(Bytes argument) {
  if (IsWord(argument, "ex")) return TimeUnit::kSeconds;
  if (IsWord(argument, "px")) return TimeUnit::kMillis;
  if (IsWord(argument, "exat")) return TimeUnit::kUnixSeconds;
  if (IsWord(argument, "pxat")) return TimeUnit::kUnixMillis;
  return std::nullopt;
}

// What HGETEX does to the deadlines of the fields it reads.
struct GetExOptions {
  std::optional<WallTime> instant;
  bool persist = false;
  std::span<const Bytes> fields;
};

Result<GetExOptions> ReadGetExOptions(const Call& call) {
  GetExOptions read;
  auto rest = call.args.subspan(2);
  if (const auto unit = ReadUnit(rest[0])) {
    MAYFLY_TRY(read.instant, FieldInstant(rest[1], *unit, call.now(), "hgetex"));
    rest = rest.subspan(2);
  } else if (IsWord(rest[0], "persist")) {
    read.persist = true;
    rest = rest.subspan(1);
  }
  MAYFLY_TRY(read.fields, FieldsClause(rest, "hgetex", kFieldCountError));
  return read;
}

// Changes the deadline of an existing field; true when something changed.
Result<bool> ChangeLifetime(types::Hash& hash, Bytes field, const core::FoundMember& found,
                            const GetExOptions& options, WallTime now) {
  if (options.instant && core::IsDead(*options.instant, now)) return hash.Remove(field);
  if (!options.instant && !(options.persist && found.deadline)) return false;
  const std::string value(found.value);
  const auto lifetime = options.instant ? core::MemberLifetime::Until(*options.instant)
                                        : core::MemberLifetime::Forever();
  MAYFLY_RETURN_IF_ERROR(hash.Put(field, value, lifetime).status());
  return true;
}

// The options of HSETEX. None of instant and keep_deadline: no deadline.
struct SetExOptions {
  bool only_new = false;    // FNX: none of the fields may exist.
  bool only_known = false;  // FXX: all of them must exist.
  std::optional<WallTime> instant;
  bool keep_deadline = false;
  std::span<const Bytes> pairs;
};

Status ReadPairs(std::span<const Bytes> clause, SetExOptions& read) {
  constexpr std::int64_t kFieldsMax = std::numeric_limits<std::int32_t>::max();
  if (clause.size() < 4) return WrongArity("hsetex");
  const Result<std::int64_t> count = IntegerArgument(clause[1]);
  if (!count || *count < 1 || *count > kFieldsMax) {
    return Status::Invalid("invalid number of fields");
  }
  read.pairs = clause.subspan(2);
  if (read.pairs.size() != static_cast<std::uint64_t>(*count) * 2) return WrongArity("hsetex");
  return {};
}

// Parses one option in front of FIELDS; takes it and its argument off `rest`.
Status ReadSetExOption(const Call& call, std::span<const Bytes>& rest, SetExOptions& read) {
  const Bytes word = rest[0];
  const auto unit = ReadUnit(word);
  const bool keeps = IsWord(word, "keepttl");
  if (unit || keeps) {
    if (read.instant || read.keep_deadline) {
      return Status::Invalid(
          "Only one of EX, PX, EXAT, PXAT or KEEPTTL arguments can be specified");
    }
    read.keep_deadline = keeps;
    rest = rest.subspan(1);
    if (keeps) return {};
    if (rest.empty()) return Status::Invalid("missing expire time");
    MAYFLY_TRY(read.instant, FieldInstant(rest[0], *unit, call.now(), "hsetex"));
  } else if (IsWord(word, "fnx") || IsWord(word, "fxx")) {
    if (read.only_new || read.only_known) {
      return Status::Invalid("Only one of FXX or FNX arguments can be specified");
    }
    (IsWord(word, "fnx") ? read.only_new : read.only_known) = true;
  } else {
    return Status::Invalid(fmt::format("unknown argument: {}", word));
  }
  rest = rest.subspan(1);
  return {};
}

Result<SetExOptions> ReadSetExOptions(const Call& call) {
  SetExOptions read;
  auto rest = call.args.subspan(2);
  while (!rest.empty() && !IsWord(rest[0], "fields")) {
    MAYFLY_RETURN_IF_ERROR(ReadSetExOption(call, rest, read));
  }
  MAYFLY_RETURN_IF_ERROR(ReadPairs(rest, read));
  return read;
}

Result<bool> ConditionHolds(const types::Hash& hash, const SetExOptions& options) {
  if (!options.only_new && !options.only_known) return true;
  for (std::size_t i = 0; i < options.pairs.size(); i += 2) {
    core::FoundMember found;
    MAYFLY_RETURN_IF_ERROR(hash.Find(options.pairs[i], found));
    if (found.exists ? options.only_new : options.only_known) return false;
  }
  return true;
}

void FeedGetEx(const Call& call, std::vector<Bytes> fields, std::optional<WallTime> instant,
               bool persist) {
  if (!persist) return FeedFieldDeadlines(call, fields, instant);
  const std::string count = std::to_string(fields.size());
  std::vector<Bytes> command = {"HPERSIST", call.args[1], "FIELDS", count};
  command.insert(command.end(), fields.begin(), fields.end());
  call.feed->Instead(command, CommandFeed::Known::kSince74);
}

// Redis 7.0 knows no HSETEX: the values go as HSET, which takes deadlines away, and these behind it.
Status FeedSetEx(const Call& call, types::Hash& hash, std::span<const Bytes> pairs) {
  std::vector<Bytes> set = {"HSET", call.args[1]};
  std::vector<Bytes> gone = {"HDEL", call.args[1]};
  std::vector<std::pair<Bytes, WallTime>> mortal;
  for (std::size_t i = 0; i < pairs.size(); i += 2) {
    core::FoundMember found;
    MAYFLY_RETURN_IF_ERROR(hash.Find(pairs[i], found));
    if (!found.exists) {
      gone.push_back(pairs[i]);
      continue;
    }
    set.insert(set.end(), {pairs[i], pairs[i + 1]});
    if (found.deadline) mortal.emplace_back(pairs[i], *found.deadline);
  }
  if (set.size() > 2) call.feed->Instead(set);
  for (const auto& [field, deadline] : mortal) {
    FeedFieldDeadlines(call, std::span(&field, 1), deadline);
  }
  if (gone.size() > 2) call.feed->Instead(gone);
  return {};
}

core::MemberLifetime LifetimeOf(const SetExOptions& options) {
  if (options.instant) return core::MemberLifetime::Until(*options.instant);
  return options.keep_deadline ? core::MemberLifetime::Keep() : core::MemberLifetime::Forever();
}

}  // namespace

Answer HGetEx(Call& call) {
  MAYFLY_TRY(types::Hash hash, HashOf(call));
  MAYFLY_TRY(const GetExOptions options, ReadGetExOptions(call));
  bool changed = false;
  std::vector<Bytes> changed_fields;
  call.reply.Array(options.fields.size());
  for (const Bytes field : options.fields) {
    core::FoundMember found;
    MAYFLY_RETURN_IF_ERROR(hash.Find(field, found));
    ReplyField(call, found);
    if (!found.exists) continue;
    MAYFLY_TRY(const bool change, ChangeLifetime(hash, field, found, options, call.judged_at()));
    changed = changed || change;
    if (change) changed_fields.push_back(field);
  }
  if (!changed) return {};
  const bool removed = options.instant && core::IsDead(*options.instant, call.judged_at());
  if (call.feed != nullptr)
    FeedGetEx(call, changed_fields, removed ? std::nullopt : options.instant, options.persist);
  NotifyHash(call, hash, {options.persist ? "hpersist" : (removed ? "hdel" : "hexpire")});
  return {};
}

Answer HSetEx(Call& call) {
  MAYFLY_TRY(const SetExOptions options, ReadSetExOptions(call));
  MAYFLY_TRY(types::Hash hash, HashOf(call));
  MAYFLY_TRY(const bool holds, ConditionHolds(hash, options));
  call.reply.Integer(holds ? 1 : 0);
  if (!holds) return {};
  const bool born_dead = options.instant && core::IsDead(*options.instant, call.judged_at());
  for (std::size_t i = 0; i < options.pairs.size(); i += 2) {
    const auto changed =
        born_dead ? hash.Remove(options.pairs[i])
                  : hash.Put(options.pairs[i], options.pairs[i + 1], LifetimeOf(options));
    MAYFLY_RETURN_IF_ERROR(changed.status());
  }
  if (call.feed != nullptr) MAYFLY_RETURN_IF_ERROR(FeedSetEx(call, hash, options.pairs));
  if (options.instant) {
    NotifyHash(call, hash, {"hset", born_dead ? "hdel" : "hexpire"});
  } else {
    NotifyHash(call, hash, {"hset"});
  }
  return {};
}

Answer HGetDel(Call& call) {
  MAYFLY_TRY(types::Hash hash, HashOf(call));
  MAYFLY_TRY(const auto fields, FieldsClause(call.args.subspan(2), "hgetdel", kFieldCountError));
  bool removed = false;
  call.reply.Array(fields.size());
  for (const Bytes field : fields) {
    core::FoundMember found;
    MAYFLY_RETURN_IF_ERROR(hash.Find(field, found));
    ReplyField(call, found);
    if (!found.exists) continue;
    MAYFLY_RETURN_IF_ERROR(hash.Remove(field).status());
    removed = true;
  }
  if (call.feed != nullptr) FeedFieldDeadlines(call, fields, std::nullopt);
  if (removed) NotifyHash(call, hash, {"hdel"});
  return {};
}

}  // namespace mayfly::server

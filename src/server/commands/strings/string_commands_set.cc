// string_commands_set.cc - commands that write a whole string and its deadline.
#include <limits>
#include <optional>
#include <string_view>

#include "core/layout/liveness.h"
#include "server/command/arguments.h"
#include "server/command/errors.h"
#include "server/commands/strings/string_commands.h"
#include "server/commands/strings/value_condition.h"
#include "server/commands/support/string_rows.h"

namespace mayfly::server {
namespace {

// The options of SET, MSETEX and GETEX.
struct SetOptions {
  bool if_absent = false;
  bool if_present = false;
  std::optional<ValueCondition> condition;
  bool get = false;
  bool keep_deadline = false;
  bool persist = false;
  std::optional<TimeUnit> unit;
  Bytes time;  // With a unit.
};

std::optional<TimeUnit> UnitOf(Bytes word) {
  if (IsWord(word, "ex")) return TimeUnit::kSeconds;
  if (IsWord(word, "px")) return TimeUnit::kMillis;
  if (IsWord(word, "exat")) return TimeUnit::kUnixSeconds;
  if (IsWord(word, "pxat")) return TimeUnit::kUnixMillis;
  return std::nullopt;
}

// False when the word at `i` is no option of the command but a unit, or contradicts one before it;
// moves `i` to the last argument of the option.
using TakeWord = bool (*)(std::span<const Bytes> words, std::size_t& i, SetOptions& options);

bool TakeMSetExWord(std::span<const Bytes> words, std::size_t& i, SetOptions& options) {
  const Bytes word = words[i];
  if (IsWord(word, "nx") && !options.if_present) return options.if_absent = true;
  if (IsWord(word, "xx") && !options.if_absent) return options.if_present = true;
  if (IsWord(word, "keepttl") && !options.unit) return options.keep_deadline = true;
  return false;
}

bool TakeSetWord(std::span<const Bytes> words, std::size_t& i, SetOptions& options) {
  if (IsWord(words[i], "get")) return options.get = true;
  const auto condition = ValueConditionOf(words[i]);
  if (!condition) {
    return TakeMSetExWord(words, i, options) &&
           !(options.condition && (options.if_absent || options.if_present));
  }
  if (options.if_absent || options.if_present || options.condition || i + 1 == words.size()) {
    return false;
  }
  options.condition = {*condition, words[++i]};
  return true;
}

bool TakeGetExWord(std::span<const Bytes> words, std::size_t& i, SetOptions& options) {
  if (IsWord(words[i], "persist") && !options.unit) return options.persist = true;
  return false;
}

Result<SetOptions> ParseOptions(std::span<const Bytes> words, TakeWord take_word) {
  SetOptions options;
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (const auto unit = UnitOf(words[i])) {
      // A unit may be repeated, and the last number counts; two units are an error.
      const bool contradicts =
          options.keep_deadline || options.persist || (options.unit && *options.unit != *unit);
      if (contradicts || i + 1 == words.size()) return SyntaxError();
      options.unit = unit;
      options.time = words[++i];
    } else if (!take_word(words, i, options)) {
      return SyntaxError();
    }
  }
  return options;
}

// Followers get the instant of a lifetime: a length would begin anew with them.
Status FeedString(const Call& call, Bytes key, Bytes value) {
  core::FoundRow row;
  MAYFLY_RETURN_IF_ERROR(call.space().Find(key, row));
  if (!row.exists) {
    call.feed->Instead({"DEL", key});
  } else if (row.deadline) {
    call.feed->Instead({"SET", key, value, "PXAT", std::to_string(ToMs(*row.deadline))});
  } else {
    call.feed->Instead({"SET", key, value});
  }
  return {};
}

// What followers get: the command as it came, or the SET that it amounted to, where a Redis of
// 7.0 would not know it.
enum class FeedForm : std::uint8_t { kAsItCame, kAsSet };

// Writes the row and notifies. An instant that has passed leaves no row, but is notified as a
// write, as in Redis.
Status WriteString(const Call& call, Bytes key, Bytes value, Lifetime lifetime,
                   FeedForm form = FeedForm::kAsItCame) {
  MAYFLY_RETURN_IF_ERROR(PutString(call, key, value, lifetime));
  call.Notify(NotifyClass::kString, "set", key);
  const bool mortal =
      lifetime.kind() == Lifetime::Kind::kFor || lifetime.kind() == Lifetime::Kind::kUntil;
  if (mortal) call.Notify(NotifyClass::kGeneric, "expire", key);
  const bool rewritten = mortal || form == FeedForm::kAsSet;
  return call.feed != nullptr && rewritten ? FeedString(call, key, value) : Status();
}

// For MSET and MSETNX. Notifies when all writes have succeeded.
Status WritePairs(const Call& call) {
  for (std::size_t i = 1; i < call.args.size(); i += 2) {
    MAYFLY_RETURN_IF_ERROR(PutString(call, call.args[i], call.args[i + 1], Lifetime::Default()));
  }
  for (std::size_t i = 1; i < call.args.size(); i += 2) {
    call.Notify(NotifyClass::kString, "set", call.args[i]);
  }
  return {};
}

// For SET and MSETEX.
Result<Lifetime> LifetimeOf(const Call& call, const SetOptions& options, std::string_view command) {
  if (!options.unit) return options.keep_deadline ? Lifetime::Keep() : Lifetime::Default();
  MAYFLY_TRY(const WallTime instant,
             InstantArgument(options.time, *options.unit, call.now(), command, /*positive=*/true));
  return LifetimeUntil(instant, *options.unit, call.judged_at());
}

// MSETEX: whether the keys of all pairs exist, or none of them.
Result<bool> AllowedFor(const Call& call, std::span<const Bytes> pairs, const SetOptions& options) {
  if (!options.if_absent && !options.if_present) return true;
  for (std::size_t i = 0; i < pairs.size(); i += 2) {
    core::FoundRow old;
    MAYFLY_RETURN_IF_ERROR(call.space().Find(pairs[i], old));
    if (old.exists != options.if_present) return false;
  }
  return true;
}

Answer SetFor(Call& call, TimeUnit unit, std::string_view command) {
  MAYFLY_TRY(const WallTime instant,
             InstantArgument(call.args[2], unit, call.now(), command, /*positive=*/true));
  MAYFLY_RETURN_IF_ERROR(WriteString(call, call.args[1], call.args[3],
                                     LifetimeUntil(instant, unit, call.judged_at())));
  call.reply.Ok();
  return {};
}

}  // namespace

Answer Set(Call& call) {
  const Bytes key = call.args[1];
  MAYFLY_TRY(const SetOptions options, ParseOptions(call.args.subspan(3), TakeSetWord));
  MAYFLY_TRY(const Lifetime lifetime, LifetimeOf(call, options, "set"));
  core::FoundRow old;
  if (options.get || options.condition) {
    MAYFLY_RETURN_IF_ERROR(FindString(call, key, old));
    if (options.get) ReplyString(call, old);
  } else if (options.if_absent || options.if_present) {
    MAYFLY_RETURN_IF_ERROR(call.space().Find(key, old));
  }
  bool allowed = options.if_absent ? !old.exists : (old.exists || !options.if_present);
  if (options.condition) {
    MAYFLY_TRY(allowed, Holds(*options.condition, old));
  }
  if (!allowed) {
    if (!options.get) call.reply.Null();
    return {};
  }
  const FeedForm form = options.condition ? FeedForm::kAsSet : FeedForm::kAsItCame;
  MAYFLY_RETURN_IF_ERROR(WriteString(call, key, call.args[2], lifetime, form));
  if (!options.get) call.reply.Ok();
  return {};
}

Answer MSetEx(Call& call) {
  constexpr std::int64_t kKeysMax = std::numeric_limits<std::int32_t>::max();
  const Result<std::int64_t> count = IntegerArgument(call.args[1]);
  if (!count || *count < 1 || *count > kKeysMax) return Status::Invalid("invalid numkeys value");
  const auto rest = call.args.subspan(2);
  const std::size_t size = static_cast<std::size_t>(*count) * 2;
  if (size > rest.size()) return Status::Invalid("wrong number of key-value pairs");
  const auto pairs = rest.first(size);
  MAYFLY_TRY(const SetOptions options, ParseOptions(rest.subspan(size), TakeMSetExWord));
  MAYFLY_TRY(const Lifetime lifetime, LifetimeOf(call, options, "msetex"));
  MAYFLY_TRY(const bool allowed, AllowedFor(call, pairs, options));
  for (std::size_t i = 0; allowed && i < size; i += 2) {
    MAYFLY_RETURN_IF_ERROR(WriteString(call, pairs[i], pairs[i + 1], lifetime, FeedForm::kAsSet));
  }
  call.reply.Integer(allowed ? 1 : 0);
  return {};
}

Answer SetNx(Call& call) {
  core::FoundRow old;
  MAYFLY_RETURN_IF_ERROR(call.space().Find(call.args[1], old));
  if (!old.exists) {
    MAYFLY_RETURN_IF_ERROR(WriteString(call, call.args[1], call.args[2], Lifetime::Default()));
  }
  call.reply.Integer(old.exists ? 0 : 1);
  return {};
}

Answer SetEx(Call& call) { return SetFor(call, TimeUnit::kSeconds, "setex"); }

Answer PSetEx(Call& call) { return SetFor(call, TimeUnit::kMillis, "psetex"); }

Answer GetSet(Call& call) {
  core::FoundRow old;
  MAYFLY_RETURN_IF_ERROR(FindString(call, call.args[1], old));
  ReplyString(call, old);
  return WriteString(call, call.args[1], call.args[2], Lifetime::Default());
}

Answer GetEx(Call& call) {
  const Bytes key = call.args[1];
  MAYFLY_TRY(const SetOptions options, ParseOptions(call.args.subspan(2), TakeGetExWord));
  core::FoundRow row;
  MAYFLY_RETURN_IF_ERROR(FindString(call, key, row));
  ReplyString(call, row);
  if (!row.exists) return {};
  if (options.persist && row.deadline) {
    MAYFLY_RETURN_IF_ERROR(call.space().Expire(key, Lifetime::Forever()).status());
    call.Notify(NotifyClass::kGeneric, "persist", key);
    if (call.feed != nullptr) call.feed->Instead({"PERSIST", key});
  }
  if (!options.unit) return {};
  MAYFLY_TRY(const WallTime instant,
             InstantArgument(options.time, *options.unit, call.now(), "getex", /*positive=*/true));
  if (core::IsDead(instant, call.judged_at())) {
    MAYFLY_RETURN_IF_ERROR(call.space().Delete(key).status());
    call.Notify(NotifyClass::kGeneric, "del", key);
    return call.feed != nullptr ? FeedDeadline(call, key) : Status();
  }
  const Lifetime lifetime = LifetimeUntil(instant, *options.unit, call.judged_at());
  MAYFLY_RETURN_IF_ERROR(call.space().Expire(key, lifetime).status());
  call.Notify(NotifyClass::kGeneric, "expire", key);
  return call.feed != nullptr ? FeedDeadline(call, key) : Status();
}

Answer MSet(Call& call) {
  if (call.args.size() % 2 == 0) return WrongArity("mset");
  MAYFLY_RETURN_IF_ERROR(WritePairs(call));
  call.reply.Ok();
  return {};
}

Answer MSetNx(Call& call) {
  if (call.args.size() % 2 == 0) return WrongArity("msetnx");
  for (std::size_t i = 1; i < call.args.size(); i += 2) {
    core::FoundRow old;
    MAYFLY_RETURN_IF_ERROR(call.space().Find(call.args[i], old));
    if (old.exists) {
      call.reply.Integer(0);
      return {};
    }
  }
  MAYFLY_RETURN_IF_ERROR(WritePairs(call));
  call.reply.Integer(1);
  return {};
}

}  // namespace mayfly::server

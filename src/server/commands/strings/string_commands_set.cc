// string_commands_set.cc - commands that write a whole string and its deadline.
#include <optional>
#include <string_view>

#include "core/layout/liveness.h"
#include "server/command/arguments.h"
#include "server/command/errors.h"
#include "server/commands/strings/string_commands.h"
#include "server/commands/support/string_rows.h"

namespace mayfly::server {
namespace {

// The options of SET and GETEX.
struct SetOptions {
  bool if_absent = false;
  bool if_present = false;
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

// False when the word is no option of SET without a value, or contradicts one before it.
bool TakeSetWord(Bytes word, SetOptions& options) {
  if (IsWord(word, "nx") && !options.if_present) return options.if_absent = true;
  if (IsWord(word, "xx") && !options.if_absent) return options.if_present = true;
  if (IsWord(word, "get")) return options.get = true;
  if (IsWord(word, "keepttl") && !options.unit) return options.keep_deadline = true;
  return false;
}

bool TakeGetExWord(Bytes word, SetOptions& options) {
  if (IsWord(word, "persist") && !options.unit) return options.persist = true;
  return false;
}

Result<SetOptions> ParseOptions(std::span<const Bytes> words,
                                bool (*take_word)(Bytes, SetOptions&)) {
  SetOptions options;
  for (std::size_t i = 0; i < words.size(); ++i) {
    if (const auto unit = UnitOf(words[i])) {
      // A unit may be repeated, and the last number counts; two units are an error.
      const bool contradicts =
          options.keep_deadline || options.persist || (options.unit && *options.unit != *unit);
      if (contradicts || i + 1 == words.size()) return SyntaxError();
      options.unit = unit;
      options.time = words[++i];
    } else if (!take_word(words[i], options)) {
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

// Writes the row and notifies. An instant that has passed leaves no row, but is notified as a
// write, as in Redis.
Status WriteString(const Call& call, Bytes key, Bytes value, Lifetime lifetime) {
  MAYFLY_RETURN_IF_ERROR(PutString(call, key, value, lifetime));
  call.Notify(NotifyClass::kString, "set", key);
  const bool mortal =
      lifetime.kind() == Lifetime::Kind::kFor || lifetime.kind() == Lifetime::Kind::kUntil;
  if (!mortal) return {};
  call.Notify(NotifyClass::kGeneric, "expire", key);
  return call.feed != nullptr ? FeedString(call, key, value) : Status();
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
  Lifetime lifetime = options.keep_deadline ? Lifetime::Keep() : Lifetime::Default();
  if (options.unit) {
    MAYFLY_TRY(const WallTime instant,
               InstantArgument(options.time, *options.unit, call.now(), "set", /*positive=*/true));
    lifetime = LifetimeUntil(instant, *options.unit, call.judged_at());
  }
  core::FoundRow old;
  if (options.get) {
    MAYFLY_RETURN_IF_ERROR(FindString(call, key, old));
    ReplyString(call, old);
  } else if (options.if_absent || options.if_present) {
    MAYFLY_RETURN_IF_ERROR(call.space().Find(key, old));
  }
  if ((options.if_absent && old.exists) || (options.if_present && !old.exists)) {
    if (!options.get) call.reply.Null();
    return {};
  }
  MAYFLY_RETURN_IF_ERROR(WriteString(call, key, call.args[2], lifetime));
  if (!options.get) call.reply.Ok();
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

#include "server/scripting/script_calls.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "server/command/arguments.h"
#include "server/command/command_table.h"
#include "server/command/errors.h"
#include "server/command/run_handler.h"
#include "server/scripting/lua/limits.h"
#include "wire/reply_parser.h"

namespace mayfly::server {
namespace {

Reply ErrorReply(std::string line) { return Reply::Text(Reply::Kind::kError, std::move(line)); }

// Up to this many keys of a script are searched linearly.
constexpr std::size_t kKeysLookedThrough = 16;

constexpr const char* kUnknownLine = "ERR Unknown Redis command called from script";

std::string Unknown(std::span<const Bytes> args) {
  auto unoffered = UnofferedText(args[0]);
  if (!unoffered && args.size() > 1) {
    unoffered = UnofferedText(fmt::format("{}|{}", args[0], args[1]));
  }
  if (!unoffered) return kUnknownLine;
  return fmt::format("ERR This Redis command is not allowed from script: {}", *unoffered);
}

}  // namespace

ScriptCalls::ScriptCalls(const server::Call& outer, ScriptContext& context, const Rules& rules)
    : outer_(outer),
      context_(context),
      rules_(rules),
      keys_only_(!outer.host.has_everything()),
      clock_(outer.host.real_clock()),
      begin_(clock_.Steady()),
      database_(outer.database) {
  if (rules_.keys.size() > kKeysLookedThrough) {
    many_keys_.insert(rules_.keys.begin(), rules_.keys.end());
  }
}

bool ScriptCalls::IsNamed(Bytes key) {
  if (!many_keys_.empty()) return many_keys_.contains(key);
  return std::find(rules_.keys.begin(), rules_.keys.end(), key) != rules_.keys.end();
}

bool ScriptCalls::NeedsOnlyKeys(const CommandSpec& spec, std::span<const Bytes> args) {
  // Effects on the server itself happen at once, and could not be rolled back.
  if ((spec.flags & kNoRows) != 0) return (spec.flags & (kAdmin | kWrite)) == 0;
  if ((spec.flags & kEverything) != 0 || database_ != outer_.database) return false;
  FindKeys(spec.keys, args, key_uses_);
  if (key_uses_.empty()) return false;
  return std::all_of(key_uses_.begin(), key_uses_.end(), [&](const KeyUse& use) {
    return IsNamed(args[static_cast<std::size_t>(use.position)]);
  });
}

bool ScriptCalls::OutOfTime() const {
  return keys_only_ && clock_.Steady() - begin_ > kScriptBesideTime;
}

Reply ScriptCalls::AskForEverything(ScriptRun& run) {
  constexpr const char* kLine = "ERR the script needs more than the keys it names";
  asked_for_everything_ = true;
  outer_.host.AskForEverything();
  run.Abort(kLine);
  return ErrorReply(kLine);
}

void ScriptCalls::Breathe(ScriptRun& run) {
  if (!keys_only_) return context_.Breathe();
  if (OutOfTime()) AskForEverything(run);
}

void ScriptCalls::Log(LogLevel level, Bytes message) {
  Note({.spec = nullptr,
        .took = {},
        .answer = {},
        .text = std::string(message),
        .level = level,
        .kind = Effect::Kind::kLogged});
}

void ScriptCalls::Note(Effect effect) {
  if (!keys_only_) return Show(effect);
  effects_.push_back(std::move(effect));
}

void ScriptCalls::Show(const Effect& effect) {
  switch (effect.kind) {
    case Effect::Kind::kRan: context_.CountRun(*effect.spec, effect.took, effect.answer); break;
    case Effect::Kind::kRefused: context_.CountRefused(effect.spec, effect.text); break;
    case Effect::Kind::kLogged: context_.Log(effect.level, effect.text); break;
    case Effect::Kind::kDenied: {
      const std::vector<Bytes> args(effect.args.begin(), effect.args.end());
      static_cast<void>(context_.Refusal(*effect.spec, args, /*tries=*/true));
      break;
    }
  }
}

void ScriptCalls::PublishEffects() {
  for (const Effect& effect : effects_) Show(effect);
  effects_.clear();
}

std::optional<std::string> ScriptCalls::Denial(const CommandSpec& spec,
                                               std::span<const Bytes> args) {
  std::optional<std::string> denial;
  if (keys_only_) denial = context_.Refusal(spec, args, /*tries=*/false);
  if (!denial) return context_.Refusal(spec, args, /*tries=*/true);
  Note({.spec = &spec,
        .took = {},
        .answer = {},
        .text = {},
        .level = {},
        .kind = Effect::Kind::kDenied,
        .args = {args.begin(), args.end()}});
  return denial;
}

// On a cluster a script has the slot of the keys it names.
std::string ScriptCalls::CheckSlot(const CommandSpec& spec, std::span<const Bytes> args) {
  if (!outer_.host.on_cluster()) return {};
  FindKeys(spec.keys, args, key_uses_);
  if (key_uses_.empty() && (spec.flags & (kWalks | kEverything)) != 0) {
    return "ERR The command is about all shards, and a script on a cluster is about one slot";
  }
  const bool reaches = std::all_of(key_uses_.begin(), key_uses_.end(), [&](const KeyUse& use) {
    return outer_.host.Reaches(args[static_cast<std::size_t>(use.position)]);
  });
  if (reaches) return {};
  return "ERR Script attempted to access keys that do not hash to the slot of the keys it names";
}

std::string ScriptCalls::Check(const CommandSpec* spec, std::span<const Bytes> args,
                               ScriptRun& run) {
  if (spec == nullptr) return Unknown(args);
  if (spec->handler == nullptr) return kUnknownLine;
  const auto count = static_cast<int>(args.size());
  if (spec->arity >= 0 ? count != spec->arity : count < -spec->arity) {
    return "ERR Wrong number of args calling Redis command from script";
  }
  if ((spec->flags & kNoScript) != 0) return "ERR This Redis command is not allowed from script";
  if (std::optional<std::string> denial = Denial(*spec, args)) return *denial;
  if (std::string error = CheckSlot(*spec, args); !error.empty()) return error;
  if (MayChange(*spec) && rules_.read_only) {
    return "ERR Write commands are not allowed from read-only scripts.";
  }
  if ((spec->flags & kWrite) != 0 && context_.refuses_writes()) return kReadOnlyLine;
  if ((spec->flags & kWrite) != 0 && !has_written_ && context_.lacks_followers()) {
    return kTooFewFollowersLine;
  }
  // A script that has begun to write goes on: half of it would be worse than a little more memory.
  if ((spec->flags & kDenyOom) != 0 && !rules_.allow_oom && !has_written_ &&
      context_.out_of_memory()) {
    return kOutOfMemoryLine;
  }
  if (MayChange(*spec) && !has_written_) {
    if (!run.BeginWrite()) return "ERR Script killed by user with SCRIPT KILL...";
    has_written_ = true;
  }
  return {};
}

Reply ScriptCalls::Call(std::span<const Bytes> args, ProtocolVersion version, ScriptRun& run) {
  const CommandSpec* const spec = context_.Find(args);
  if (keys_only_ && spec != nullptr && spec->handler != nullptr && !NeedsOnlyKeys(*spec, args)) {
    went_beyond_keys_ = true;
    return AskForEverything(run);
  }
  if (std::string error = Check(spec, args, run); !error.empty()) {
    Note({.spec = spec,
          .took = {},
          .answer = {},
          .text = error,
          .level = {},
          .kind = Effect::Kind::kRefused});
    return ErrorReply(error);
  }
  if (!keys_only_) context_.Called(*spec, database_, args);  // Else there are no monitors.
  const SteadyTime begin = clock_.Steady();
  OutputBuffer out;
  ReplyWriter writer(out, version);
  server::Call call{.args = args,
                    .reply = writer,
                    .transaction = (spec->flags & kNoRows) != 0 ? nullptr : outer_.transaction,
                    .database = database_,
                    .host = outer_.host,
                    .may_block = false,
                    .retried = false,
                    .from_script = true,
                    .frozen_now = outer_.now(),
                    .feed = outer_.feed};
  Answer answer =
      (spec->flags & kSelects) != 0 ? Select(args[1], writer) : RunHandler(*spec, call, out);
  if ((spec->flags & kReadOnly) != 0 && outer_.host.tracks_reads()) NoteReads(*spec, args);
  const bool later = answer.later();
  Note({.spec = spec,
        .took = clock_.Steady() - begin,
        .answer = std::move(answer),
        .text = {},
        .level = {},
        .kind = Effect::Kind::kRan});
  if (OutOfTime()) return AskForEverything(run);
  if (outer_.transaction != nullptr &&
      outer_.transaction->buffered_bytes() > context_.engine().write_bytes_max()) {
    run.Abort(
        "ERR the script writes more than script-write-max allows, and was taken back; write less "
        "with each script, or raise the setting");
  }
  if (later) return Reply::Null();
  ReplyParser parser;
  parser.Feed(out.view());
  Result<std::optional<Reply>> reply = parser.Next();
  if (!reply) return ErrorReply(fmt::format("ERR {}", reply.error().message()));
  if (!reply->has_value()) return ErrorReply("ERR the command did not reply");
  return **std::move(reply);
}

// As in Redis 7.0, a script that reads anything has read all keys that it names; and also what it
// has really read.
void ScriptCalls::NoteReads(const CommandSpec& spec, std::span<const Bytes> args) {
  outer_.host.NoteReads(outer_.database, rules_.keys);
  FindKeys(spec.keys, args, key_uses_);
  for (const KeyUse& use : key_uses_) {
    if ((use.flags & kNotKey) != 0) continue;
    outer_.host.NoteReads(database_, args.subspan(static_cast<std::size_t>(use.position), 1));
  }
}

Answer ScriptCalls::Select(Bytes argument, ReplyWriter& reply) {
  const Result<std::int64_t> database = IntegerArgument(argument);
  Answer answer;
  if (!database) {
    answer = NotAnInteger();
  } else if (*database < 0 || *database >= outer_.host.databases()) {
    answer = Answer::Error("ERR DB index is out of range");
  } else {
    database_ = static_cast<int>(*database);
    reply.Ok();
    return answer;
  }
  reply.Error(answer.error());
  return answer;
}

std::optional<bool> ScriptCalls::MayCall(std::span<const Bytes> args) {
  const CommandSpec* const spec = context_.Find(args);
  if (spec == nullptr) return std::nullopt;
  return !context_.Refusal(*spec, args, false).has_value();
}

}  // namespace mayfly::server

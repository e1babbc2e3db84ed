#include "server/scripting/script_calls.h"

#include <fmt/format.h>

#include "server/arguments.h"
#include "server/command_table.h"
#include "server/errors.h"
#include "server/run_handler.h"
#include "wire/reply_parser.h"

namespace mayfly::server {
namespace {

Reply ErrorReply(std::string line) { return Reply::Text(Reply::Kind::kError, std::move(line)); }

constexpr const char* kUnknownLine = "ERR Unknown Redis command called from script";

std::string Unknown(Bytes name) {
  const auto unoffered = UnofferedText(name);
  if (!unoffered) return kUnknownLine;
  return fmt::format("ERR This Redis command is not allowed from script: {}", *unoffered);
}

// Redis counts messages among the changes: a read-only script sends none.
bool Changes(const CommandSpec& spec) {
  return (spec.flags & kWrite) != 0 || spec.name == "publish" || spec.name == "spublish";
}

}  // namespace

ScriptCalls::ScriptCalls(const server::Call& outer, ScriptContext& context, bool read_only,
                         bool allow_oom)
    : outer_(outer),
      context_(context),
      read_only_(read_only),
      allow_oom_(allow_oom),
      database_(outer.database) {}

std::string ScriptCalls::Check(const CommandSpec* spec, std::span<const Bytes> args,
                               ScriptRun& run) {
  if (spec == nullptr) return Unknown(args[0]);
  if (spec->handler == nullptr) return kUnknownLine;
  const auto count = static_cast<int>(args.size());
  if (spec->arity >= 0 ? count != spec->arity : count < -spec->arity) {
    return "ERR Wrong number of args calling Redis command from script";
  }
  if ((spec->flags & kNoScript) != 0) return "ERR This Redis command is not allowed from script";
  if (std::optional<std::string> refusal = context_.Refusal(*spec, args, true)) return *refusal;
  if (Changes(*spec) && read_only_) {
    return "ERR Write commands are not allowed from read-only scripts.";
  }
  // What has begun to write goes on: half of a script would be worse than a little more memory.
  if ((spec->flags & kDenyOom) != 0 && !allow_oom_ && !has_written_ && context_.out_of_memory()) {
    return "OOM command not allowed when used memory > 'maxmemory'.";
  }
  if (Changes(*spec) && !has_written_) {
    if (!run.BeginWrite()) return "ERR Script killed by user with SCRIPT KILL...";
    has_written_ = true;
  }
  return {};
}

Reply ScriptCalls::Call(std::span<const Bytes> args, ProtocolVersion version, ScriptRun& run) {
  const CommandSpec* const spec = context_.Find(args);
  if (std::string error = Check(spec, args, run); !error.empty()) {
    context_.CountRefused(spec, error);
    return ErrorReply(error);
  }
  context_.Called(*spec, database_, args);
  const SteadyTime begin = SystemClock::Process().Steady();
  OutputBuffer out;
  ReplyWriter writer(out, version);
  server::Call call{.args = args,
                    .reply = writer,
                    .work = (spec->flags & kNoWork) != 0 ? nullptr : outer_.work,
                    .database = database_,
                    .host = outer_.host,
                    .may_block = false,
                    .retried = false,
                    .from_script = true,
                    .frozen_now = outer_.now()};
  const Answer answer =
      spec->name == "select" ? Select(args[1], writer) : RunHandler(*spec, call, out);
  context_.CountRun(*spec, SystemClock::Process().Steady() - begin, answer);
  if (answer.later()) return Reply::Null();
  ReplyParser parser;
  parser.Feed(out.view());
  Result<std::optional<Reply>> reply = parser.Next();
  if (!reply) return ErrorReply(fmt::format("ERR {}", reply.error().message()));
  if (!reply->has_value()) return ErrorReply("ERR the command did not reply");
  return **std::move(reply);
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

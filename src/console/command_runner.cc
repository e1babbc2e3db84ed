#include "console/command_runner.h"

#include <fmt/format.h>

#include <utility>

#include "base/random.h"
#include "console/limits.h"
#include "server/command/command_table.h"
#include "server/executor/pipeline.h"
#include "wire/reply_parser.h"
#include "wire/reply_writer.h"
#include "wire/request_parser.h"

namespace mayfly::console {
namespace {

Reply Error(std::string line) { return Reply::Text(Reply::Kind::kError, std::move(line)); }

// The last of them: messages may lie before a reply.
Reply ReplyIn(Bytes bytes) {
  ReplyParser parser;
  parser.Feed(bytes);
  Reply last = Error("ERR the command gave no reply");
  while (true) {
    auto next = parser.Next();
    if (!next) return Error("ERR " + std::string(next.error().message()));
    if (!next->has_value()) return last;
    if ((*next)->kind != Reply::Kind::kPush) last = *std::move(*next);
  }
}

}  // namespace

// An executor for the commands of one request.
class CommandRunner::Turn {
 public:
  explicit Turn(CommandRunner& runner) : runner_(runner) {
    std::unique_lock lock(runner.mutex_);
    const bool in_time =
        runner.freed_.wait_for(lock, kRunnerPatience, [&] { return !runner.free_.empty(); });
    if (!in_time) return;
    executor_ = std::move(runner.free_.back());
    runner.free_.pop_back();
  }
  ~Turn() {
    if (executor_ == nullptr) return;
    {
      const std::lock_guard lock(runner_.mutex_);
      runner_.free_.push_back(std::move(executor_));
    }
    runner_.freed_.notify_one();
  }
  Turn(const Turn&) = delete;
  Turn& operator=(const Turn&) = delete;

  server::Executor* executor() { return executor_.get(); }  // Null: others took too long.

 private:
  CommandRunner& runner_;
  std::unique_ptr<server::Executor> executor_;
};

CommandRunner::CommandRunner(server::Server& server, std::size_t runners_max) : server_(server) {
  for (std::size_t i = 0; i < runners_max; ++i) {
    free_.push_back(std::make_unique<server::Executor>(server, FreshSeed()));
  }
}

CommandRunner::~CommandRunner() = default;

std::shared_ptr<server::Session> CommandRunner::NewSession(const std::string& address) {
  server::ClientOrigin origin;
  origin.id = server_.clients().NewId();
  origin.address = address;
  auto session = std::make_shared<server::Session>(server_, std::move(origin));
  session->state().name = "console";
  session->state().version = ProtocolVersion::kResp3;
  return session;
}

Result<std::shared_ptr<server::Principal>> CommandRunner::Authenticate(Bytes user, Bytes password,
                                                                       const std::string& address) {
  const auto session = NewSession(address);
  session->Publish();
  const std::string client = session->Describe();
  std::shared_ptr<server::Principal> principal;
  const server::Answer answer = server_.authorizer().Authenticate(
      &user, password, {.command = "console", .client = client}, principal);
  if (!answer.ok()) return Status::Invalid(std::string(answer.error()));
  return principal;
}

Reply CommandRunner::RunOne(server::Executor& executor, server::Session& session,
                            server::TaskOutlet& outlet, const Arguments& command) {
  const std::vector<Bytes> views(command.begin(), command.end());
  server::Answer unknown;  // The executor says it, and counts it.
  const server::CommandEntry* const entry = server_.table().Resolve(views, unknown);
  if (entry != nullptr && server::NeedsConnection(*entry)) {
    return Error(fmt::format(
        "ERR '{}' needs a connection that lasts, which the console has not: use redis-cli",
        entry->full_name));
  }
  OutputBuffer request;
  ReplyWriter writer(request, ProtocolVersion::kResp2);
  writer.Array(command.size());
  for (const std::string& word : command) writer.Bulk(word);
  RequestParser parser;
  parser.Feed(request.view());
  server::Pipeline pipeline;
  pipeline.Fill(parser, 1);
  const SteadyTime patience = server_.Steady() + kHoldPatience;
  while (!pipeline.empty() && !session.state().close_after_reply) {
    executor.Run(session, pipeline, server_.Steady() + kTurn);
    if (session.hold() == server::Hold::kNone) continue;
    const bool waits = server_.Steady() < patience;
    if (waits) outlet.RunTasks(kHoldLook);
    session.Unpause();
    session.ScriptEnded();
    if (!waits) {  // It has not run.
      return Error("BUSY a script, or CLIENT PAUSE, holds commands back; try again");
    }
  }
  return ReplyIn(session.out().view());
}

Result<std::vector<Reply>> CommandRunner::Run(const Caller& caller,
                                              std::span<const Arguments> commands) {
  if (caller.database < 0 || caller.database >= server_.databases().count()) {
    return Status::Invalid(
        fmt::format("there are {} databases, counted from 0", server_.databases().count()));
  }
  Turn turn(*this);
  if (turn.executor() == nullptr) {
    return Status::Busy("commands of other users of the console take long; try again");
  }
  const auto outlet = std::make_shared<server::TaskOutlet>();
  const auto session = NewSession(caller.address);
  session->Attach(outlet);
  session->state().principal = caller.principal;
  session->state().database = caller.database;
  std::vector<Reply> replies;
  std::size_t bytes = 0;
  for (const Arguments& command : commands) {
    Reply reply = RunOne(*turn.executor(), *session, *outlet, command);
    bytes += session->out().size();
    if (bytes > kReplyBytesMax) {
      reply = Error(fmt::format("ERR replies of {} bytes, and the console takes {}: ask for a part",
                                bytes, kReplyBytesMax));
    }
    session->out().Clear();
    replies.push_back(std::move(reply));
    if (!session->ready()) break;
  }
  session->Forget();
  // A command that ended the session, such as SHUTDOWN, was the last.
  while (replies.size() < commands.size()) replies.push_back(Error("ERR not run"));
  return replies;
}

}  // namespace mayfly::console

#include "server/follow/leader_session.h"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <utility>

#include "base/log.h"
#include "base/printable.h"
#include "base/random.h"
#include "server/command/arguments.h"
#include "server/session/server.h"

namespace mayfly::server {
namespace {

constexpr std::size_t kPipelineCommandsMax = 1024;
constexpr std::size_t kFailureBytesMax = 200;
constexpr std::chrono::milliseconds kTurn(50);

// A leader's commands are trusted as to their size: it has run them.
RequestLimits LeaderLimits() {
  RequestLimits limits;
  limits.bulk_bytes_max = std::int64_t{4} << 30;
  limits.command_bytes_max = std::size_t{8} << 30;
  return limits;
}

}  // namespace

LeaderSession::LeaderSession(Server& server)
    : server_(server), executor_(server, FreshSeed()), outlet_(std::make_shared<TaskOutlet>()) {}

LeaderSession::~LeaderSession() {
  if (session_ != nullptr) session_->Forget();
}

void LeaderSession::Begin(const FollowPosition& position) {
  if (session_ != nullptr) session_->Forget();
  ClientOrigin origin;
  origin.id = server_.clients().NewId();
  origin.address = fmt::format("{}:{}", position.host, position.port);
  session_ = std::make_shared<Session>(server_, std::move(origin));
  session_->Attach(outlet_);
  session_->state().replies = ReplyMode::kOff;
  session_->state().leader = this;
  session_->state().database = position.database;
  parser_ = std::make_unique<RequestParser>(LeaderLimits());
  pipeline_ = Pipeline();
  ends_.clear();
  passed_ = 0;
  position_ = position;
  stored_ = received_ = position.offset;
  not_committed_ = {};
}

// Files of commands have lines between them that begin so.
bool LeaderSession::IsControl(Bytes word) {
  return IsWord(word, "replconf") || word.starts_with('#');
}

Status LeaderSession::Run(Bytes bytes, bool& wants_ack) {
  parser_->Feed(bytes);
  received_ += static_cast<std::int64_t>(bytes.size());
  while (true) {
    const auto outcome = pipeline_.Fill(*parser_, pipeline_.size() + 1);
    if (outcome == RequestParser::Outcome::kError) {
      return Status::Corruption(
          fmt::format("the leader's stream cannot be read: {}", parser_->error_text()));
    }
    const bool found = outcome == RequestParser::Outcome::kCommand;
    if (found) {
      ends_.push_back(received_ - static_cast<std::int64_t>(parser_->buffered_bytes()));
    }
    const bool control = found && IsControl(pipeline_[pipeline_.size() - 1].front());
    if (control) {
      pipeline_.DropLast();
      const std::int64_t behind = ends_.back();
      ends_.pop_back();
      MAYFLY_RETURN_IF_ERROR(RunPipeline());
      // The arguments are views into the parser, which has not moved on.
      position_.offset = behind;
      wants_ack = true;
      continue;
    }
    if (!found || pipeline_.size() >= kPipelineCommandsMax) MAYFLY_RETURN_IF_ERROR(RunPipeline());
    if (!found) return {};
  }
}

Status LeaderSession::RunPipeline() {
  while (!pipeline_.empty()) {
    executor_.Run(*session_, pipeline_, server_.Steady() + kTurn);
    if (!not_committed_.ok()) return not_committed_;
    if (server_.stops) return Status::Conflict("the server stops");
    if (session_->state().close_after_reply) {
      return Status::Corruption(
          "the leader's stream cannot be read: it asks for the connection's end");
    }
    if (session_->hold() != Hold::kNone) outlet_->RunTasks(kTurn);  // A script runs.
  }
  ends_.clear();
  passed_ = 0;
  return {};
}

core::KeySet::Key LeaderSession::position_key() const {
  return {&server_.databases().own(), kPositionKey};
}

Status LeaderSession::NotePosition(core::LatchedTransaction& transaction, std::size_t commands) {
  FollowPosition behind = position_;
  behind.offset = ends_[passed_ + commands - 1];
  behind.database = session_->state().database;
  MAYFLY_RETURN_IF_ERROR(transaction.In(server_.databases().own())
                             .Put(kPositionKey, EncodePosition(behind), Lifetime::Forever()));
  stored_ = behind.offset;
  return {};
}

// Within MULTI nothing is applied yet.
void LeaderSession::Passed(std::size_t commands) {
  passed_ += commands;
  if (commands == 0 || session_->state().transaction.open || !not_committed_.ok()) return;
  position_.offset = ends_[passed_ - 1];
  position_.database = session_->state().database;
}

void LeaderSession::Failed(std::span<const Bytes> args, std::string_view error) {
  ++failed_;
  const Bytes name = args.front();
  const Bytes key = args.size() > 1 ? args[1] : Bytes();
  last_failure_ = fmt::format("{} {}: {}", Printable(name.substr(0, kFailureBytesMax)),
                              Printable(key.substr(0, kFailureBytesMax)), error);
  // What follows would come to another database.
  Answer ignored;
  const CommandEntry* const entry = server_.table().Resolve(args, ignored);
  if (entry != nullptr && entry->Is(kSelects)) {
    NotCommitted(Status::Invalid(
        fmt::format("the leader uses database {}, and here are {}; raise the setting `databases`",
                    Printable(key), server_.databases().count())));
    return;
  }
  // Each power of two: a leader may use a command that is not offered all the time.
  if ((failed_ & (failed_ - 1)) == 0) {
    Log(server_.logger(), LogLevel::kError,
        "{} of the leader's commands could not be run here and are missing, the last: {}", failed_,
        last_failure_);
  }
}

// Nothing behind it may run: it would be applied without what is before it.
void LeaderSession::NotCommitted(const Status& status) {
  not_committed_ = status;
  session_->state().close_after_reply = true;
}

Status LeaderSession::StorePosition() {
  if (stored_ >= position_.offset || session_->state().transaction.open) return {};
  core::KeySet keys;
  keys.keys.push_back(position_key());
  MAYFLY_TRY(const auto transaction, server_.transactions().Begin(keys));
  MAYFLY_RETURN_IF_ERROR(transaction->In(server_.databases().own())
                             .Put(kPositionKey, EncodePosition(position_), Lifetime::Forever()));
  MAYFLY_RETURN_IF_ERROR(transaction->Commit());
  stored_ = position_.offset;
  return {};
}

}  // namespace mayfly::server

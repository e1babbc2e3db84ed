// leader_session.h - runs a leader's commands in its order, as the executor runs those of clients.
// A transaction of the leader is one here, too. The position behind the last command of a batch is
// stored by the batch itself (follow_position.h).
// Made before the server runs, since it has an executor; used by one thread, Post() by any.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "server/executor/executor.h"
#include "server/executor/pipeline.h"
#include "server/follow/follow_position.h"
#include "server/session/following.h"
#include "server/session/session.h"
#include "server/session/task_outlet.h"
#include "wire/request_parser.h"

namespace mayfly::server {

class LeaderSession final : public LeaderStream {
 public:
  explicit LeaderSession(Server& server);
  ~LeaderSession() override;

  // Begins at a position, without anything of an earlier stream.
  void Begin(const FollowPosition& position);

  // Takes bytes of the stream and runs every command that is complete. `wants_ack` is set when the
  // leader asks how far it is applied. An error: the stream cannot be read, or a commit failed;
  // then what is stored says where to go on.
  Status Run(Bytes bytes, bool& wants_ack);

  // Everything before this is applied; and received.
  const FollowPosition& position() const { return position_; }
  std::int64_t received() const { return received_; }

  // Stores the position if commands were passed that changed nothing.
  Status StorePosition();

  std::uint64_t failed() const { return failed_; }
  const std::string& last_failure() const { return last_failure_; }

  // LeaderStream.
  core::KeySet::Key position_key() const override;
  WallTime judged_at() const override { return position_.judged_at; }
  Status NotePosition(core::LatchedTransaction& transaction, std::size_t commands) override;
  void Passed(std::size_t commands) override;
  void Failed(std::span<const Bytes> args, std::string_view error) override;
  void NotCommitted(const Status& status) override;

 private:
  // Whether a command with this first word is about the stream itself, and not to be run.
  static bool IsControl(Bytes word);
  Status RunPipeline();

  Server& server_;
  Executor executor_;
  std::shared_ptr<TaskOutlet> outlet_;  // Shared with its session, weakly; replies go nowhere.
  std::shared_ptr<Session> session_;    // Shared with those who post to it.
  std::unique_ptr<RequestParser> parser_;
  Pipeline pipeline_;
  std::vector<std::int64_t> ends_;  // Offsets behind the commands of the pipeline.
  std::size_t passed_ = 0;          // Of these.
  FollowPosition position_;
  std::int64_t stored_ = 0;  // The offset that is stored.
  std::int64_t received_ = 0;
  Status not_committed_;
  std::uint64_t failed_ = 0;
  std::string last_failure_;
};

}  // namespace mayfly::server

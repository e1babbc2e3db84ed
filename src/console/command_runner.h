// command_runner.h - runs commands of the server's table for a user without a connection: by the same
// executor as those of other clients, so that permissions, limits, the slow log and the rules of time
// are the same.
// Made before the server runs, since it has executors; then safe to call from any thread. The calling
// thread runs the commands, which must not be one that serves the Redis protocol.
#pragma once

#include <condition_variable>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <vector>

#include "mayfly/result.h"
#include "server/command/authorizer.h"
#include "server/executor/executor.h"
#include "server/session/server.h"
#include "server/session/task_outlet.h"
#include "wire/reply.h"

namespace mayfly::console {

using Arguments = std::vector<std::string>;

// On whose behalf commands run.
struct Caller {
  std::shared_ptr<server::Principal> principal;  // Used by nobody else meanwhile.
  std::string address;                           // As logs show it.
  int database = 0;
};

class CommandRunner {
 public:
  // The server must outlive it.
  CommandRunner(server::Server& server, std::size_t runners_max);
  ~CommandRunner();

  // Runs the commands in order, each by itself, and returns their replies. A command that needs a
  // connection that lasts is refused in its reply. Invalid when there is no such database; Busy when
  // too many others run.
  Result<std::vector<Reply>> Run(const Caller& caller, std::span<const Arguments> commands);

  // As AUTH: the principal, or Invalid with the error in Redis' words.
  Result<std::shared_ptr<server::Principal>> Authenticate(Bytes user, Bytes password,
                                                          const std::string& address);

 private:
  class Turn;

  std::shared_ptr<server::Session> NewSession(const std::string& address);
  Reply RunOne(server::Executor& executor, server::Session& session, server::TaskOutlet& outlet,
               const Arguments& command);

  server::Server& server_;
  std::mutex mutex_;
  std::condition_variable freed_;
  std::vector<std::unique_ptr<server::Executor>> free_;  // Guarded by mutex_.
};

}  // namespace mayfly::console

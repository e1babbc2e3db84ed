// leader.h - serves the followers of this server (docs/decisions/0062-being-followed.md).
// A thread that begins with the first follower looks at them once a second: whether they are alive,
// and not too far behind; it sends PING, and ends a stream that nobody has read for long.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "server/lead/served_follower.h"
#include "server/session/leading.h"
#include "server/session/server.h"
#include "server/session/waiting_clients.h"

namespace mayfly::server {

class Leader final : public Leading {
 public:
  // The server must outlive it; Stop() it when no session runs any more.
  explicit Leader(Server& server);
  ~Leader() override;

  void Stop();

  // Leading.
  Status Serve(Session& session, const std::string& id, std::int64_t offset) override;
  void Acknowledged(Session& session, std::int64_t offset) override;
  LeadFigures figures() const override;
  std::size_t CountAt(std::int64_t offset) const override;
  void Await(const std::shared_ptr<Waiter>& waiter, std::int64_t offset,
             std::size_t count) override;

 private:
  struct Wait {
    std::shared_ptr<Waiter> waiter;  // Shared with its session.
    std::int64_t offset;
    std::size_t count;
  };

  void Run();
  void Look();
  void EndUnreadStream();
  std::size_t CountLocked(std::int64_t offset) const;
  void EndWaits();
  void CountClose();

  Server& server_;
  std::thread thread_;
  SteadyTime pinged_;       // Used on the thread.
  SteadyTime last_served_;  // Likewise.

  mutable std::mutex mutex_;  // Guards the rest.
  std::condition_variable stopped_;
  bool stops_ = false;
  std::vector<std::shared_ptr<ServedFollower>> followers_;  // Shared with their sessions.
  std::vector<Wait> waits_;
  std::uint64_t full_copies_ = 0;
  std::uint64_t resumptions_ = 0;
  std::uint64_t refused_ = 0;
};

}  // namespace mayfly::server

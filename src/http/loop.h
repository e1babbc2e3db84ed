// loop.h - one thread that serves HTTP: its event loop, its connections, and a slow tick.
// A connection's time is counted in ticks of its loop. That costs an addition where a timer of its
// own would cost more than parsing the request; and what a handler takes is nobody's time, since
// the loop does not tick meanwhile.
#pragma once

#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <chrono>
#include <cstdint>
#include <thread>
#include <unordered_set>

namespace mayfly::http {

class Connection;

class Loop {
 public:
  // A tick stands for kTick, however long it really is: tests have a shorter one.
  explicit Loop(std::chrono::milliseconds tick);
  ~Loop();
  Loop(const Loop&) = delete;
  Loop& operator=(const Loop&) = delete;

  void Start();

  // The handler that runs is waited for; clients are let go.
  void Stop();

  boost::asio::io_context& context() { return context_; }

  // On its thread.
  void Enter(Connection& connection) { connections_.insert(&connection); }
  void Leave(Connection& connection) { connections_.erase(&connection); }
  std::int64_t TickAfter(std::chrono::seconds time) const;

 private:
  void Tick();

  const std::chrono::milliseconds tick_;
  std::int64_t ticks_ = 0;
  std::unordered_set<Connection*> connections_;  // Outlives context_, which holds the last of them.
  boost::asio::io_context context_{1};
  boost::asio::executor_work_guard<boost::asio::io_context::executor_type> alive_;
  boost::asio::steady_timer timer_;
  std::thread thread_;
};

}  // namespace mayfly::http

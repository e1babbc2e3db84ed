// loop.h - one thread that serves HTTP: its event loop, its connections, and a slow tick.
// A connection's time is counted in ticks of its loop. That costs an addition, where a timer of its
// own would cost more than parsing the request; and a handler's time counts for no connection,
// since the loop does not tick meanwhile. Requests that are ready at the same time, of one client
// or several, are answered together: see GroupHandler.
#pragma once

#include <atomic>
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <chrono>
#include <cstdint>
#include <memory>
#include <thread>
#include <unordered_set>
#include <vector>

#include "http/body_budget.h"
#include "http/handshakes.h"
#include "http/router.h"

namespace mayfly::http {

class Connection;

class Loop {
 public:
  // A tick counts as kTick, however long it really is: tests have a shorter one. All must outlive
  // it.
  Loop(const Router& router, BodyBudget& budget, Handshakes& handshakes,
       std::chrono::milliseconds tick);
  ~Loop();
  Loop(const Loop&) = delete;
  Loop& operator=(const Loop&) = delete;

  void Start();

  // Waits for the running handler; closes clients.
  void Stop();

  boost::asio::io_context& context() { return context_; }

  // Whether a handler runs on it at this moment: what comes to it waits. From any thread.
  bool is_busy() const { return busy_.load(std::memory_order_relaxed); }
  const Router& router() const { return router_; }
  BodyBudget& budget() { return budget_; }
  Handshakes& handshakes() { return handshakes_; }

  // On its thread.
  void Enter(Connection& connection) { connections_.insert(&connection); }
  void Leave(Connection& connection) { connections_.erase(&connection); }
  std::int64_t TickAfter(std::chrono::seconds time) const;

  // Answers its requests together with those of other clients that have arrived by now.
  void AnswerSoon(std::shared_ptr<Connection> connection);

 private:
  void Tick();
  void AnswerWaiting();

  const Router& router_;
  BodyBudget& budget_;
  Handshakes& handshakes_;
  const std::chrono::milliseconds tick_;
  std::atomic<bool> busy_{false};
  std::int64_t ticks_ = 0;
  std::unordered_set<Connection*> connections_;  // Outlives context_, which holds the last of them.
  boost::asio::io_context context_{1};
  boost::asio::executor_work_guard<boost::asio::io_context::executor_type> alive_;
  boost::asio::steady_timer timer_;
  std::vector<std::shared_ptr<Connection>> waiting_;  // Shared with their pending reads.
  std::vector<std::shared_ptr<Connection>> turn_;     // Those of them that are answered now,
  std::vector<Exchange*> exchanges_;                  // and their requests, some at a time.
  std::thread thread_;
};

}  // namespace mayfly::http

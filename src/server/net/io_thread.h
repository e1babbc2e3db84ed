// io_thread.h - a thread that serves clients: an event loop, its connections, an executor.
#pragma once

#include <atomic>
#include <boost/asio/executor_work_guard.hpp>
#include <boost/asio/io_context.hpp>
#include <boost/asio/steady_timer.hpp>
#include <functional>
#include <memory>
#include <thread>
#include <unordered_map>
#include <vector>

#include "server/executor/executor.h"
#include "server/net/connection.h"
#include "server/session/server.h"

namespace mayfly::server {

class WaitingThreads;

class IoThread {
 public:
  // `waiting`: null, or outlives it.
  IoThread(Server& server, std::uint64_t seed, WaitingThreads* waiting);
  ~IoThread();  // Stop() and Join() first.
  IoThread(const IoThread&) = delete;
  IoThread& operator=(const IoThread&) = delete;

  void Start();

  // Lets the clients have their last replies, and ends when the last is gone, or after
  // kFarewellTime.
  void Stop();

  // Afterwards no thread holds a connection: each needs this one's context to its end.
  void Join();

  asio::io_context& context() { return context_; }
  std::atomic<std::size_t>& living() { return living_; }
  std::size_t connections() const { return count_.load(std::memory_order_relaxed); }

  // From any thread: `make` creates the connection on this one.
  void Adopt(std::function<std::shared_ptr<Connection>(IoThread&)> make);

  // On this thread.
  Server& server() { return server_; }
  Executor& executor() { return executor_.running() ? second_executor_ : executor_; }

  // Within a command: handles input of other clients. The running script refuses or delays their
  // commands, except those about that script.
  void ServeOthers() { context_.poll(); }

  // Within a command that waits for the store of a cluster: answers what touches no row. The rest
  // waits, or is refused once the store has been silent for long.
  void ServeWhileWaiting();
  const OutputLimits& output_limits();
  void Remove(Connection& connection);

 private:
  void Look();
  void EndWhenEmpty();

  // A copy: closing a connection removes it.
  std::vector<std::shared_ptr<Connection>> All() const;

  Server& server_;
  // Without the hint that one thread runs it: with it, ServeOthers() would count off tasks that
  // were never counted (those this thread has posted meanwhile), and the context would end with the
  // last of them.
  asio::io_context context_;
  asio::executor_work_guard<asio::io_context::executor_type> alive_;
  asio::steady_timer look_;
  asio::steady_timer farewell_;
  Executor executor_;
  Executor second_executor_;  // While the other is in the middle of a script.
  const std::atomic<std::int64_t>& output_limits_setting_;
  std::int64_t output_limits_seen_ = 0;  // The setting when they were last read.
  OutputLimits output_limits_;
  std::unordered_map<Connection*, std::shared_ptr<Connection>> connections_;
  std::atomic<std::size_t> count_{0};
  std::atomic<std::size_t> living_{0};  // More than count_ while another thread holds a connection.
  bool stopping_ = false;
  bool serves_while_waiting_ = false;
  WaitingThreads* const waiting_;  // Null: it waits without serving others.
  std::thread thread_;
};

}  // namespace mayfly::server

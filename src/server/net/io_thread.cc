#include "server/net/io_thread.h"

#include <boost/asio/post.hpp>
#include <utility>
#include <vector>

#include "base/log.h"
#include "server/command/limits.h"
#include "server/net/waiting_threads.h"

namespace mayfly::server {

IoThread::IoThread(Server& server, std::uint64_t seed, WaitingThreads* waiting)
    : server_(server),
      alive_(context_.get_executor()),
      look_(context_),
      farewell_(context_),
      executor_(server, seed),
      second_executor_(server, ~seed),
      output_limits_setting_(server.config().Watched(Setting::kClientOutputBufferLimit)),
      waiting_(waiting) {}

IoThread::~IoThread() = default;

void IoThread::Start() {
  Look();
  thread_ = std::thread([this] {
    if (waiting_ != nullptr) waiting_->Register([this] { ServeWhileWaiting(); });
    context_.run();
    if (waiting_ != nullptr) waiting_->Register(nullptr);
  });
}

// What it runs waits for nothing, so it is never within itself; a script that another command waits
// beside has the second executor.
void IoThread::ServeWhileWaiting() {
  if (serves_while_waiting_ || second_executor_.running()) return;
  serves_while_waiting_ = true;
  Executor& stand_in = executor();
  stand_in.set_beside_wait(true);
  if (server_.cluster() != nullptr) server_.cluster()->SetBesideWait(true);
  context_.poll();
  if (server_.cluster() != nullptr) server_.cluster()->SetBesideWait(false);
  stand_in.set_beside_wait(false);
  serves_while_waiting_ = false;
}

void IoThread::Join() {
  if (thread_.joinable()) thread_.join();
  // A thread that posts to a client holds its connection for that moment.
  while (living_ > 0) std::this_thread::yield();
}

void IoThread::Adopt(std::function<std::shared_ptr<Connection>(IoThread&)> make) {
  count_.fetch_add(1, std::memory_order_relaxed);
  asio::post(context_, [this, make = std::move(make)] {
    std::shared_ptr<Connection> connection;
    if (!stopping_) connection = make(*this);
    if (connection == nullptr) {
      count_.fetch_sub(1, std::memory_order_relaxed);
      return;
    }
    connections_.emplace(connection.get(), connection);
    connection->Start();
  });
}

const OutputLimits& IoThread::output_limits() {
  const std::int64_t setting = output_limits_setting_.load(std::memory_order_acquire);
  if (setting != output_limits_seen_) {
    output_limits_seen_ = setting;
    static_cast<void>(
        ReadOutputLimits(server_.config().Text(Setting::kClientOutputBufferLimit), output_limits_));
  }
  return output_limits_;
}

void IoThread::Remove(Connection& connection) {
  if (connections_.erase(&connection) > 0) count_.fetch_sub(1, std::memory_order_relaxed);
  EndWhenEmpty();
}

void IoThread::EndWhenEmpty() {
  if (!stopping_ || !connections_.empty()) return;
  look_.cancel();
  farewell_.cancel();
  alive_.reset();
}

std::vector<std::shared_ptr<Connection>> IoThread::All() const {
  std::vector<std::shared_ptr<Connection>> all;
  for (const auto& [pointer, connection] : connections_) all.push_back(connection);
  return all;
}

void IoThread::Look() {
  look_.expires_after(kLookInterval);
  look_.async_wait([this](const ErrorCode& error) {
    if (error) return;
    for (const auto& connection : All()) connection->Look(server_.Steady());
    if (!stopping_) Look();
  });
}

void IoThread::Stop() {
  asio::post(context_, [this] {
    if (std::exchange(stopping_, true)) return;
    farewell_.expires_after(kFarewellTime);
    farewell_.async_wait([this](const ErrorCode& error) {
      if (error) return;
      for (const auto& connection : All()) connection->Close();
    });
    for (const auto& connection : All()) connection->Farewell();
    EndWhenEmpty();
  });
}

}  // namespace mayfly::server

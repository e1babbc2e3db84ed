#include "http/loop.h"

#include <boost/asio/post.hpp>
#include <utility>

#include "http/connection.h"
#include "http/limits.h"

namespace mayfly::http {

Loop::Loop(const Router& router, BodyBudget& budget, Handshakes& handshakes,
           std::chrono::milliseconds tick)
    : router_(router),
      budget_(budget),
      handshakes_(handshakes),
      tick_(tick),
      alive_(context_.get_executor()),
      timer_(context_) {}

Loop::~Loop() { Stop(); }

void Loop::Start() {
  Tick();
  thread_ = std::thread([this] { context_.run(); });
}

void Loop::Stop() {
  context_.stop();
  if (thread_.joinable()) thread_.join();
}

// One more, since some of the present tick is over.
std::int64_t Loop::TickAfter(std::chrono::seconds time) const { return ticks_ + time / kTick + 1; }

// After the events that are ready at this moment.
void Loop::AnswerSoon(std::shared_ptr<Connection> connection) {
  if (waiting_.empty()) boost::asio::post(context_, [this] { AnswerWaiting(); });
  waiting_.push_back(std::move(connection));
}

void Loop::AnswerWaiting() {
  turn_.swap(waiting_);  // Some of them will wait again.
  for (auto first = turn_.begin(); first != turn_.end();) {
    exchanges_.clear();
    auto last = first;
    while (last != turn_.end() && exchanges_.size() < kRequestsTogetherMax) {
      (*last++)->ListUnanswered(exchanges_);
    }
    busy_.store(true, std::memory_order_relaxed);
    router_.Answer(exchanges_);
    busy_.store(false, std::memory_order_relaxed);
    for (; first != last; ++first) (*first)->OnAnswered();
  }
  turn_.clear();
}

// A connection that is closed leaves later, when its pending operations have ended.
void Loop::Tick() {
  timer_.expires_after(tick_);
  timer_.async_wait([this](const boost::system::error_code& error) {
    if (error) return;
    ++ticks_;
    for (Connection* const connection : connections_) connection->CloseIfOverdue(ticks_);
    Tick();
  });
}

}  // namespace mayfly::http

#include "http/loop.h"

#include "http/connection.h"
#include "http/limits.h"

namespace mayfly::http {

Loop::Loop(std::chrono::milliseconds tick)
    : tick_(tick), alive_(context_.get_executor()), timer_(context_) {}

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

// A connection that is closed leaves later, when what it waits for has ended.
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

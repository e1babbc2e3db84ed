#include "server/executor/peer_commands.h"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <optional>
#include <utility>

#include "wire/decimal.h"

namespace mayfly::server {
namespace {

constexpr int kHopsMax = 16;  // As many as clients of Redis Cluster follow.

// A shard that is handed over is at neither server for a moment, and each names the other one.
constexpr int kHopsAtOnce = 2;
constexpr std::chrono::milliseconds kFirstPause{5};
constexpr std::chrono::milliseconds kLongestPause{250};

std::chrono::milliseconds PauseBefore(int hop) {
  if (hop <= kHopsAtOnce) return std::chrono::milliseconds(0);
  return std::min(kFirstPause * (1 << (hop - kHopsAtOnce - 1)), kLongestPause);
}

// "-MOVED 3999 10.0.0.1:6379"; nothing: another reply.
std::optional<ServerAddress> MovedTo(Bytes reply) {
  constexpr Bytes kMark = "-MOVED ";
  if (!reply.starts_with(kMark)) return std::nullopt;
  reply = reply.substr(0, reply.find('\r'));
  const std::size_t blank = reply.find(' ', kMark.size());
  const std::size_t colon = reply.rfind(':');
  if (blank == Bytes::npos || colon == Bytes::npos || colon < blank) return std::nullopt;
  std::int64_t port = 0;
  if (!ReadInteger(reply.substr(colon + 1), port) || port <= 0) return std::nullopt;
  return ServerAddress{std::string(reply.substr(blank + 1, colon - blank - 1)),
                       static_cast<int>(port)};
}

}  // namespace

std::string LineOf(const Status& failure) {
  if (failure.code() == StatusCode::kBusy) return fmt::format("TRYAGAIN {}", failure.message());
  return fmt::format("ERR {}", failure.message());
}

std::shared_ptr<PeerCommands> PeerCommands::Start(PeerCalls& peers, Order order, Done done) {
  auto commands = std::make_shared<PeerCommands>(peers, std::move(order), std::move(done));
  commands->Send();
  return commands;
}

PeerCommands::PeerCommands(PeerCalls& peers, Order order, Done done)
    : peers_(peers),
      done_(std::move(done)),
      order_(std::move(order)),
      waiting_(order_.commands.size()),
      replies_(order_.commands.size()) {
  std::iota(waiting_.begin(), waiting_.end(), std::size_t{0});
}

void PeerCommands::Send() {
  PeerRequest request;
  {
    const std::lock_guard lock(mutex_);
    request = {.to = order_.to,
               .version = order_.version,
               .bytes = {},
               .replies = waiting_.size(),
               .waits = order_.waits,
               .pause = PauseBefore(hops_)};
    for (const std::size_t place : waiting_) request.bytes += order_.commands[place];
  }
  auto call =
      peers_.Send(std::move(request), [weak = weak_from_this()](const PeerReplies& replies) {
        if (const auto self = weak.lock()) self->OnReplies(replies);
      });
  const std::lock_guard lock(mutex_);
  calls_.push_back(std::move(call));
}

void PeerCommands::OnReplies(const PeerReplies& replies) {
  if (!(replies ? TakeReplies(*replies) : TakeFailure(replies.error()))) return Send();
  if (!order_.is_transaction) return done_(replies_);
  done_({replies_.back()});
}

bool PeerCommands::TakeFailure(const Status& failure) {
  const std::lock_guard lock(mutex_);
  const bool nothing_was_sent = failure.code() == StatusCode::kBusy;
  ServerAddress next;
  if (order_.find_again && hops_ < kHopsMax && failure.code() != StatusCode::kInvalid) {
    next = order_.find_again();
  }
  std::vector<std::size_t> again;
  for (const std::size_t place : waiting_) {
    const bool changes_nothing =
        place < order_.changes_nothing.size() && order_.changes_nothing[place];
    // The same server again: it may have died, and nobody has its shards yet.
    if (next.port != 0 && (nothing_was_sent || (changes_nothing && next != order_.to))) {
      again.push_back(place);
    } else {
      // What has changed nothing may be repeated by the client.
      const bool repeat = changes_nothing && failure.code() == StatusCode::kIoError;
      replies_[place] = fmt::format(
          "-{}\r\n", LineOf(repeat ? Status::Busy(std::string(failure.message())) : failure));
    }
  }
  if (again.empty()) return true;
  ++hops_;
  order_.to = next;
  waiting_ = std::move(again);
  return false;
}

bool PeerCommands::TakeReplies(const std::vector<std::string>& replies) {
  const std::lock_guard lock(mutex_);
  std::vector<std::size_t> moved;
  std::optional<ServerAddress> next;
  for (std::size_t i = 0; i < waiting_.size(); ++i) {
    const auto to = MovedTo(replies[i]);
    if (to && hops_ < kHopsMax) {
      if (!next) next = to;
      moved.push_back(waiting_[i]);
    }
    replies_[waiting_[i]] = replies[i];
  }
  if (!next) return true;
  ++hops_;
  order_.to = *next;
  if (!order_.is_transaction) waiting_ = std::move(moved);
  return false;
}

}  // namespace mayfly::server

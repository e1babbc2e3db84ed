#include "server/peers/peer_link.h"

#include <fmt/format.h>

#include <boost/asio/connect.hpp>
#include <boost/asio/write.hpp>
#include <utility>

#include "server/peers/limits.h"

namespace mayfly::server {

namespace asio = boost::asio;

namespace {

using ErrorCode = boost::system::error_code;

constexpr std::size_t kReadBytes = std::size_t{64} * 1024;

std::string Command(const std::vector<Bytes>& words) { return WireText(words); }

}  // namespace

PeerLink::PeerLink(asio::io_context& context, const Clock& clock, ServerAddress to,
                   ProtocolVersion version, PeerLogin login, OnRefused on_refused)
    : clock_(clock),
      to_(std::move(to)),
      version_(version),
      login_(std::move(login)),
      on_refused_(std::move(on_refused)),
      resolver_(context),
      socket_(context),
      room_(kReadBytes),
      last_sign_(clock.Steady()) {}

void PeerLink::Start() {
  Pending greeting;
  greeting.handshake = true;
  static_cast<void>(Greeting(greeting.replies_left));
  pending_.push_back(std::move(greeting));
  resolver_.async_resolve(
      to_.host, std::to_string(to_.port),
      [self = shared_from_this()](const ErrorCode& error, const auto& addresses) {
        if (self->closed_) return;
        if (error) return self->Close(Status::Busy(error.message()));
        asio::async_connect(self->socket_, addresses,
                            [self](const ErrorCode& failure, const auto& /*endpoint*/) {
                              if (self->closed_) return;
                              if (failure) return self->Close(Status::Busy(failure.message()));
                              self->Connected();
                            });
      });
}

std::string PeerLink::Greeting(std::size_t& replies) const {
  std::string text;
  replies = 1;
  if (!login_.password.empty()) {
    ++replies;
    text += login_.user.empty() ? Command({"AUTH", login_.password})
                                : Command({"AUTH", login_.user, login_.password});
  }
  if (version_ == ProtocolVersion::kResp3) {
    ++replies;
    text += Command({"HELLO", "3"});
  }
  return text + Command({"CLUSTER", "PEER"});
}

void PeerLink::Connected() {
  ErrorCode ignored;
  socket_.set_option(asio::ip::tcp::no_delay(true), ignored);
  last_sign_ = clock_.Steady();
  std::size_t replies = 0;
  sending_ = Greeting(replies);
  writing_ = true;
  asio::async_write(socket_, asio::buffer(sending_),
                    [self = shared_from_this()](const ErrorCode& error, std::size_t) {
                      self->writing_ = false;
                      if (self->closed_) return;
                      if (error) return self->Close(Status::Busy(error.message()));
                      self->Write();
                    });
  Read();
}

void PeerLink::Send(const PeerRequest& request, Done done) {
  if (queued_.size() + request.bytes.size() > kLinkBytesMax) {
    return done(Status::Busy(fmt::format("too much waits for the server {}", ToText(to_))));
  }
  if (pending_.empty()) last_sign_ = clock_.Steady();
  pending_.push_back({.replies_left = request.replies,
                      .replies = {},
                      .waits = request.waits,
                      .handshake = false,
                      .done = std::move(done)});
  queued_ += request.bytes;
  Write();
}

void PeerLink::Write() {
  if (!greeted_ || writing_ || closed_ || queued_.empty()) return;
  sending_ = std::exchange(queued_, {});
  writing_ = true;
  asio::async_write(socket_, asio::buffer(sending_),
                    [self = shared_from_this()](const ErrorCode& error, std::size_t) {
                      self->writing_ = false;
                      if (self->closed_) return;
                      if (error) return self->Close(Status::IoError(error.message()));
                      self->Write();
                    });
}

void PeerLink::Read() {
  socket_.async_read_some(asio::buffer(room_),
                          [self = shared_from_this()](const ErrorCode& error, std::size_t bytes) {
                            if (self->closed_) return;
                            if (error) return self->Close(Status::IoError(error.message()));
                            self->OnRead(bytes);
                          });
}

void PeerLink::OnRead(std::size_t bytes) {
  last_sign_ = clock_.Steady();
  arrived_.append(room_.data(), bytes);
  std::size_t taken = 0;
  while (!closed_ && !refused_) {
    const auto size = extent_.Find(Bytes(arrived_).substr(taken));
    if (!size) return Close(Status::IoError(std::string(size.error().message())));
    if (*size == 0) break;
    if (pending_.empty()) return Close(Status::IoError("a reply that was not asked for"));
    TakeReply(arrived_.substr(taken, *size));
    taken += *size;
  }
  arrived_.erase(0, taken);
  if (!closed_ && !refused_) Read();
}

void PeerLink::TakeReply(std::string reply) {
  Pending& first = pending_.front();
  if (first.handshake) {
    if (reply.starts_with('-')) return EndRefused(reply.substr(1, reply.find('\r') - 1));
    if (--first.replies_left > 0) return;
    pending_.pop_front();
    greeted_ = true;
    return Write();
  }
  first.replies.push_back(std::move(reply));
  if (--first.replies_left > 0) return;
  Pending ended = std::move(first);
  pending_.pop_front();
  ended.done(std::move(ended.replies));
}

// The other server hears of it, before it could know who this is: its operator is to see it, too.
void PeerLink::EndRefused(const std::string& line) {
  refused_ = true;
  const Status why = Status::Invalid(
      fmt::format("the server {} refuses this one, as the user '{}': {}. cluster-user and "
                  "cluster-password must "
                  "be those of a user there who may forward commands",
                  ToText(to_), login_.user.empty() ? "default" : login_.user, line));
  on_refused_(why);
  if (login_.self.empty() || writing_) return Close(why);
  sending_ = Command({"CLUSTER", "REFUSED", login_.self});
  writing_ = true;
  asio::async_write(socket_, asio::buffer(sending_),
                    [self = shared_from_this(), why](const ErrorCode& /*all the same*/,
                                                     std::size_t) { self->Close(why); });
}

// Before the greeting is answered nothing was sent.
void PeerLink::Close(const Status& reason) {
  if (std::exchange(closed_, true)) return;
  ErrorCode ignored;
  socket_.close(ignored);
  resolver_.cancel();
  const Status told =
      refused_   ? reason
      : greeted_ ? Status::IoError(fmt::format(
                       "the connection to the server {} broke ({}); the command may have run",
                       ToText(to_), reason.message()))
                 : Status::Busy(fmt::format("the server {} cannot be reached: {}", ToText(to_),
                                            reason.message()));
  for (Pending& pending : std::exchange(pending_, {})) {
    if (pending.done) pending.done(told);
  }
}

bool PeerLink::IsSilent(SteadyTime now) const {
  if (pending_.empty() || pending_.front().waits) return false;
  return now - last_sign_ > (greeted_ ? kReplyPatience : kConnectPatience);
}

}  // namespace mayfly::server

#include "http/connection.h"

#include <fmt/format.h>

#include <algorithm>
#include <boost/asio/error.hpp>
#include <boost/asio/ssl/error.hpp>
#include <utility>

#include "http/limits.h"
#include "http/loopback.h"

namespace mayfly::http {
namespace {

namespace asio = boost::asio;

constexpr int kTooLarge = 413;
constexpr int kUnavailable = 503;

Peer PeerOf(const Stream::Socket& socket, bool tls) {
  boost::system::error_code error;
  const asio::ip::tcp::endpoint remote = socket.remote_endpoint(error);
  if (error) return {};  // It has gone.
  const bool is_v6 = remote.address().is_v6();
  const std::string address = remote.address().to_string();
  return {.address = fmt::format("{}:{}", is_v6 ? "[" + address + "]" : address, remote.port()),
          .local = IsLoopback(remote.address()),
          .tls = tls};
}

bool IsPlainHttp(const boost::system::error_code& error) {
  return error.category() == asio::error::get_ssl_category() &&
         ERR_GET_REASON(static_cast<unsigned long>(error.value())) == SSL_R_HTTP_REQUEST;
}

}  // namespace

Connection::Connection(Loop& loop, Stream::Socket socket, asio::ssl::context* tls,
                       std::atomic<std::size_t>& open)
    : loop_(loop),
      stream_(std::move(socket), tls),
      open_(open),
      peer_(PeerOf(stream_.socket(), stream_.is_tls())),
      memory_(loop.budget()) {
  ++open_;
}

Connection::~Connection() {
  if (shakes_hands_) loop_.handshakes().End();
  loop_.Leave(*this);
  --open_;
}

void Connection::Enter() {
  ErrorCode ignored;
  stream_.socket().set_option(asio::ip::tcp::no_delay(true), ignored);
  stream_.socket().non_blocking(true, ignored);
  loop_.Enter(*this);
}

void Connection::Start() {
  Enter();
  if (stream_.is_tls()) return Shake();
  BeginNext();
  Read();
}

void Connection::Shake() {
  if (!loop_.handshakes().Begin()) return Close();
  shakes_hands_ = true;
  Allow(kHandshakeTime);
  crowded_overdue_at_ = loop_.TickAfter(kHandshakeTimeCrowded);
  stream_.tls().async_handshake(
      asio::ssl::stream_base::server,
      [self = shared_from_this()](const ErrorCode& error) { self->OnShaken(error); });
}

void Connection::OnShaken(const ErrorCode& error) {
  shakes_hands_ = false;
  loop_.handshakes().End();
  if (error) return IsPlainHttp(error) ? RefusePlain() : Close();
  BeginNext();
  Read();
}

// Its request is not answered: it may have sent a password in the clear, and should learn of it.
void Connection::RefusePlain() {
  stream_.DropTls();
  ending_ = Ending::kDrain;
  AppendResponse(output_,
                 {.status = 400,
                  .body = "this port speaks TLS (http-tls): ask with https:// and not http://\n"},
                 {});
  Proceed();
}

// Over TLS, the refusal would cost a handshake.
void Connection::TurnAway() {
  Enter();
  if (stream_.is_tls()) return Close();
  Refuse(kUnavailable);
  Proceed();
}

// Sends pending output, then handles new input.
void Connection::Proceed() {
  while (true) {
    if (!output_.empty() && !SendNow()) return;
    if (IsWaiting()) return loop_.AnswerSoon(shared_from_this());
    if (ending_ != Ending::kNone) return End();
    Gather();
    if (!IsWaiting() && output_.empty()) return Read();
  }
}

void Connection::Gather() {
  while (MayAskMore()) {
    std::string_view bytes(static_cast<const char*>(input_.data().data()), input_.size());
    const RequestReader::Outcome outcome = reader_.Read(bytes);
    input_.consume(input_.size() - bytes.size());
    if (!HoldMemory()) return Refuse(kUnavailable);
    switch (outcome) {
      case RequestReader::Outcome::kNeedsMore: return;
      case RequestReader::Outcome::kHeader: OnHeader(); break;
      case RequestReader::Outcome::kWhole: Ask(); break;
      case RequestReader::Outcome::kFault: Refuse(reader_.fault_status()); break;
    }
  }
}

bool Connection::MayAskMore() const {
  return ending_ == Ending::kNone && last_words_.empty() && asked_ < kRequestsTogetherMax &&
         asked_bytes_ <= kRequestBytesTogetherMax;
}

void Connection::OnHeader() {
  const Request& request = reader_.request();
  route_ = &loop_.router().OptionsOf(request.method, request.path);
  if (!reader_.TakeBody(route_->body_bytes_max)) return Refuse(kTooLarge);
  if (reader_.asks_before_body()) AppendContinue(LastWords());
  Allow(kBodyTime);
  crowded_overdue_at_ = loop_.TickAfter(kBodyTimeCrowded);
}

void Connection::Ask() {
  if (asked_ == requests_.size()) requests_.emplace_back();
  Asked& asked = requests_[asked_++];
  asked.manner = {.version = reader_.version(),
                  .keep_alive = reader_.keep_alive(),
                  .without_body = reader_.request().method == "HEAD"};
  asked.exchange.client = this;
  asked_bytes_ += reader_.request_bytes();
  reader_.SwapRequest(asked.exchange.request);
  asked.exchange.request.peer = &peer_;
  // Closing with bytes unread would discard the response.
  if (!asked.manner.keep_alive) ending_ = input_.size() > 0 ? Ending::kDrain : Ending::kClose;
  BeginNext();
}

void Connection::ListUnanswered(std::vector<Exchange*>& exchanges) {
  for (std::size_t i = told_; i < asked_; ++i) {
    Exchange& exchange = requests_[i].exchange;
    if (!exchange.response) exchanges.push_back(&exchange);
  }
}

// Handles the exchanges up to the first that was left for another call.
void Connection::OnAnswered() {
  for (; IsWaiting() && requests_[told_].exchange.response; ++told_) {
    Asked& asked = requests_[told_];
    AppendResponse(output_, *asked.exchange.response, asked.manner);
    asked.exchange.response.reset();
  }
  if (!IsWaiting()) ForgetAsked();
  Proceed();
}

void Connection::ForgetAsked() {
  if (asked_bytes_ > kBytesKept) requests_ = {};
  asked_ = told_ = asked_bytes_ = 0;
  output_ += last_words_;
  last_words_ = {};
  HoldMemory();
}

std::string& Connection::LastWords() { return IsWaiting() ? last_words_ : output_; }

// The rest of this connection's input cannot be parsed: it ends with the refusal.
void Connection::Refuse(int status) {
  ending_ = Ending::kDrain;
  const bool worded = route_ != nullptr && route_->refuse != nullptr;
  AppendResponse(LastWords(),
                 worded ? route_->refuse(status) : Response{.status = status, .body = ""}, {});
  reader_.Next();  // Frees its memory.
  HoldMemory();
}

void Connection::BeginNext() {
  route_ = nullptr;
  reader_.Next();
  Allow(kIdleTime);
}

// Asio tries to read before it waits, which mostly fails. Waiting first would replace that call by
// one that arms the descriptor again: measured, no difference.
void Connection::Read() {
  if (input_.size() == 0 && input_.capacity() > kBytesKept) input_.shrink_to_fit();
  const std::size_t room = std::clamp(reader_.body_bytes_ahead(), kReadBytesMin, kReadBytesMax);
  stream_.AsyncRead(input_.prepare(room),
                    [self = shared_from_this()](const ErrorCode& error, std::size_t bytes) {
                      if (error) return self->Close();
                      self->input_.commit(bytes);
                      self->Proceed();
                    });
}

// At once, as is nearly always possible: waiting would be one more round of the loop. Not over TLS,
// whose stream would keep what the socket does not take. False when it is not done: then the rest is
// pending, or the connection is closed.
bool Connection::SendNow() {
  ErrorCode error;
  if (stream_.is_tls()) {
    SendRest(0);
    return false;
  }
  const std::size_t sent = stream_.socket().write_some(asio::buffer(output_), error);
  if (error && error != asio::error::would_block) {
    Close();
    return false;
  }
  if (sent < output_.size()) {
    SendRest(sent);
    return false;
  }
  OnSent();
  return true;
}

void Connection::SendRest(std::size_t sent) {
  Allow(kWriteTime);
  stream_.AsyncWrite(asio::buffer(output_) + sent,
                     [self = shared_from_this()](const ErrorCode& error, std::size_t) {
                       if (error) return self->Close();
                       self->OnSent();
                       self->Allow(self->reader_.has_header() ? kBodyTime : kIdleTime);
                       self->Proceed();
                     });
}

void Connection::OnSent() {
  output_.clear();
  if (output_.capacity() > kBytesKept) output_.shrink_to_fit();
}

// The end of TLS is said first: without it, a client cannot tell it from an attacker's.
void Connection::End() {
  Allow(kDrainTime);  // For all of it.
  if (stream_.is_tls()) {
    return stream_.tls().async_shutdown(
        [self = shared_from_this()](const ErrorCode&) { self->HalfClose(); });
  }
  if (ending_ == Ending::kClose) return Close();
  HalfClose();
}

void Connection::HalfClose() {
  ErrorCode ignored;
  stream_.socket().shutdown(asio::socket_base::shutdown_send, ignored);
  Drain();
}

void Connection::Drain() {
  input_.clear();
  stream_.socket().async_read_some(
      input_.prepare(kReadBytesMax),
      [self = shared_from_this()](const ErrorCode& error, std::size_t bytes) {
        self->drained_ += bytes;
        if (error || self->drained_ > kDrainBytesMax) return self->Close();
        self->Drain();
      });
}

void Connection::CloseIfOverdue(std::int64_t tick) {
  const bool in_the_way = route_ != nullptr && memory_.held() > 0;  // Its body is incomplete.
  if (shakes_hands_ && tick >= crowded_overdue_at_ && loop_.handshakes().IsCrowded()) {
    return Close();
  }
  if (in_the_way && tick >= crowded_overdue_at_ && loop_.budget().IsCrowded()) return Close();
  if (tick >= overdue_at_) Close();
}

void Connection::Close() {
  ErrorCode ignored;
  stream_.socket().shutdown(asio::socket_base::shutdown_both, ignored);
  stream_.socket().close(ignored);
}

}  // namespace mayfly::http

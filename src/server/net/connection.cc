#include "server/net/connection.h"

#include <algorithm>
#include <boost/asio/post.hpp>
#include <boost/asio/ssl/stream_base.hpp>
#include <utility>

#include "base/log.h"
#include "server/command/limits.h"
#include "server/net/io_thread.h"

namespace mayfly::server {

Connection::Connection(IoThread& thread, Stream stream, ClientOrigin origin,
                       const RequestLimits& limits)
    : living_(thread.living()),
      thread_(thread),
      stream_(std::move(stream)),
      timer_(thread.context()),
      session_(std::make_shared<Session>(thread.server(), std::move(origin))),
      parser_(limits),
      aside_bytes_max_(limits.command_bytes_max) {}

Connection::~Connection() = default;

void Connection::Start() {
  session_->Attach(weak_from_this());
  thread_.server().clients().Add(session_);
  if (TlsStream* const tls = stream_.tls()) {
    ArmTimer(kHandshakeTime, Hold::kNone);
    tls->async_handshake(asio::ssl::stream_base::server,
                         [self = shared_from_this()](const ErrorCode& error) {
                           self->DisarmTimer();
                           if (error) return self->Close();
                           self->Begin();
                         });
    return;
  }
  Begin();
}

void Connection::Begin() {
  session_->Publish();
  Read();
}

void Connection::Post(std::function<void()> task) {
  asio::post(thread_.context(), std::move(task));
}

void Connection::Proceed() {
  if (proceeding_ || gives_way_ || closed_ || closing_) return;
  proceeding_ = true;
  RunTurn();
  proceeding_ = false;
  if (doomed_ || (lost_ && !gives_way_)) return Close();
  if (session_->state().close_after_reply) closing_ = true;
  // Before anything is sent: half a reply is worse than none.
  if (PassesOutputLimit()) return Close();
  SendNext();
  if (closed_) return;
  if (closing_ || rests_) return;
  gives_way_ ? GiveWay() : WaitOrRead();
}

void Connection::RunTurn() {
  const SteadyTime end = thread_.server().Steady() + kTurnTime;
  for (bool first = true; session_->ready(); first = false) {
    if (lost_) session_->out().Clear();
    rests_ = output_bytes() > kOutputBytesBeforeRest;
    if (rests_ || !FillPipeline()) break;
    gives_way_ = !first && thread_.server().Steady() >= end;
    if (gives_way_) break;
    thread_.executor().Run(*session_, pipeline_, end);
  }
}

// Goes on behind what the other connections have received by now. The loop looks for that after
// this handler, and so puts it behind a task posted here, but before one that such a task posts.
void Connection::GiveWay() {
  Post([self = shared_from_this()] {
    self->Post([self] {
      self->gives_way_ = false;
      self->Proceed();
    });
  });
}

// False when there is nothing to run.
bool Connection::FillPipeline() {
  while (pipeline_.empty()) {
    const bool known = session_->state().principal != nullptr;
    parser_.set_unauthenticated(!known);
    const std::size_t before = parser_.buffered_bytes();
    const auto outcome = pipeline_.Fill(parser_, known ? kBatchCommandsMax : 1);
    pipeline_bytes_ = before - parser_.buffered_bytes();
    if (!pipeline_.empty()) return true;
    if (outcome == RequestParser::Outcome::kError) {
      if (!parser_.error_text().empty()) {
        ReplyWriter(session_->out(), session_->state().version).Error(parser_.error_text());
      }
      session_->state().close_after_reply = true;
      return false;
    }
    if (aside_.empty()) return false;
    parser_.Feed(aside_);
    aside_ = std::string();
  }
  return true;
}

void Connection::WaitOrRead() {
  Server& server = thread_.server();
  DisarmTimer();  // That of an earlier wait, which ended before its time.
  switch (session_->hold()) {
    case Hold::kNone: return Read();
    case Hold::kBlocked:
      if (const auto timeout = session_->block_timeout()) {
        ArmTimer(std::min<Millis>(*timeout, kWaitMax), Hold::kBlocked);
      }
      break;
    case Hold::kPaused:
      if (const auto pause = server.pause().Now(server.Steady())) {
        ArmTimer(pause->until - server.Steady(), Hold::kPaused);
      } else {
        ArmTimer(std::chrono::nanoseconds(0), Hold::kPaused);
      }
      break;
    case Hold::kScript: AwaitScript(); break;
    case Hold::kShard: ArmTimer(kShardLookInterval, Hold::kShard); break;
  }
  ReadAside();
}

// Once the script has run for too long, the client gets an error.
void Connection::AwaitScript() {
  Server& server = thread_.server();
  const Millis threshold(server.config().Number(Setting::kBusyReplyThreshold));
  const auto since = server.script_gate().shut_since();
  if (threshold.count() == 0 || !since) return;
  const auto ran = std::chrono::duration_cast<Millis>(server.Steady() - *since);
  if (ran < threshold) {
    ArmTimer(std::min<Millis>(threshold - ran, kWaitMax), Hold::kScript);
  }
}

void Connection::ArmTimer(std::chrono::nanoseconds after, Hold hold) {
  timer_.expires_after(after);
  timer_.async_wait(
      [self = shared_from_this(), hold, turn = ++timer_turn_](const ErrorCode& error) {
        // A timer that has just expired cannot be cancelled any more.
        if (error || self->closed_ || turn != self->timer_turn_) return;
        switch (hold) {
          case Hold::kNone: return self->Close();
          case Hold::kBlocked: return self->session_->BlockTimedOut();
          case Hold::kPaused: return self->session_->Unpause();
          case Hold::kScript: return self->session_->ScriptEnded();
          case Hold::kShard: return self->session_->LookForShard();
        }
      });
}

void Connection::DisarmTimer() {
  ++timer_turn_;
  timer_.cancel();
}

void Connection::Read() {
  if (reading_ || closed_) return;
  reading_ = true;
  if (parser_.buffered_bytes() == 0 && parser_.memory_bytes() > kInputBytesKept) parser_.Release();
  const std::span<char> room = parser_.Prepare(kReadBytesMin);
  session_->NoteBuffers(buffers());
  stream_.AsyncRead(room, [self = shared_from_this()](const ErrorCode& error, std::size_t bytes) {
    self->OnRead(error, bytes, false);
  });
}

void Connection::ReadAside() {
  if (reading_ || closed_) return;
  reading_ = true;
  aside_room_.resize(kReadBytesMin);
  session_->NoteBuffers(buffers());
  stream_.AsyncRead(aside_room_,
                    [self = shared_from_this()](const ErrorCode& error, std::size_t bytes) {
                      self->OnRead(error, bytes, true);
                    });
}

// Costs no memory for a client that sends nothing.
void Connection::AwaitBytes() {
  if (reading_ || closed_) return;
  reading_ = true;
  stream_.AsyncAwaitBytes([self = shared_from_this()](const ErrorCode& error) {
    self->reading_ = false;
    if (self->closed_) return;
    if (error) return self->Close();
    if (!self->closing_) self->WaitOrRead();
  });
}

void Connection::OnRead(const ErrorCode& error, std::size_t bytes, bool aside) {
  reading_ = false;
  if (closed_) return;
  const Ending ending = std::exchange(ending_read_, Ending::kNo);
  if (ending != Ending::kNo && error == asio::error::operation_aborted) {
    if (closing_) return;
    ReleaseInput();
    session_->NoteBuffers(buffers());
    if (ending == Ending::kReadsOn || session_->hold() != Hold::kNone) return WaitOrRead();
    return AwaitBytes();
  }
  if (error && gives_way_) return;  // The next read, behind the pipeline, fails as well.
  if (error) return Close();
  thread_.executor().counters().bytes_in.fetch_add(bytes, std::memory_order_relaxed);
  if (closing_) return;
  if (!aside) {
    parser_.Commit(bytes);
    input_peak_bytes_ = std::max(input_peak_bytes_, parser_.buffered_bytes());
    return Proceed();
  }
  aside_.append(aside_room_.data(), bytes);
  if (aside_.size() > aside_bytes_max_) return Close();
  if (session_->hold() == Hold::kNone) return Proceed();
  ReadAside();
}

void Connection::Flush() {
  if (proceeding_ || closed_) return;
  if (PassesOutputLimit()) return Close();
  SendNext();
}

void Connection::SendNext() {
  // The output of a running command may be rolled back.
  if (writing_ || closed_ || proceeding_) return;
  if (lost_) session_->out().Clear();
  if (sending_.empty()) TakeOutput();
  if (closed_) return;
  // Most replies fit into the socket's buffer. Not while it rests, which OnWritten() ends.
  if (!sending_.empty() && !rests_) {
    NoteSent(stream_.TryWrite(sending_.view()));
    if (sending_.empty()) TakeOutput();
    if (closed_) return;
  }
  if (sending_.empty()) {
    if (closing_) Close();
    return;
  }
  writing_ = true;
  sending_since_ = thread_.server().Steady();
  stream_.AsyncWrite(sending_.view(),
                     [self = shared_from_this()](const ErrorCode& error, std::size_t bytes) {
                       self->OnWritten(error, bytes);
                     });
}

void Connection::TakeOutput() {
  if (session_->has_source() && session_->out().empty()) session_->FillOut();
  if (closed_) return;
  if (sending_.capacity() > kOutputBytesKept) sending_.Release();
  std::swap(sending_, session_->out());
}

void Connection::NoteSent(std::size_t bytes) {
  thread_.executor().counters().bytes_out.fetch_add(bytes, std::memory_order_relaxed);
  sending_.Consume(bytes);
  session_->NoteBuffers(buffers());
}

void Connection::OnWritten(const ErrorCode& error, std::size_t bytes) {
  writing_ = false;
  if (closed_) return;
  if (error && gives_way_) {
    lost_ = true;
    sending_.Clear();
    return;
  }
  if (error) return Close();
  NoteSent(bytes);
  SendNext();
  if (rests_ && !closed_ && output_bytes() <= kOutputBytesBeforeRest) {
    rests_ = false;
    Proceed();
  }
}

void Connection::Farewell() {
  if (closed_) return;
  closing_ = true;
  SendNext();
}

void Connection::ServeOthers() { thread_.ServeOthers(); }

void Connection::Close() {
  // Its command may be serving other clients in the middle of its run: let it end.
  if (proceeding_) {
    doomed_ = true;
    return;
  }
  if (std::exchange(closed_, true)) return;
  // The socket last: when the client sees that it is closed, it is counted nowhere any more.
  const auto self = shared_from_this();
  session_->Forget();
  thread_.server().clients().Remove(session_->origin().id);
  thread_.Remove(*this);
  timer_.cancel();
  stream_.Close();
}

bool Connection::PassesOutputLimit() {
  if (session_->has_source()) return false;  // It never gives much at a time.
  const bool subscribed = session_->extension().subscriptions().any();
  const OutputLimit& limit = thread_.output_limits()[static_cast<std::size_t>(
      subscribed ? ClientClass::kPubSub : ClientClass::kNormal)];
  const std::size_t bytes = output_bytes();
  session_->NoteBuffers(buffers());
  bool passed = limit.hard_bytes > 0 && bytes > limit.hard_bytes;
  if (limit.soft_bytes > 0 && bytes > limit.soft_bytes) {
    const SteadyTime now = thread_.server().Steady();
    if (!above_soft_since_) above_soft_since_ = now;
    passed = passed || now - *above_soft_since_ > std::chrono::seconds(limit.soft_seconds);
  } else {
    above_soft_since_.reset();
  }
  if (passed) {
    Log(thread_.server().logger(), LogLevel::kWarning,
        "client closed: {} bytes wait for it, which passes client-output-buffer-limit ({})", bytes,
        session_->Describe());
  }
  return passed;
}

// A client in MONITOR has other clients' keys and values in its output, which a promise may bound.
bool Connection::KeepsLinesTooLong(SteadyTime now) const {
  const Millis max = thread_.server().monitors().send_time_max();
  if (!writing_ || max == Millis(0) || !session_->state().monitors) return false;
  if (now - sending_since_ <= max) return false;
  Log(thread_.server().logger(), LogLevel::kWarning,
      "client closed: it asked for MONITOR and has not read for {} ms; purge-within lets its lines "
      "wait no longer ({})",
      std::chrono::duration_cast<Millis>(now - sending_since_).count(), session_->Describe());
  return true;
}

std::size_t Connection::input_memory() const {
  return parser_.memory_bytes() + pipeline_.memory_bytes() + aside_room_.capacity() +
         (aside_.empty() ? 0 : aside_.capacity());
}

BufferBytes Connection::buffers() const {
  const std::size_t input =
      parser_.buffered_bytes() + aside_.size() + (pipeline_.empty() ? 0 : pipeline_bytes_);
  const std::size_t input_held = input_memory();
  const std::size_t output = output_bytes();
  return {.input = input,
          .input_room = input_held - std::min(input, input_held),
          .output = output,
          .output_room = sending_.capacity() + session_->out().capacity() - output};
}

// While nothing is read, and no command points into it.
void Connection::ReleaseInput() {
  if (parser_.buffered_bytes() > 0 || !pipeline_.empty()) return;
  parser_.Release();
  pipeline_.Release();
  aside_room_ = std::vector<char>();
}

void Connection::GiveInputBack(SteadyTime now) {
  const std::size_t held = input_memory();
  const std::size_t peak = std::exchange(input_peak_bytes_, 0);
  // Cancelling the read would cancel a write as well; and a wait for bytes holds no memory.
  if (!reading_ || writing_ || proceeding_ || session_->hold() != Hold::kNone || held == 0) return;
  // Commands that wait in the pipeline point into it, though they are no longer buffered.
  if (parser_.buffered_bytes() > 0 || !pipeline_.empty() || ending_read_ != Ending::kNo) return;
  if (now - session_->info().last_active >= kInputIdleTime) {
    ending_read_ = Ending::kAwaitsBytes;
  } else if (held > kInputBytesUsual && peak < held / 2) {
    ending_read_ = Ending::kReadsOn;
  } else {
    return;
  }
  stream_.Cancel();
}

void Connection::Look(SteadyTime now) {
  if (closed_) return;
  if (PassesOutputLimit() || KeepsLinesTooLong(now)) return Close();
  GiveInputBack(now);
  const std::int64_t timeout = thread_.server().config().Number(Setting::kTimeout);
  if (timeout == 0 || session_->has_source() || session_->hold() != Hold::kNone ||
      session_->state().monitors || session_->extension().subscriptions().any()) {
    return;
  }
  if (now - session_->info().last_active > std::chrono::seconds(timeout)) Close();
}

}  // namespace mayfly::server

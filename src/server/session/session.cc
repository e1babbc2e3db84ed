#include "server/session/session.h"

#include <fmt/format.h>

#include <utility>

#include "base/log.h"
#include "server/command/limits.h"
#include "server/session/client_line.h"
#include "server/session/server.h"

namespace mayfly::server {

Session::Session(Server& server, ClientOrigin origin)
    : server_(server), origin_(std::move(origin)), created_(server.Steady()) {
  state_.principal = server.authorizer().Newcomer();
  extension_ = server.NewExtension(*this);
  info_.user = state_.principal != nullptr ? state_.principal->name() : "default";
  info_.last_active = created_;
}

Session::~Session() = default;

void Session::Park(std::shared_ptr<Waiter> waiter, std::optional<Millis> timeout) {
  hold_ = Hold::kBlocked;
  block_timeout_ = timeout;
  const std::lock_guard lock(mutex_);
  waiter_ = std::move(waiter);
}

void Session::CancelPark() {
  hold_ = Hold::kNone;
  block_timeout_.reset();
  const std::lock_guard lock(mutex_);
  waiter_ = nullptr;
}

void Session::Publish() {
  const auto outlet = outlet_.lock();
  const std::lock_guard lock(mutex_);
  if (info_.name != state_.name) info_.name = state_.name;
  if (info_.library_name != state_.library_name) info_.library_name = state_.library_name;
  if (info_.library_version != state_.library_version) {
    info_.library_version = state_.library_version;
  }
  info_.user = state_.principal != nullptr ? state_.principal->name() : "default";
  info_.database = state_.database;
  info_.protocol = static_cast<int>(state_.version);
  info_.subscriptions = extension_->subscriptions();
  const TransactionState& transaction = state_.transaction;
  info_.queued = transaction.open ? static_cast<std::int64_t>(transaction.commands.size()) : -1;
  info_.queued_bytes = transaction.bytes;
  info_.watched = state_.watches.size();
  NoteBuffers(outlet != nullptr ? outlet->buffers() : BufferBytes());
  info_.last_command = state_.last_command;
  info_.last_active = server_.Steady();
  info_.blocked = hold_ == Hold::kBlocked || hold_ == Hold::kPaused;
  info_.monitors = state_.monitors;
  info_.follows = source_ != nullptr;
  info_.no_evict = state_.no_evict;
  info_.no_touch = state_.no_touch;
  info_.closing = state_.close_after_reply;
  const ClientTracking* const tracking = state_.tracking.get();
  info_.tracking = tracking != nullptr;
  info_.tracking_broadcast = tracking != nullptr && tracking->mode.broadcast;
  info_.tracking_broken = tracking != nullptr && tracking->redirect_broken;
  info_.redirect =
      tracking != nullptr ? static_cast<std::int64_t>(tracking->mode.redirect) : std::int64_t{-1};
}

void Session::NoteBuffers(const BufferBytes& bytes) {
  noted_.input.store(bytes.input, std::memory_order_relaxed);
  noted_.input_room.store(bytes.input_room, std::memory_order_relaxed);
  noted_.output.store(bytes.output, std::memory_order_relaxed);
  noted_.output_room.store(bytes.output_room, std::memory_order_relaxed);
}

ClientInfo Session::info() const {
  const std::lock_guard lock(mutex_);
  ClientInfo info = info_;
  info.buffers = {.input = noted_.input,
                  .input_room = noted_.input_room,
                  .output = noted_.output,
                  .output_room = noted_.output_room};
  return info;
}

std::size_t ClientInfo::memory_bytes() const {
  return sizeof(Session) + buffers.input + buffers.input_room + buffers.output +
         buffers.output_room + queued_bytes;
}

std::shared_ptr<Waiter> Session::waiter() const {
  const std::lock_guard lock(mutex_);
  return waiter_;
}

bool Session::EndWait(const std::shared_ptr<Waiter>& waiter) {
  {
    const std::lock_guard lock(waiter->mutex);
    if (std::exchange(waiter->over, true)) return false;
  }
  server_.waiting().Remove(waiter);
  return true;
}

void Session::DropWatches() {
  for (const auto& watch : state_.watches) server_.watches().Remove(watch);
  state_.watches.clear();
}

void Session::SetSource(std::shared_ptr<OutputSource> source) {
  source_ = std::move(source);
  state_.replies = ReplyMode::kOff;
}

void Session::FillOut() {
  if (source_ == nullptr || source_->Fill(out_)) return;
  std::exchange(source_, nullptr)->Ended();
  Abort();
}

void Session::SendMore() {
  const auto outlet = outlet_.lock();
  if (outlet != nullptr) outlet->Flush();
}

void Session::StopTracking() {
  if (state_.tracking == nullptr) return;
  server_.tracking().Disable(origin_.id);
  state_.tracking.reset();
}

void Session::Forget() {
  if (const auto source = std::exchange(source_, nullptr)) source->Ended();
  DropWatches();
  StopTracking();
  extension_->Reset();
  server_.monitors().Remove(origin_.id);
  std::shared_ptr<Waiter> waiter;
  {
    const std::lock_guard lock(mutex_);
    waiter = std::move(waiter_);
  }
  if (waiter != nullptr) EndWait(waiter);
}

void Session::Reset() {
  DropWatches();
  StopTracking();
  extension_->Reset();
  server_.monitors().Remove(origin_.id);
  const CommandEntry* const last = state_.last_command;
  state_ = ClientState();
  state_.last_command = last;
  state_.principal = server_.authorizer().Newcomer();
}

std::string Session::Describe(std::string_view command) const {
  return admin::ClientLine(*this, server_.Steady(), command);
}

void Session::Send(const std::function<void(ReplyWriter&)>& write) {
  if (running_) {
    deferred_.push_back(write);
    return;
  }
  ReplyWriter writer(out_, state_.version);
  write(writer);
  if (const auto outlet = outlet_.lock()) outlet->Flush();
}

void Session::EndCommand() {
  running_ = false;
  if (deferred_.empty()) return;
  ReplyWriter writer(out_, state_.version);
  for (const auto& write : std::exchange(deferred_, {})) write(writer);
}

// A blocked command counts when it is over, without the time it waited.
void Session::NoteRan(Waiter& waiter) {
  const std::uint64_t nanos = [&] {
    const std::lock_guard lock(waiter.mutex);
    return waiter.nanos;
  }();
  const std::vector<Bytes> args(waiter.args.begin(), waiter.args.end());
  state_.last_command = waiter.entry;
  server_.statistics().CountRun(waiter.entry->id, nanos, false,
                                server_.config().IsOn(Setting::kLatencyTracking));
  server_.NoteSlow(*this, *waiter.entry, args, nanos);
}

void Session::Unpark(const std::shared_ptr<Waiter>& waiter, Bytes reply) {
  {
    const std::lock_guard lock(mutex_);
    if (waiter_ != waiter) return;
    waiter_ = nullptr;
  }
  hold_ = Hold::kNone;
  block_timeout_.reset();
  NoteRan(*waiter);
  if (state_.replies == ReplyMode::kOn) out_.Append(reply);
  if (state_.replies == ReplyMode::kSkipNext) state_.replies = ReplyMode::kOn;
  Publish();
  if (const auto outlet = outlet_.lock()) {
    outlet->Flush();
    outlet->Resume();
  }
}

void Session::AwaitScript() {
  if (server_.script_gate().Await(weak_from_this())) hold_ = Hold::kScript;
}

void Session::ServeOthers() {
  if (const auto outlet = outlet_.lock()) outlet->ServeOthers();
}

void Session::GoOn(Hold held) {
  if (hold_ != held) return;
  hold_ = Hold::kNone;
  if (const auto outlet = outlet_.lock()) outlet->Resume();
}

void Session::BlockTimedOut() { Unblock(false); }

bool Session::Unblock(bool with_error) {
  const std::shared_ptr<Waiter> waiter = this->waiter();
  if (waiter == nullptr || !waiter->ends_by_key || !EndWait(waiter)) return false;
  OutputBuffer reply;
  ReplyWriter writer(reply, waiter->version);
  if (with_error) {
    WriteFailedWait(*waiter, "UNBLOCKED client unblocked via CLIENT UNBLOCK", writer);
  } else if (waiter->at_end) {
    waiter->at_end(writer);
  } else if (waiter->null_array) {
    writer.NullArray();
  } else {
    writer.Null();
  }
  Post([waiter, bytes = std::string(reply.view())](Session& self) { self.Unpark(waiter, bytes); });
  return true;
}

void Session::FailWait(const std::shared_ptr<Waiter>& waiter, const std::string& line) {
  if (!EndWait(waiter)) return;
  OutputBuffer reply;
  ReplyWriter writer(reply, waiter->version);
  WriteFailedWait(*waiter, line, writer);
  Post([waiter, bytes = std::string(reply.view())](Session& self) { self.Unpark(waiter, bytes); });
}

void Session::EndPeerWait(const std::shared_ptr<Waiter>& waiter, std::string replies) {
  if (!EndWait(waiter)) return;
  Post([waiter, bytes = std::move(replies)](Session& self) { self.Unpark(waiter, bytes); });
}

void Session::WriteFailedWait(const Waiter& waiter, const std::string& line, ReplyWriter& writer) {
  writer.Error(line);
  server_.statistics().CountError(line);
  server_.statistics().CountFailedLater(waiter.entry->id);
}

void Session::Post(std::function<void(Session&)> task) {
  const auto outlet = outlet_.lock();
  if (outlet == nullptr) return;
  outlet->Post([self = weak_from_this(), task = std::move(task)] {
    if (const auto session = self.lock()) task(*session);
  });
}

void Session::PostMessage(std::size_t bytes, std::function<void(ReplyWriter&)> write) {
  constexpr std::size_t kTaskBytes = 256;  // Of the task itself.
  bytes += kTaskBytes;
  if (overrun_.load(std::memory_order_relaxed)) return;
  bool first = false;
  bool too_many = false;
  {
    const std::lock_guard lock(messages_mutex_);
    too_many = posted_bytes_ + bytes > kPostedBytesMax;
    if (!too_many) {
      first = messages_.empty();
      posted_bytes_ += bytes;
      messages_.emplace_back(bytes, std::move(write));
    }
  }
  if (first) Post([](Session& self) { self.TakeMessages(); });
  if (!too_many || overrun_.exchange(true)) return;
  Log(server_.logger(), LogLevel::kWarning,
      "client closed: more than {} bytes of messages wait for its thread ({})", kPostedBytesMax,
      Describe());
  Post([](Session& self) { self.Abort(); });
}

// Sends what waits, in bounded turns: other sessions have the same thread. While messages wait,
// exactly one such task is posted.
void Session::TakeMessages() {
  std::vector<std::function<void(ReplyWriter&)>> taken;
  bool more = false;
  {
    const std::lock_guard lock(messages_mutex_);
    while (!messages_.empty() && taken.size() < kMessagesPerTurn) {
      posted_bytes_ -= messages_.front().first;
      taken.push_back(std::move(messages_.front().second));
      messages_.pop_front();
    }
    more = !messages_.empty();
  }
  if (more) Post([](Session& self) { self.TakeMessages(); });
  Send([taken = std::move(taken)](ReplyWriter& writer) {
    for (const auto& write : taken) write(writer);
  });
}

void Session::Abort() {
  if (const auto outlet = outlet_.lock()) outlet->Close();
}

void Session::Kill() {
  // Else it could still be given its value, though no client will read the reply.
  if (const auto waiting = waiter()) EndWait(waiting);
  extension_->Leave();
  server_.tracking().Disable(origin_.id);
  server_.clients().Remove(origin_.id);
  Post([](Session& self) {
    if (const auto outlet = self.outlet_.lock()) outlet->Close();
  });
}

}  // namespace mayfly::server

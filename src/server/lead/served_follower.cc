#include "server/lead/served_follower.h"

#include <fmt/format.h>

#include <utility>

#include "base/log.h"
#include "server/lead/copy_writer.h"

namespace mayfly::server {
namespace {

constexpr std::size_t kFillBytes = std::size_t{256} << 10;

OutputLimit LimitOf(Server& server) {
  OutputLimits limits;
  static_cast<void>(
      ReadOutputLimits(server.config().Text(Setting::kClientOutputBufferLimit), limits));
  return limits[static_cast<std::size_t>(ClientClass::kReplica)];
}

}  // namespace

ServedFollower::ServedFollower(Server& server, Session& session)
    : server_(server),
      session_(session.weak_from_this()),
      client_id_(session.origin().id),
      traits_(session.state().follower),
      address_(traits_.address),
      queue_(Wake()) {
  const std::string& origin = session.origin().address;
  if (address_.empty()) address_ = origin.substr(0, origin.rfind(':'));
  Heard();
}

ServedFollower::~ServedFollower() { Stop(); }

void ServedFollower::Stop() {
  queue_.Cancel();
  if (copier_.joinable()) copier_.join();
}

std::function<void()> ServedFollower::Wake() const {
  return [session = session_] {
    if (const auto alive = session.lock()) {
      alive->Post([](Session& self) { self.SendMore(); });
    }
  };
}

std::shared_ptr<Feed::Reader> ServedFollower::reader() const {
  const std::lock_guard lock(mutex_);
  return reader_;
}

bool ServedFollower::Resume(const FeedPosition& position) {
  auto reader = server_.feed().Attach(position, LimitOf(server_).hard_bytes, Wake());
  if (reader == nullptr) return false;
  if (!traits_.field_deadlines) server_.feed().ServesOldFollowers();
  greeting_ = fmt::format("+CONTINUE {}\r\n", position.id);
  acknowledged_ = position.offset;
  {
    const std::lock_guard lock(mutex_);
    reader_ = std::move(reader);
  }
  phase_ = Phase::kStreaming;
  return true;
}

void ServedFollower::Copy(bool answers) {
  copier_ = std::thread([this, answers] { RunCopy(answers); });
}

void ServedFollower::RunCopy(bool answers) {
  const SteadyTime begin = server_.Steady();
  const Status written = WriteWhole(answers);
  if (written.ok()) {
    Log(server_.logger(), LogLevel::kInfo, "follower {}:{}: full copy written in {} ms", address_,
        traits_.port, std::chrono::duration_cast<Millis>(server_.Steady() - begin).count());
  } else if (!ended_) {
    Log(server_.logger(), LogLevel::kWarning, "follower {}:{}: no full copy: {}", address_,
        traits_.port, written.ToString());
  }
  failed_ = !written.ok();
  queue_.Finish();
}

// While all latches are held, so that nothing is committed and not fed, or fed and not committed.
Status ServedFollower::TakeCut(std::unique_ptr<core::FrozenState>& state,
                               std::shared_ptr<const Databases::Mapping>& databases,
                               FeedPosition& position) {
  Feed& feed = server_.feed();
  core::KeySet everything;
  everything.everything = true;
  MAYFLY_TRY(const auto transaction, server_.transactions().Begin(everything));
  // What this server's own leader may still prolong is living, as it is to the leader's commands.
  Following* const following = server_.follows ? server_.following() : nullptr;
  MAYFLY_TRY(state, core::FreezeState(server_.database(), following != nullptr
                                                              ? following->figures().judged_at
                                                              : std::nullopt));
  if (!feed.on()) {
    feed.Start();
    core::ListenToDeaths(server_.database(), &feed);
  }
  if (!traits_.field_deadlines) feed.ServesOldFollowers();
  databases = server_.databases().mapping();
  auto reader = feed.AttachAtEnd(position, LimitOf(server_).hard_bytes, Wake());
  const std::lock_guard lock(mutex_);
  reader_ = std::move(reader);
  return {};
}

Status ServedFollower::WriteWhole(bool answers) {
  std::unique_ptr<core::FrozenState> state;
  std::shared_ptr<const Databases::Mapping> databases;
  FeedPosition position;
  MAYFLY_RETURN_IF_ERROR(TakeCut(state, databases, position));
  acknowledged_ = position.offset;
  if (answers) {
    queue_.Push(fmt::format("+FULLRESYNC {} {}\r\n", position.id, position.offset));
  }
  const CopyRequest request{.state = *state,
                            .databases = *databases,
                            .own = server_.databases().own(),
                            .field_deadlines = traits_.field_deadlines};
  const auto push = [&](std::string piece) { return queue_.Push(std::move(piece)); };
  if (traits_.ends_by_mark) {
    const std::string& mark = server_.run_id();  // 40 digits that no copy contains by chance.
    queue_.Push(fmt::format("$EOF:{}\r\n", mark));
    MAYFLY_RETURN_IF_ERROR(WriteCopy(request, push));
    return queue_.Push(mark) ? Status() : Status::Conflict("the follower has left");
  }
  // It wants to know the length first: the state is written twice, to nobody and to it.
  std::uint64_t bytes = 0;
  MAYFLY_RETURN_IF_ERROR(WriteCopy(request, [&](const std::string& piece) {
    bytes += piece.size();
    return !ended_;
  }));
  queue_.Push(fmt::format("${}\r\n", bytes));
  return WriteCopy(request, push);
}

bool ServedFollower::Fill(OutputBuffer& out) {
  if (!greeting_.empty()) out.Append(std::exchange(greeting_, {}));
  if (phase_ == Phase::kCopying) {
    const auto state = queue_.Take(kFillBytes, out);
    if (!out.empty()) Heard();  // It reads, or its socket would be full.
    if (state == CopyQueue::State::kOpen) return true;
    if (failed_) return false;
    phase_ = traits_.ends_by_mark ? Phase::kAwaitsSign : Phase::kStreaming;
  }
  if (phase_ == Phase::kAwaitsSign || out.size() >= kFillBytes) return true;
  const auto stream = reader();
  return stream != nullptr && server_.feed().Take(*stream, kFillBytes, out).has_value();
}

void ServedFollower::Ended() {
  if (ended_.exchange(true)) return;
  queue_.Cancel();
  if (const auto stream = reader()) server_.feed().Detach(stream);
}

void ServedFollower::Acknowledged(std::int64_t offset) {
  Heard();
  if (offset > acknowledged_) acknowledged_ = offset;
  if (phase_ != Phase::kAwaitsSign) return;
  phase_ = Phase::kStreaming;
  if (const auto session = session_.lock()) session->SendMore();
}

FollowerFigures ServedFollower::figures() const {
  const Phase phase = phase_;
  return {.client_id = client_id_,
          .address = address_,
          .port = traits_.port,
          .state = phase == Phase::kStreaming                        ? "online"
                   : phase == Phase::kCopying && reader() == nullptr ? "wait_bgsave"
                                                                     : "send_bulk",
          .acknowledged = acknowledged_,
          .lag_seconds =
              std::chrono::duration_cast<std::chrono::seconds>(server_.Steady() - heard()).count()};
}

void ServedFollower::Close(std::string_view why) {
  Log(server_.logger(), LogLevel::kWarning, "follower {}:{} is disconnected: {}", address_,
      traits_.port, why);
  if (const auto session = session_.lock()) session->Kill();
}

void ServedFollower::Check(const OutputLimit& limit, Millis silence_max) {
  if (ended_) return;
  const SteadyTime now = server_.Steady();
  if (now - heard() > silence_max) return Close("it is silent for longer than repl-timeout");
  const auto stream = reader();
  if (stream == nullptr) return;
  const auto behind = server_.feed().Behind(*stream);
  if (!behind) return Close("it is further behind than client-output-buffer-limit allows");
  if (limit.soft_bytes == 0 || *behind <= limit.soft_bytes) return far_since_.reset();
  if (!far_since_) far_since_ = now;
  if (now - *far_since_ > std::chrono::seconds(limit.soft_seconds)) {
    Close("it is behind the soft client-output-buffer-limit for too long");
  }
}

}  // namespace mayfly::server

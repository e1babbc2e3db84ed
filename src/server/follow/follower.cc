#include "server/follow/follower.h"

#include <fmt/format.h>

#include <algorithm>
#include <vector>

#include "base/log.h"
#include "server/follow/full_copy.h"
#include "wire/decimal.h"

namespace mayfly::server {
namespace {

constexpr Millis kRetryPause(1000);
constexpr Millis kCopyRetryPause(10'000);  // A copy costs the leader more than a connection.
constexpr Millis kAcknowledgeEvery(1000);
constexpr Millis kLeaveWait(5000);
constexpr std::size_t kReceiveBytes = std::size_t{256} << 10;

// How far the clocks of leader and follower may be apart: what the leader has let live so long
// before a copy is copied as living.
constexpr Millis kClocksApart(600'000);

// The bytes of a copy: as many as were announced, if they were. Counts them.
class CopySource final : public rdb::ByteSource {
 public:
  CopySource(rdb::ByteSource& link, std::optional<std::uint64_t> bytes,
             std::function<bool(std::uint64_t bytes)> progress)
      : link_(link), left_(bytes), progress_(std::move(progress)) {}

  Result<std::size_t> Read(char* to, std::size_t bytes_max) override {
    if (left_) bytes_max = static_cast<std::size_t>(std::min<std::uint64_t>(*left_, bytes_max));
    if (bytes_max == 0) return std::size_t{0};
    MAYFLY_TRY(const std::size_t count, link_.Read(to, bytes_max));
    if (left_) *left_ -= count;
    read_ += count;
    if (!progress_(read_)) return Status::Conflict("interrupted");
    return count;
  }

 private:
  rdb::ByteSource& link_;
  std::optional<std::uint64_t> left_;
  const std::function<bool(std::uint64_t bytes)> progress_;  // False: ends it.
  std::uint64_t read_ = 0;
};

// "HOST PORT" or "HOST:PORT".
Result<std::pair<std::string, int>> ReadAddress(const std::string& text) {
  const std::size_t middle = text.find_last_of(" :");
  std::int64_t port = 0;
  if (middle == std::string::npos || middle == 0 ||
      !ReadInteger(Bytes(text).substr(middle + 1), port) || port < 1 || port > 65535) {
    return Status::Invalid(fmt::format("'{}' is no server to follow: \"HOST PORT\" is one", text));
  }
  return std::pair(text.substr(0, text.find_last_not_of(' ', middle - 1) + 1),
                   static_cast<int>(port));
}

}  // namespace

Follower::Follower(Server& server)
    : server_(server), link_(server.real_clock()), session_(server) {}

Follower::~Follower() {
  Stop();
  server_.SetFollowing(nullptr);
}

Result<std::unique_ptr<Follower>> Follower::Open(Server& server) {
  std::unique_ptr<Follower> follower(new Follower(server));
  MAYFLY_TRY(std::optional<FollowPosition> stored, follower->Stored());
  const std::string wanted = server.config().Text(Setting::kReplicaOf);
  if (!wanted.empty() && wanted != "no one") {
    MAYFLY_TRY(const auto address, ReadAddress(wanted));
    const bool same = stored && stored->host == address.first && stored->port == address.second;
    if (same && stored->left) {
      Log(server.logger(), LogLevel::kWarning,
          "REPLICAOF NO ONE has ended following {} {}, and the setting replicaof is ignored; "
          "REPLICAOF follows it again, and takes a full copy",
          address.first, address.second);
    } else if (!same) {
      FollowPosition fresh = stored && !stored->left ? *stored : FollowPosition();
      fresh.host = address.first;
      fresh.port = address.second;
      MAYFLY_RETURN_IF_ERROR(follower->Store(fresh));
      stored = fresh;
    }
  }
  if (stored && !stored->left) {
    server.follows = true;
    MAYFLY_RETURN_IF_ERROR(server.databases().MakeAll());
    if (!stored->replication_id.empty()) {
      follower->Hold(true);
      follower->figures_.judged_at = stored->judged_at;
    }
    follower->figures_.host = stored->host;
    follower->figures_.port = stored->port;
    follower->figures_.applied = follower->figures_.received = stored->offset;
  }
  server.SetFollowing(follower.get());
  return follower;
}

Result<std::optional<FollowPosition>> Follower::Stored() {
  const auto row = server_.databases().own().Get(kPositionKey);
  if (!row && row.error().IsNotFound()) return std::optional<FollowPosition>();
  MAYFLY_RETURN_IF_ERROR(row.status());
  MAYFLY_TRY(FollowPosition position, DecodePosition(*row));
  return std::optional(std::move(position));
}

Status Follower::Store(const FollowPosition& position) {
  return server_.databases().own().Put(kPositionKey, EncodePosition(position), Lifetime::Forever());
}

void Follower::Hold(bool held) {
  for (const auto& keyspace : *server_.databases().mapping()) {
    if (keyspace != nullptr) core::HoldPurges(server_.database(), *keyspace, held);
  }
}

void Follower::Start() {
  const std::lock_guard lock(mutex_);
  started_ = true;
  if (server_.follows) static_cast<void>(StartLocked());
}

Status Follower::StartLocked() {
  if (runs_ || !started_ || stops_) return {};
  if (thread_.joinable()) thread_.join();  // It has ended.
  runs_ = true;
  leaves_ = moves_ = false;
  figures_.state = LinkState::kConnecting;
  link_.Reset();
  thread_ = std::thread([this] { Run(); });
  return {};
}

void Follower::Stop() {
  {
    const std::lock_guard lock(mutex_);
    stops_ = true;
    link_.Interrupt();
  }
  if (thread_.joinable()) thread_.join();
}

Status Follower::Follow(const std::string& host, int port) {
  if (host.empty() || host.find_first_of(" \r\n") != std::string::npos) {
    return Status::Invalid("this is no name of a host");
  }
  const std::lock_guard changing(changing_);
  {
    const std::lock_guard lock(mutex_);
    if (leaves_) return Status::Busy("REPLICAOF NO ONE is under way; try again");
    if (runs_ && figures_.host == host && figures_.port == port) return {};
    if (runs_) {  // The thread stores the new one.
      figures_.host = host;
      figures_.port = port;
      moves_ = true;
      link_.Interrupt();
      return {};
    }
  }
  FollowPosition fresh;
  fresh.host = host;
  fresh.port = port;
  MAYFLY_RETURN_IF_ERROR(Store(fresh));
  const std::lock_guard lock(mutex_);
  figures_ = FollowFigures();
  figures_.host = host;
  figures_.port = port;
  server_.follows = true;
  return StartLocked();
}

Status Follower::Leave() {
  std::unique_lock lock(mutex_);
  if (!server_.follows) return {};
  if (!runs_) {  // A folder that is looked at, and follows when it is served.
    lock.unlock();
    EndFollowing();
    return {};
  }
  leaves_ = true;
  link_.Interrupt();
  if (!ended_.wait_for(lock, kLeaveWait, [&] { return !runs_; })) {
    return Status::Busy("what was received is still being applied; REPLICAOF NO ONE goes on");
  }
  return {};
}

FollowFigures Follower::figures() const {
  const std::lock_guard lock(mutex_);
  return figures_;
}

bool Follower::IsEnding() const {
  const std::lock_guard lock(mutex_);
  return leaves_ || stops_ || moves_;
}

void Follower::Note(LinkState state) {
  const std::lock_guard lock(mutex_);
  const bool was_up = figures_.state == LinkState::kConnected;
  if (was_up || !figures_.down_since) figures_.down_since = server_.Steady();
  if (state == LinkState::kConnected) figures_.last_error.clear();
  figures_.state = state;
}

void Follower::NoteProgress() {
  const std::lock_guard lock(mutex_);
  figures_.applied = session_.position().offset;
  figures_.received = session_.received();
  figures_.replication_id = session_.position().replication_id;
  figures_.last_io = link_.last_io();
  figures_.failed = session_.failed();
  figures_.last_failure = session_.last_failure();
}

LeaderAddress Follower::Address() const {
  const Config& config = server_.config();
  const std::lock_guard lock(mutex_);
  return {.host = figures_.host,
          .port = figures_.port,
          .user = config.Text(Setting::kMasterUser),
          .password = config.Text(Setting::kMasterAuth),
          .own_port = server_.port,
          .silence_max = Millis(config.Number(Setting::kReplTimeout) * 1000)};
}

void Follower::Run() {
  while (true) {
    const Status ended = FollowOnce();
    link_.Close();
    std::unique_lock lock(mutex_);
    if (leaves_ || stops_) break;
    if (std::exchange(moves_, false)) {
      link_.Reset();
      continue;
    }
    if (figures_.last_error != ended.message()) {
      Log(server_.logger(), LogLevel::kWarning, "following {} {}: {}; it is tried again and again",
          figures_.host, figures_.port, ended.message());
    }
    figures_.last_error = ended.message();
    const bool copied = figures_.state == LinkState::kCopying;
    lock.unlock();
    Note(LinkState::kConnecting);
    link_.Pause(copied ? kCopyRetryPause : kRetryPause);
  }
  // Follow() waits until a Leave() is done, so nothing changes meanwhile.
  bool leaves = false;
  {
    const std::lock_guard lock(mutex_);
    leaves = leaves_;
  }
  if (leaves) EndFollowing();
  const std::lock_guard lock(mutex_);
  figures_.state = LinkState::kNone;
  leaves_ = false;
  runs_ = false;
  ended_.notify_all();
}

void Follower::EndFollowing() {
  const FollowFigures last = figures();
  FollowPosition left;
  left.host = last.host;
  left.port = last.port;
  left.left = true;
  if (const Status stored = Store(left); !stored.ok()) {
    Log(server_.logger(), LogLevel::kError, "the end of following cannot be stored: {}",
        stored.ToString());
  }
  Hold(false);
  server_.follows = false;
  Log(server_.logger(), LogLevel::kInfo, "follows {} {} no more; the last offset applied is {}",
      last.host, last.port, last.applied);
}

Status Follower::FollowOnce() {
  Note(LinkState::kConnecting);
  MAYFLY_TRY(const std::optional<FollowPosition> stored, Stored());
  if (!stored || stored->left) return Status::Internal("there is no position to follow from");
  const LeaderAddress address = Address();
  FollowPosition position = *stored;
  if (position.host != address.host || position.port != address.port) {
    position.host = address.host;
    position.port = address.port;
    MAYFLY_RETURN_IF_ERROR(Store(position));
  }
  MAYFLY_RETURN_IF_ERROR(link_.Connect(address));
  MAYFLY_TRY(const SyncStart start, link_.Sync(position.replication_id, position.offset));
  std::string rest;
  if (start.full) {
    MAYFLY_RETURN_IF_ERROR(Copy(start, rest));
    MAYFLY_TRY(const auto copied, Stored());
    position = *copied;
  } else {
    if (!start.replication_id.empty()) position.replication_id = start.replication_id;
    const std::lock_guard lock(mutex_);
    ++figures_.resumptions;
  }
  session_.Begin(position);
  {
    const std::lock_guard lock(mutex_);
    figures_.judged_at = position.judged_at;
  }
  NoteProgress();
  Note(LinkState::kConnected);
  Log(server_.logger(), LogLevel::kInfo, "follows {} {} from offset {} on", address.host,
      address.port, position.offset);
  return ApplyStream(rest);
}

Status Follower::Copy(const SyncStart& start, std::string& rest) {
  FollowPosition position;
  {
    const std::lock_guard lock(mutex_);
    figures_.copy_bytes = 0;
    figures_.copy_bytes_total = start.bytes.value_or(0);
    position.host = figures_.host;
    position.port = figures_.port;
  }
  Note(LinkState::kCopying);
  position.replication_id = start.replication_id;
  position.offset = start.offset;
  position.judged_at = server_.clock().Now() - kClocksApart;
  CopySource source(link_, start.bytes, [this](std::uint64_t bytes) {
    const std::lock_guard lock(mutex_);
    figures_.copy_bytes = bytes;
    figures_.last_io = link_.last_io();
    return !leaves_ && !stops_ && !moves_;
  });
  MAYFLY_TRY(const CopyOutcome outcome, TakeFullCopy(server_, source, start.mark, position, rest));
  if (!outcome.left_out.empty()) {
    Log(server_.logger(), LogLevel::kError, "the copy lacks what there is no type for: {}",
        outcome.left_out);
  }
  const std::lock_guard lock(mutex_);
  ++figures_.copies;
  figures_.left_out = outcome.left_out;
  return {};
}

Status Follower::Apply(Bytes bytes) {
  bool wants_ack = false;
  const Status applied = session_.Run(bytes, wants_ack);
  NoteProgress();
  MAYFLY_RETURN_IF_ERROR(applied);
  return wants_ack ? link_.Acknowledge(session_.position().offset) : Status();
}

Status Follower::ApplyStream(Bytes rest) {
  if (!rest.empty()) MAYFLY_RETURN_IF_ERROR(Apply(rest));
  MAYFLY_RETURN_IF_ERROR(link_.Acknowledge(session_.position().offset));
  std::vector<char> bytes(kReceiveBytes);
  SteadyTime acknowledged = server_.Steady();
  while (true) {
    if (IsEnding()) return Drain();
    const auto count = link_.Receive(bytes.data(), bytes.size(), kAcknowledgeEvery);
    if (!count && count.error().code() == StatusCode::kConflict) return Drain();
    MAYFLY_RETURN_IF_ERROR(count.status());
    if (*count) MAYFLY_RETURN_IF_ERROR(Apply(Bytes(bytes.data(), **count)));
    if (server_.Steady() - acknowledged < kAcknowledgeEvery) continue;
    acknowledged = server_.Steady();
    MAYFLY_RETURN_IF_ERROR(session_.StorePosition());
    MAYFLY_RETURN_IF_ERROR(link_.Acknowledge(session_.position().offset));
  }
}

// What has arrived is applied before following ends.
Status Follower::Drain() {
  std::vector<char> bytes(kReceiveBytes);
  for (std::size_t left = link_.Waiting(); left > 0;) {
    const auto count = link_.Receive(bytes.data(), std::min(left, bytes.size()), Millis(0));
    if (!count || !*count) break;
    left -= std::min(left, **count);
    MAYFLY_RETURN_IF_ERROR(Apply(Bytes(bytes.data(), **count)));
  }
  return session_.StorePosition();
}

}  // namespace mayfly::server

#include "server/lead/leader.h"

#include <algorithm>
#include <utility>

#include "base/log.h"

namespace mayfly::server {
namespace {

constexpr std::chrono::seconds kLookEvery(1);
constexpr std::size_t kCopiesMax = 16;  // At the same time; each has a thread.

// Ends the wait of a client with this number, unless it has ended.
void EndWait(Server& server, const std::shared_ptr<Waiter>& waiter, std::size_t count) {
  {
    const std::lock_guard lock(waiter->mutex);
    if (std::exchange(waiter->over, true)) return;
  }
  server.waiting().Remove(waiter);
  OutputBuffer reply;
  ReplyWriter(reply, waiter->version).Integer(static_cast<std::int64_t>(count));
  if (const auto session = waiter->session.lock()) {
    session->Post(
        [waiter, bytes = std::string(reply.view())](Session& self) { self.Unpark(waiter, bytes); });
  }
}

bool IsOver(const std::shared_ptr<Waiter>& waiter) {
  const std::lock_guard lock(waiter->mutex);
  return waiter->over;
}

}  // namespace

Leader::Leader(Server& server) : server_(server) { server_.SetLeading(this); }

Leader::~Leader() {
  server_.SetLeading(nullptr);
  Stop();
}

void Leader::Stop() {
  std::vector<std::shared_ptr<ServedFollower>> followers;
  {
    const std::lock_guard lock(mutex_);
    stops_ = true;
    followers.swap(followers_);
    stopped_.notify_all();
  }
  if (thread_.joinable()) thread_.join();
  for (const auto& follower : followers) {
    follower->Ended();
    follower->Stop();
  }
}

Status Leader::Serve(Session& session, const std::string& id, std::int64_t offset) {
  auto follower = std::make_shared<ServedFollower>(server_, session);
  const bool knows = id != "?" && !id.empty();
  const bool resumed = knows && offset > 0 && follower->Resume({id, offset - 1});
  {
    const std::lock_guard lock(mutex_);
    if (stops_) return Status::Busy("the server stops");
    const auto copying = std::count_if(followers_.begin(), followers_.end(), [](const auto& one) {
      return !one->ended() && !one->streams();
    });
    if (!resumed && static_cast<std::size_t>(copying) >= kCopiesMax) {
      return Status::Busy("too many full copies are under way; try again later");
    }
    followers_.push_back(follower);
    resumptions_ += resumed ? 1 : 0;
    full_copies_ += resumed ? 0 : 1;
    refused_ += knows && !resumed ? 1 : 0;
    if (!thread_.joinable()) thread_ = std::thread([this] { Run(); });
  }
  Log(server_.logger(), LogLevel::kInfo, "follower {}:{}: {}", follower->figures().address,
      follower->figures().port,
      resumed ? "goes on where it was"
      : knows ? "asks for what is not kept, and gets a full copy"
              : "gets a full copy");
  if (!resumed) follower->Copy(/*answers=*/!id.empty());
  session.SetSource(std::move(follower));
  return {};
}

void Leader::Acknowledged(Session& session, std::int64_t offset) {
  const std::lock_guard lock(mutex_);
  for (const auto& follower : followers_) {
    if (follower->client_id() != session.origin().id) continue;
    follower->Acknowledged(offset);
    CountClose();
    EndWaits();
    return;
  }
}

std::size_t Leader::CountLocked(std::int64_t offset) const {
  return static_cast<std::size_t>(
      std::count_if(followers_.begin(), followers_.end(), [&](const auto& follower) {
        return follower->streams() && follower->acknowledged() >= offset;
      }));
}

std::size_t Leader::CountAt(std::int64_t offset) const {
  const std::lock_guard lock(mutex_);
  return CountLocked(offset);
}

void Leader::Await(const std::shared_ptr<Waiter>& waiter, std::int64_t offset, std::size_t count) {
  server_.feed().AppendControl({"REPLCONF", "GETACK", "*"});
  const std::lock_guard lock(mutex_);
  waits_.push_back({waiter, offset, count});
  EndWaits();
}

void Leader::EndWaits() {
  std::erase_if(waits_, [&](const Wait& wait) {
    if (IsOver(wait.waiter)) return true;
    const std::size_t count = CountLocked(wait.offset);
    if (count < wait.count) return false;
    EndWait(server_, wait.waiter, count);
    return true;
  });
}

// For min-replicas-to-write.
void Leader::CountClose() {
  const std::int64_t lag_max = server_.config().Number(Setting::kMinReplicasMaxLag);
  const SteadyTime now = server_.Steady();
  server_.close_followers =
      std::count_if(followers_.begin(), followers_.end(), [&](const auto& follower) {
        return follower->streams() && now - follower->heard() <= std::chrono::seconds(lag_max);
      });
}

LeadFigures Leader::figures() const {
  LeadFigures figures;
  const Feed::Figures stream = server_.feed().figures();
  figures.on = server_.feed().on();
  figures.id = stream.id;
  figures.offset = stream.offset;
  figures.first_offset = stream.first;
  figures.backlog_bytes = stream.bytes;
  const std::lock_guard lock(mutex_);
  figures.full_copies = full_copies_;
  figures.resumptions = resumptions_;
  figures.refused_resumptions = refused_;
  for (const auto& follower : followers_) {
    if (!follower->ended()) figures.followers.push_back(follower->figures());
  }
  return figures;
}

void Leader::Run() {
  pinged_ = last_served_ = server_.Steady();
  while (true) {
    {
      std::unique_lock lock(mutex_);
      if (stopped_.wait_for(lock, kLookEvery, [this] { return stops_; })) return;
    }
    Look();
  }
}

void Leader::Look() {
  std::vector<std::shared_ptr<ServedFollower>> gone;
  std::vector<std::shared_ptr<ServedFollower>> present;
  {
    const std::lock_guard lock(mutex_);
    const auto first_gone = std::stable_partition(followers_.begin(), followers_.end(),
                                                  [](const auto& one) { return !one->ended(); });
    gone.assign(first_gone, followers_.end());
    followers_.erase(first_gone, followers_.end());
    present = followers_;
    CountClose();
    EndWaits();
  }
  for (const auto& follower : gone) follower->Stop();
  const Config& config = server_.config();
  OutputLimits limits;
  static_cast<void>(ReadOutputLimits(config.Text(Setting::kClientOutputBufferLimit), limits));
  for (const auto& follower : present) {
    follower->Check(limits[static_cast<std::size_t>(ClientClass::kReplica)],
                    std::chrono::seconds(config.Number(Setting::kReplTimeout)));
  }
  const SteadyTime now = server_.Steady();
  if (!present.empty()) last_served_ = now;
  const std::chrono::seconds ping_every(config.Number(Setting::kReplPingReplicaPeriod));
  if (!present.empty() && now - pinged_ >= ping_every) {
    server_.feed().AppendControl({"PING"});
    pinged_ = now;
  }
  const std::int64_t keep = config.Number(Setting::kReplBacklogTtl);
  if (present.empty() && keep > 0 && now - last_served_ > std::chrono::seconds(keep)) {
    EndUnreadStream();
  }
}

void Leader::EndUnreadStream() {
  if (!server_.feed().on()) return;
  core::KeySet everything;
  everything.everything = true;
  const auto transaction = server_.transactions().Begin(everything);
  if (!transaction) return;
  const std::lock_guard lock(mutex_);
  if (!followers_.empty()) return;
  core::ListenToDeaths(server_.database(), nullptr);
  server_.feed().Stop();
}

}  // namespace mayfly::server

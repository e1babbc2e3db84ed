#include "server/session/cluster_side.h"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "base/log.h"
#include "server/command/limits.h"
#include "server/session/server.h"
#include "server/session/session.h"

namespace mayfly::server {
namespace {

enum class RedirectMode : std::int64_t { kAuto = 0, kAlways = 1, kNever = 2 };

}  // namespace

ClusterSide::ClusterSide(Server& server, ShardDirectory& directory, PeerCalls* peers)
    : server_(server),
      directory_(directory),
      peers_(peers),
      redirect_(server.config().Watched(Setting::kClusterRedirect)),
      patience_(server.config().Watched(Setting::kClusterPatience)),
      looks_(server.clock(), server.real_clock()) {}

ClusterSide::~ClusterSide() { directory_.SetListener(nullptr); }

Status ClusterSide::Start() {
  const auto refuse = [](const SettingValue& value) {
    return value.number == 0
               ? Status()
               : Status::Invalid(
                     "maxmemory is not offered on a cluster: no server knows what all "
                     "shards store");
  };
  SettingValue max;
  max.number = server_.config().Number(Setting::kMaxMemory);
  MAYFLY_RETURN_IF_ERROR(refuse(max));
  server_.config().OnChange(Setting::kMaxMemory, refuse);
  directory_.SetListener(this);
  return {};
}

void ClusterSide::NoteSpeech(Session& session, bool asked_for_map) {
  ClusterSpeech& speech = session.state().cluster_speech;
  if (speech == ClusterSpeech::kNone) speech = ClusterSpeech::kClient;
  if (!asked_for_map || speech != ClusterSpeech::kClient) return;
  const auto home = HomeOf(session);
  if (!Remember(home)) return;
  const Bytes words[] = {"CLUSTER", "PEER", home.first, home.second};
  TellPeers(words);
}

void ClusterSide::NoteAsker(std::string address, std::string user) {
  static_cast<void>(Remember({std::move(address), std::move(user)}));
}

ClusterSide::Home ClusterSide::HomeOf(Session& session) {
  const std::string& address = session.origin().address;
  const auto& principal = session.state().principal;
  return {address.substr(0, address.rfind(':')), principal != nullptr ? principal->name() : ""};
}

// True when it was not known, or is told so seldom that the other servers may have forgotten it.
bool ClusterSide::Remember(Home home) {
  const SteadyTime now = server_.Steady();
  const std::lock_guard lock(mutex_);
  const auto [place, is_new] = askers_.try_emplace(std::move(home), now);
  const bool is_news = is_new || now - place->second > kClusterAskerKept / 2;
  place->second = now;
  if (askers_.size() <= kClusterAskersMax) return is_news;
  // Those of long ago go, or else the one of the longest time.
  std::erase_if(askers_, [&](const auto& one) { return now - one.second > kClusterAskerKept; });
  if (askers_.size() <= kClusterAskersMax) return is_news;
  askers_.erase(std::min_element(askers_.begin(), askers_.end(),
                                 [](const auto& a, const auto& b) { return a.second < b.second; }));
  return is_news;
}

void ClusterSide::NoteRefused(Bytes address) {
  const auto view = directory_.view();
  const bool is_member =
      std::any_of(view->members.begin(), view->members.end(), [&](const ClusterMember& member) {
        return !member.is_self && ToText(member.address) == address;
      });
  if (!is_member || !refusals_.IsDue(std::string(address), server_.Steady())) return;
  Log(server_.logger(), LogLevel::kWarning,
      "cluster: the server at {} cannot log in here: its cluster-user and cluster-password are not "
      "those of a user of this server who may forward commands",
      address);
}

void ClusterSide::TellPeers(std::span<const Bytes> words) {
  if (peers_ == nullptr) return;
  const std::string text = WireText(words);
  for (const ClusterMember& member : directory_.view()->members) {
    if (member.is_self || member.state == ClusterMember::State::kGone) continue;
    PeerRequest request{.to = member.address, .bytes = text, .replies = 1, .in_order = true};
    static_cast<void>(peers_->Send(std::move(request), [](const PeerReplies&) {}));
  }
}

bool ClusterSide::SpeaksCluster(Session& session) const {
  if (session.state().cluster_speech == ClusterSpeech::kPeer || peers_ == nullptr) return true;
  const auto mode = static_cast<RedirectMode>(redirect_.load(std::memory_order_relaxed));
  if (mode != RedirectMode::kAuto) return mode == RedirectMode::kAlways;
  return session.state().cluster_speech == ClusterSpeech::kClient;
}

bool ClusterSide::Redirects(Session& session) const {
  if (SpeaksCluster(session)) return true;
  const auto mode = static_cast<RedirectMode>(redirect_.load(std::memory_order_relaxed));
  if (mode != RedirectMode::kAuto) return false;
  const SteadyTime now = server_.Steady();
  const std::lock_guard lock(mutex_);
  if (askers_.empty()) return false;
  const auto asker = askers_.find(HomeOf(session));
  if (asker == askers_.end()) return false;
  if (now - asker->second > kClusterAskerKept) {
    askers_.erase(asker);
    return false;
  }
  asker->second = now;  // Its clients are still there.
  return true;
}

void ClusterSide::SetBesideWait(bool beside) {
  const std::lock_guard lock(mutex_);
  if (beside) {
    beside_wait_.insert(std::this_thread::get_id());
  } else {
    beside_wait_.erase(std::this_thread::get_id());
  }
}

bool ClusterSide::IsBesideWait() const {
  const std::lock_guard lock(mutex_);
  return beside_wait_.contains(std::this_thread::get_id());
}

std::string ClusterSide::RedirectLine(engine::Slot slot, const ShardPlace& place) {
  if (place.elsewhere.port == 0) return "CLUSTERDOWN Hash slot not served";
  return fmt::format("MOVED {} {}", slot, ToText(place.elsewhere));
}

Status ClusterSide::ShardComes(ServedDatabase& data) { return server_.FollowDeathsIn(data); }

// Nothing that was watched is vouched for any more: EXEC compares tenures.
void ClusterSide::ShardGoes(std::size_t shard) {
  server_.StopFollowingDeathsIn(shard);
  if (server_.table_shards() != nullptr) server_.table_shards()->ShardGoes(shard);
  EndWaits(shard);
  EndChannels(shard);
}

void ClusterSide::EndChannels(std::size_t shard) {
  server_.publisher().EndShardChannels([&](Bytes channel) {
    return ShardOf(engine::SlotOf(channel), directory_.shards()) == shard;
  });
}

// A client that blocks just now finds out by itself (Executor::Park).
void ClusterSide::EndWaits(std::size_t shard) {
  for (const DatabaseKey& key : server_.waiting().KeysOf(0)) {
    const engine::Slot slot = engine::SlotOf(key.key);
    if (ShardOf(slot, directory_.shards()) != shard) continue;
    for (const auto& waiter : server_.waiting().On(key)) {
      const auto session = waiter->session.lock();
      if (session != nullptr) session->FailWait(waiter, MovedWhileWaitingLine(*waiter));
    }
  }
}

std::string ClusterSide::MovedWhileWaitingLine(const Waiter& waiter) const {
  const engine::Slot slot = engine::SlotOf(waiter.keys.front());
  const ShardPlace place = PlaceOf(slot);
  if (waiter.redirects && place.elsewhere.port != 0) return RedirectLine(slot, place);
  return "UNBLOCKED the shard of the key has moved to another server; repeat the command";
}

}  // namespace mayfly::server

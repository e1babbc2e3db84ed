#include "server/peers/peer_links.h"

#include <algorithm>
#include <atomic>
#include <boost/asio/post.hpp>
#include <utility>

#include "base/log.h"
#include "server/peers/limits.h"
#include "server/peers/peer_link.h"

namespace mayfly::server {

namespace asio = boost::asio;

// A call; shared by its caller's handle and the connection.
class PeerLinks::Call : public std::enable_shared_from_this<PeerLinks::Call> {
 public:
  Call(PeerRequest what, std::function<void(PeerReplies)> done)
      : request(std::move(what)), done_(std::move(done)) {}

  void Finish(PeerReplies replies) {
    if (!over_.exchange(true)) done_(std::move(replies));
  }
  void Drop() { over_ = true; }
  bool over() const { return over_; }

  PeerRequest request;
  std::weak_ptr<PeerLink> link;  // On the thread: the connection of a call that waits.

 private:
  const std::function<void(PeerReplies)> done_;
  std::atomic<bool> over_{false};
};

PeerLinks::PeerLinks(Config& config, const Clock& clock)
    : config_(config),
      clock_(clock),
      alive_(asio::make_work_guard(context_)),
      look_(context_),
      thread_([this] { context_.run(); }) {
  asio::post(context_, [this] { Look(); });
}

PeerLinks::~PeerLinks() {
  context_.stop();
  thread_.join();
}

std::unique_ptr<PeerCall> PeerLinks::Send(PeerRequest request,
                                          std::function<void(PeerReplies)> done) {
  class Handle final : public PeerCall {
   public:
    Handle(PeerLinks& links, std::shared_ptr<Call> call) : links_(links), call_(std::move(call)) {}
    ~Handle() override {
      const bool gives_up = call_->request.waits && !call_->over();
      call_->Drop();
      if (!gives_up) return;
      asio::post(links_.context_, [call = call_] {
        const auto link = call->link.lock();
        if (link != nullptr) link->Close(Status::IoError("the client has gone"));
      });
    }

   private:
    PeerLinks& links_;
    const std::shared_ptr<Call> call_;
  };
  auto call = std::make_shared<Call>(std::move(request), std::move(done));
  asio::post(context_, [this, call] { BeginAfterPause(call); });
  return std::make_unique<Handle>(*this, std::move(call));
}

void PeerLinks::BeginAfterPause(const std::shared_ptr<Call>& call) {
  if (call->request.pause.count() == 0) return Begin(call);
  const auto timer = std::make_shared<asio::steady_timer>(context_, call->request.pause);
  timer->async_wait([this, call, timer](const boost::system::error_code& error) {
    if (!error) Begin(call);
  });
}

void PeerLinks::Begin(const std::shared_ptr<Call>& call) {
  if (call->over() && call->request.waits) return;
  const Key key{call->request.to, call->request.version};
  Pool& pool = pools_[key];
  const auto link =
      call->request.waits ? WaitingLink(pool, key) : SharedLink(pool, key, call->request.in_order);
  if (link == nullptr) {
    return call->Finish(Status::Busy("too many commands wait at another server"));
  }
  if (call->request.waits) call->link = link;
  link->Send(call->request, [call](PeerReplies replies) {
    call->link.reset();  // The connection is another call's from now on.
    call->Finish(std::move(replies));
  });
}

void PeerLinks::Follow(const ShardDirectory& directory, Logger& logger) {
  asio::post(context_, [this, &directory, &logger] {
    directory_ = &directory;
    logger_ = &logger;
  });
}

std::shared_ptr<PeerLink> PeerLinks::NewLink(const Key& key) {
  PeerLogin login{config_.Text(Setting::kClusterUser), config_.Text(Setting::kClusterPassword)};
  const auto view = directory_ != nullptr ? directory_->view() : nullptr;
  if (view != nullptr && view->self() != nullptr) login.self = ToText(view->self()->address);
  return std::make_shared<PeerLink>(
      context_, clock_, key.first, key.second, std::move(login),
      [this, to = ToText(key.first)](const Status& why) {
        if (logger_ == nullptr || !refusals_.IsDue(to, clock_.Steady())) return;
        Log(*logger_, LogLevel::kWarning, "cluster: {}", why.message());
      });
}

// While this server is out of the roster itself, it does not know.
bool PeerLinks::HasGone(const ClusterView& view, const ServerAddress& server) const {
  return view.self() != nullptr &&
         std::none_of(view.members.begin(), view.members.end(), [&](const ClusterMember& member) {
           return member.address == server && member.state != ClusterMember::State::kGone;
         });
}

std::shared_ptr<PeerLink> PeerLinks::SharedLink(Pool& pool, const Key& key, bool in_order) {
  std::erase_if(pool.shared, [](const auto& link) { return link->closed(); });
  const std::size_t place = in_order ? 0 : pool.next++ % kSharedLinksMax;
  if (place < pool.shared.size()) return pool.shared[place];
  pool.shared.push_back(NewLink(key));
  pool.shared.back()->Start();
  return pool.shared.back();
}

std::shared_ptr<PeerLink> PeerLinks::WaitingLink(Pool& pool, const Key& key) {
  std::erase_if(pool.waiting, [](const auto& link) { return link->closed(); });
  const auto idle = std::find_if(pool.waiting.begin(), pool.waiting.end(),
                                 [](const auto& link) { return link->idle(); });
  if (idle != pool.waiting.end()) return *idle;
  if (pool.waiting.size() >= kWaitingLinksMax) return nullptr;
  pool.waiting.push_back(NewLink(key));
  pool.waiting.back()->Start();
  return pool.waiting.back();
}

// Closes connections that are silent, and idle ones that are too many.
void PeerLinks::Look() {
  const SteadyTime now = clock_.Steady();
  const auto view = directory_ != nullptr ? directory_->view() : nullptr;
  for (auto& [key, pool] : pools_) {
    if (view != nullptr && HasGone(*view, key.first)) {
      for (auto* const links : {&pool.shared, &pool.waiting}) {
        for (const auto& link : std::vector(*links)) {
          if (link->OwesFor(kGonePatience, now)) {
            link->Close(Status::IoError("it is silent, and others have its shards"));
          }
        }
      }
    }
    std::size_t idle = 0;
    for (const auto& link : std::vector(pool.waiting)) {
      if (link->idle()) ++idle;
      if (link->IsSilent(now)) link->Close(Status::IoError("it is silent"));
      if (link->idle() && idle > kIdleLinksKept) link->Close(Status::IoError("it is not needed"));
    }
    for (const auto& link : std::vector(pool.shared)) {
      if (link->IsSilent(now)) link->Close(Status::IoError("it is silent"));
    }
  }
  look_.expires_after(kSilenceLook);
  look_.async_wait([this](const boost::system::error_code& error) {
    if (!error) Look();
  });
}

}  // namespace mayfly::server

#include "server/session/tracking.h"

#include <algorithm>

#include "server/session/session.h"

namespace mayfly::server {
namespace {

constexpr const char* kChannel = "__redis__:invalidate";

// While something is to die, the thread looks at the clock so often: it may be moved.
constexpr Millis kLongestSleep(1000);

void WriteKeys(const std::vector<std::string>& keys, ReplyWriter& writer) {
  if (keys.empty()) return writer.Null();
  writer.Array(keys.size());
  for (const std::string& key : keys) writer.Bulk(key);
}

// A client of RESP2 gets messages only by way of one that listens to channels.
void WriteInvalidation(Session& to, bool redirected, const std::vector<std::string>& keys,
                       ReplyWriter& writer) {
  if (writer.version() == ProtocolVersion::kResp3) {
    writer.Push(2);
    writer.Bulk("invalidate");
    WriteKeys(keys, writer);
  } else if (redirected && to.extension().subscriptions().any()) {
    writer.Array(3);
    writer.Bulk("message");
    writer.Bulk(kChannel);
    WriteKeys(keys, writer);
  }
}

void NotifyBrokenRedirect(Session& client, std::uint64_t redirect) {
  client.PostMessage(0, [&client, redirect](ReplyWriter& writer) {
    if (client.state().tracking == nullptr) return;
    client.state().tracking->redirect_broken = true;
    if (writer.version() != ProtocolVersion::kResp3) return;
    writer.Push(2);
    writer.Bulk("tracking-redir-broken");
    writer.Integer(static_cast<std::int64_t>(redirect));
  });
}

std::size_t BytesOf(const std::vector<std::string>& keys) {
  std::size_t bytes = 0;
  for (const std::string& key : keys) bytes += sizeof(std::string) + key.size();
  return bytes;
}

}  // namespace

Tracking::~Tracking() {
  stopping_ = true;
  waker_.Wake();
  if (thread_.joinable()) thread_.join();
}

void Tracking::Enable(std::uint64_t client, const TrackingMode& mode) {
  table_.Enable(client, mode);
  const std::lock_guard lock(starting_);
  if (!thread_.joinable()) thread_ = std::thread([this] { Run(); });
}

void Tracking::Remember(std::uint64_t client, const DatabaseKeyView& key,
                        std::optional<WallTime> dies, Invalidations& out) {
  if (table_.Remember(client, key, dies, out)) waker_.Wake();
}

void Tracking::Deliver(const Invalidations& messages) {
  for (const Invalidation& message : messages.list()) {
    const auto client = clients_.Find(message.client);
    if (client == nullptr) continue;
    const auto target = message.redirect == 0 ? client : clients_.Find(message.redirect);
    if (target == nullptr) {
      NotifyBrokenRedirect(*client, message.redirect);
      continue;
    }
    // The session runs this itself.
    target->PostMessage(BytesOf(message.keys), [&to = *target, redirected = message.redirect != 0,
                                                keys = message.keys](ReplyWriter& writer) {
      WriteInvalidation(to, redirected, keys, writer);
    });
  }
}

void Tracking::SetKeysMax(std::size_t keys_max) {
  Invalidations messages;
  table_.SetKeysMax(keys_max, messages);
  Deliver(messages);
}

void Tracking::KeyDied(const DatabaseKeyView& key) {
  if (!table_.any_broadcast()) return;
  Invalidations messages;
  table_.TakeForBroadcast(key, messages);
  Deliver(messages);
}

void Tracking::EverythingChanged() {
  if (!table_.any()) return;
  Invalidations messages;
  table_.TakeAll(messages);
  Deliver(messages);
}

// The database's time decides what is dead; the sleep follows the machine's clock by the difference.
void Tracking::Run() {
  while (!stopping_) {
    const auto next = table_.next_death();
    if (!next) {
      waker_.Wait();
      continue;
    }
    const WallTime now = database_.clock_report().now;
    Invalidations messages;
    table_.TakeDead(now, messages);
    Deliver(messages);
    if (!messages.empty()) continue;
    clock_.Sleep(waker_, clock_.Now() + std::clamp(*next - now, Millis(0), kLongestSleep));
  }
}

}  // namespace mayfly::server

// served_follower.h - one follower: what its session sends.
//   copying -> awaits a sign -> streaming    a full copy; a follower that ends by the mark says first
//      \------------------------>/           that it is ready, since it would read beyond the mark
//   streaming                                it goes on where it was
// The copy is read by a thread of its own, from a state that is taken while no transaction runs; the
// position in the stream is taken with it. So everything before is in the copy, and everything
// behind it in the stream.
// Threads: Fill(), Ended() and Acknowledged() on the session's, the rest from any.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>
#include <string>
#include <thread>

#include "core/transactions/frozen_state.h"
#include "server/feed/feed.h"
#include "server/lead/copy_queue.h"
#include "server/session/leading.h"
#include "server/session/server.h"
#include "server/session/session.h"

namespace mayfly::server {

class ServedFollower final : public OutputSource {
 public:
  ServedFollower(Server& server, Session& session);
  ~ServedFollower() override;

  // The first call. Resume: false, if the stream is not kept from there on.
  bool Resume(const FeedPosition& position);
  // `answers`: with +FULLRESYNC, as PSYNC is; SYNC is not.
  void Copy(bool answers);

  // OutputSource.
  bool Fill(OutputBuffer& out) override;
  void Ended() override;

  void Acknowledged(std::int64_t offset);

  // Ends the copy's thread; waits for it.
  void Stop();

  bool ended() const { return ended_; }
  bool streams() const { return phase_ == Phase::kStreaming && !ended_; }
  std::int64_t acknowledged() const { return acknowledged_; }
  SteadyTime heard() const { return SteadyTime(SteadyTime::duration(heard_)); }
  std::uint64_t client_id() const { return client_id_; }
  FollowerFigures figures() const;

  // Ends the session of a follower that was silent for too long, or is too far behind.
  void Check(const OutputLimit& limit, Millis silence_max);

 private:
  enum class Phase : std::uint8_t { kCopying, kAwaitsSign, kStreaming };

  std::function<void()> Wake() const;
  void RunCopy(bool answers);
  Status WriteWhole(bool answers);
  Status TakeCut(std::unique_ptr<core::FrozenState>& state,
                 std::shared_ptr<const Databases::Mapping>& databases, FeedPosition& position);
  std::shared_ptr<Feed::Reader> reader() const;
  void Heard() { heard_ = server_.Steady().time_since_epoch().count(); }
  void Close(std::string_view why);

  Server& server_;
  const std::weak_ptr<Session> session_;
  const std::uint64_t client_id_;
  const FollowerTraits traits_;
  std::string address_;  // Constant after construction.
  CopyQueue queue_;
  std::thread copier_;
  std::string greeting_;                 // Used on the session's thread.
  std::optional<SteadyTime> far_since_;  // Used by Check(): behind the soft limit.

  std::atomic<Phase> phase_{Phase::kCopying};
  std::atomic<std::int64_t> acknowledged_{0};
  std::atomic<SteadyTime::rep> heard_{0};
  std::atomic<bool> failed_{false};
  std::atomic<bool> ended_{false};
  mutable std::mutex mutex_;  // Guards the next.
  std::shared_ptr<Feed::Reader> reader_;
};

}  // namespace mayfly::server

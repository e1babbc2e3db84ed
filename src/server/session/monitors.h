// monitors.h - clients that see every command: MONITOR.
// Safe to call from any thread.
#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <string>

#include "mayfly/bytes.h"
#include "mayfly/clock.h"

namespace mayfly::server {

class Session;
struct CommandSpec;

class Monitors {
 public:
  void Add(const std::shared_ptr<Session>& session);
  void Remove(std::uint64_t id);

  bool empty() const { return count_.load(std::memory_order_acquire) == 0; }
  std::size_t size() const { return count_; }

  // How long a write to one of them may take before it is closed; zero: no bound.
  void SetSendTimeMax(Millis max) { send_time_max_ms_.store(max.count()); }
  Millis send_time_max() const { return Millis(send_time_max_ms_.load()); }

  // Shows a command that is about to run to all of them, without its secrets. `source` is the
  // client's address.
  void Show(WallTime now, int database, std::string_view source, const CommandSpec& spec,
            std::span<const Bytes> args);

 private:
  std::atomic<std::size_t> count_{0};
  std::atomic<std::int64_t> send_time_max_ms_{0};
  std::mutex mutex_;
  std::map<std::uint64_t, std::weak_ptr<Session>> sessions_;  // Guarded by mutex_.
};

}  // namespace mayfly::server

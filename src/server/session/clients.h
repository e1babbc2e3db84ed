// clients.h - all connected clients.
// Safe to call from any thread.
#pragma once

#include <atomic>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <vector>

namespace mayfly::server {

class Session;

class Clients {
 public:
  std::uint64_t NewId() { return ++last_id_; }

  void Add(const std::shared_ptr<Session>& session);
  void Remove(std::uint64_t id);

  std::shared_ptr<Session> Find(std::uint64_t id) const;
  std::vector<std::shared_ptr<Session>> All() const;  // The oldest first.

  std::size_t size() const { return size_; }
  std::uint64_t accepted() const { return accepted_; }
  std::uint64_t rejected() const { return rejected_; }
  void CountRejected() { ++rejected_; }
  void ResetCounters() { accepted_ = rejected_ = 0; }

 private:
  std::atomic<std::uint64_t> last_id_{0};
  std::atomic<std::size_t> size_{0};
  std::atomic<std::uint64_t> accepted_{0};
  std::atomic<std::uint64_t> rejected_{0};
  mutable std::mutex mutex_;
  std::map<std::uint64_t, std::shared_ptr<Session>> sessions_;  // Guarded by mutex_.
};

}  // namespace mayfly::server

#include "server/session/clients.h"

#include "server/session/session.h"

namespace mayfly::server {

void Clients::Add(const std::shared_ptr<Session>& session) {
  ++accepted_;
  const std::lock_guard lock(mutex_);
  sessions_.emplace(session->origin().id, session);
  size_ = sessions_.size();
}

void Clients::Remove(std::uint64_t id) {
  std::shared_ptr<Session> last;  // Destroyed outside of the lock.
  const std::lock_guard lock(mutex_);
  const auto found = sessions_.find(id);
  if (found == sessions_.end()) return;
  last = std::move(found->second);
  sessions_.erase(found);
  size_ = sessions_.size();
}

std::shared_ptr<Session> Clients::Find(std::uint64_t id) const {
  const std::lock_guard lock(mutex_);
  const auto found = sessions_.find(id);
  return found == sessions_.end() ? nullptr : found->second;
}

std::vector<std::shared_ptr<Session>> Clients::All() const {
  const std::lock_guard lock(mutex_);
  std::vector<std::shared_ptr<Session>> all;
  all.reserve(sessions_.size());
  for (const auto& [id, session] : sessions_) all.push_back(session);
  return all;
}

}  // namespace mayfly::server

#include "server/scan_cursors.h"

namespace mayfly::server {

std::uint64_t ScanCursors::Keep(Bytes next_key) {
  const std::lock_guard lock(mutex_);
  ++last_;
  by_cursor_[last_] = places_.emplace(places_.end(), last_, std::string(next_key));
  if (places_.size() > cursors_max_) {
    by_cursor_.erase(places_.front().first);
    places_.pop_front();
  }
  return last_;
}

std::optional<std::string> ScanCursors::Find(std::uint64_t cursor) {
  const std::lock_guard lock(mutex_);
  const auto found = by_cursor_.find(cursor);
  if (found == by_cursor_.end()) return std::nullopt;
  places_.splice(places_.end(), places_, found->second);
  return found->second->second;
}

}  // namespace mayfly::server

// scan_cursors.h - where scans over keys have come to, under numbers clients can send back.
// Keys lie in byte order, and SCAN's cursor is a number, so the server remembers. It keeps the last
// kScanCursorsMax places; whoever comes back with an older one, or after a restart, is told to
// begin again, since going on anywhere else could leave keys out. Safe from any thread.
#pragma once

#include <cstdint>
#include <list>
#include <mutex>
#include <optional>
#include <string>
#include <unordered_map>

#include "mayfly/bytes.h"

namespace mayfly::server {

inline constexpr std::size_t kScanCursorsMax = 65'536;

class ScanCursors {
 public:
  explicit ScanCursors(std::size_t cursors_max = kScanCursorsMax) : cursors_max_(cursors_max) {}

  // The number under which `next_key` will be found: below 2^53, never 0.
  std::uint64_t Keep(Bytes next_key);

  // Nothing when it was never given out, or is forgotten. A cursor can be used more than once.
  std::optional<std::string> Find(std::uint64_t cursor);

 private:
  using Places = std::list<std::pair<std::uint64_t, std::string>>;

  const std::size_t cursors_max_;
  std::mutex mutex_;
  std::uint64_t last_ = 0;  // Guarded by mutex_, like the rest.
  Places places_;           // The least recently used first.
  std::unordered_map<std::uint64_t, Places::iterator> by_cursor_;
};

}  // namespace mayfly::server

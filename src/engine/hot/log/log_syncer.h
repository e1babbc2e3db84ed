// log_syncer.h - fdatasync for many callers at once.
// One caller syncs for all whose records are in the log by then; who comes later waits and shares
// the next sync.
// A failed sync is not repeated: the kernel may have dropped the unwritten pages and report success
// next time. So nothing in that segment or behind it is called durable, until the segment is written
// again and synced, or removed because its records are on the device elsewhere.
// Threads: every call from any thread.
#pragma once

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <mutex>

#include "engine/hot/log/segment_chain.h"
#include "mayfly/status.h"

namespace mayfly::engine::hot {

class LogSyncer {
 public:
  // Records up to `durable` are on the device. `published` grows as records become complete, in
  // order; both must outlive the syncer.
  LogSyncer(SegmentChain& chain, const std::atomic<std::uint64_t>& published,
            std::uint64_t durable);

  // Returns when the records up to `sequence`, which must be published, are on the device.
  Status SyncThrough(std::uint64_t sequence);

  // Syncs even if all records are on the device: headers may not be.
  Status SyncNow();

  // Syncs one segment, although others before it may have failed: its header must be durable before
  // they are removed.
  Status SyncHeader(Segment& segment);

  // The segment whose sync failed last; 0: none.
  std::uint64_t failed_segment() const;

  // After a failed sync: writes what is not known to be on the device again. The failed segment must
  // be closed, and its records published. Syncs go on afterwards.
  Status WriteAgain();

  // Segments before `oldest` were removed; their records up to `sequence` are durable elsewhere.
  void Removed(std::uint64_t oldest, std::uint64_t sequence);

  // Records up to this one are on the device.
  std::uint64_t durable() const { return durable_.load(std::memory_order_acquire); }

 private:
  // Needs `lock` on mutex_, which is released meanwhile.
  Status Lead(std::unique_lock<std::mutex>& lock);
  Status SyncSegments(std::uint64_t target);
  Status SyncFile(Segment& segment);

  SegmentChain& chain_;
  const std::atomic<std::uint64_t>& published_;
  std::atomic<std::uint64_t> durable_;  // Written under mutex_.

  mutable std::mutex mutex_;  // Guards the rest.
  std::condition_variable done_;
  bool is_syncing_ = false;
  std::uint64_t failed_segment_ = 0;  // 0: none.
  Status failure_;
};

}  // namespace mayfly::engine::hot

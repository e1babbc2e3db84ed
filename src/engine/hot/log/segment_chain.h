// segment_chain.h - the segments of the log, in order, and the one prepared ahead.
//   | closed | closed | active |    next, prepared
// The room of the next segment is allocated before the active one is full: a full disk refuses a
// batch before any of it is written.
// Invariants: (1) A segment begins with its file's name and room already durable in the directory.
// (2) Segments are removed from the oldest on, never the active one.
// Threads: every call from any thread, Begin() from one at a time.
#pragma once

#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "engine/hot/log/segment.h"

namespace mayfly::engine::hot {

struct ChainOptions {
  LogFiles* files = nullptr;  // Must outlive the chain.
  std::uint64_t segment_bytes = 0;
  bool mapped = false;
  std::shared_ptr<const crypto::DatabaseKey> key;  // Null: not encrypted.
};

// A segment, for the engine.
struct SegmentInfo {
  std::uint64_t number = 0;
  std::string path;
  std::uint64_t bytes = 0;  // On the disk.
  std::uint64_t first_sequence = 0;
  std::uint64_t last_sequence = 0;  // first_sequence - 1: no record. Of the active one: so far.
  bool is_active = false;
};

// Where a segment begins.
struct SegmentPlace {
  std::uint64_t first_sequence = 0;
  std::uint64_t previous_end = 0;
  std::uint64_t durable = 0;
};

class SegmentChain {
 public:
  // `last_number`: the highest number that an earlier process used.
  SegmentChain(ChainOptions options, std::uint64_t last_number);

  // A closed segment of an earlier process; call in their order, before Begin().
  void Adopt(std::shared_ptr<Segment> segment, std::uint64_t last_sequence);

  // Allocates the next segment, unless it is there, with room for so many bytes of records. IoError
  // when the disk is full.
  Status Prepare(std::uint64_t record_bytes);

  // Closes the active segment and begins the next one, which must be prepared.
  Result<Segment*> Begin(const SegmentPlace& place);

  // Segments that may have something unsynced, oldest first.
  std::vector<std::shared_ptr<Segment>> Unsynced() const;

  // Closed segments up to this number, whose records all are at most `sequence`, need no more sync.
  void SetSynced(std::uint64_t number, std::uint64_t sequence);

  // The oldest segment that RemoveThrough(sequence) would leave; null when it would remove none.
  std::shared_ptr<Segment> OldestKept(std::uint64_t sequence) const;

  // Segments whose records all are at most `sequence`, except for the active one, are removed.
  // Returns the number of the oldest that is left, whose header must be on the device: without it
  // nothing says where the log begins.
  Result<std::uint64_t> RemoveThrough(std::uint64_t sequence);

  // Removes the prepared segment, if there is one.
  Status RemovePrepared();

  std::vector<SegmentInfo> List(std::uint64_t last_sequence) const;

 private:
  struct Member {
    std::shared_ptr<Segment> segment;  // Shared with calls that sync it.
    std::uint64_t last_sequence = 0;   // Of a closed one.
    bool is_synced = false;
  };

  const ChainOptions options_;

  std::mutex preparing_;             // Held while a file is made or removed; before mutex_.
  bool is_directory_synced_ = true;  // Guarded by preparing_.

  mutable std::mutex mutex_;    // Guards the rest; held for moments, except by Begin().
  std::deque<Member> members_;  // The last one is active, after the first Begin().
  std::shared_ptr<Segment> next_;
  std::uint64_t last_number_;  // Of the last segment that was made.
};

}  // namespace mayfly::engine::hot

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
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "engine/hot/log/segment.h"

namespace mayfly::engine::hot {

// Decides about the length of the next segment: `usual` bytes, or less on a disk that is nearly full,
// but at least `least`. Nothing: the disk is too full for it.
using SegmentLength =
    std::function<std::optional<std::uint64_t>(std::uint64_t usual, std::uint64_t least)>;

struct ChainOptions {
  LogFiles* files = nullptr;  // Must outlive the chain.
  std::uint64_t segment_bytes = 0;
  SegmentLength length = {};  // Null: as usual.
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

  // Allocates the next segment, unless it is there, with room for so many bytes of records. Busy when
  // the disk is full.
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

  // Gives back the room of the prepared segment, if there is one. Its name stays, and shows that the
  // active one was there. Nothing may be begun afterwards.
  Status ShrinkPrepared();

  std::vector<SegmentInfo> List(std::uint64_t last_sequence) const;

  // Writes the unsynced segments up to this number again, and syncs them: the kernel takes what a
  // failed sync left for written, so a sync alone proves nothing. Their records must be published. Of
  // the active one, which must have had no record when its sync failed, the header is written.
  // Corruption when a record is not as it was written any more. Not beside RemoveThrough().
  Status WriteAgain(std::uint64_t number);

 private:
  struct Member {
    std::shared_ptr<Segment> segment;  // Shared with calls that sync it.
    std::uint64_t last_sequence = 0;   // Of a closed one.
    bool is_synced = false;
  };

  Result<std::uint64_t> LengthOfNext(std::uint64_t record_bytes) const;
  Status WriteRecordsAgain(const Segment& segment, std::uint64_t last_sequence) const;

  const ChainOptions options_;

  std::mutex preparing_;             // Held while a file is made or removed; before mutex_.
  bool is_directory_synced_ = true;  // Guarded by preparing_.

  mutable std::mutex mutex_;    // Guards the rest; held for moments, except by Begin().
  std::deque<Member> members_;  // The last one is active, after the first Begin().
  std::shared_ptr<Segment> next_;
  std::uint64_t last_number_;  // Of the last segment that was made.
};

}  // namespace mayfly::engine::hot

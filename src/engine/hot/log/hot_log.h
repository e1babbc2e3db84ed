// hot_log.h - the log of the memory-first engine: every batch, in order, before it is applied.
// A record is a batch or a note of the engine (change_codec.h). It has a sequence, counted from 1
// without gaps; the order of sequences is the order in the files. The log is a chain of segments
// with room allocated ahead; the engine removes old ones when their records are in the cold store.
//
// Invariants, checked by hot_log_*_test.cc:
// (1) What recovery replays is a prefix of the records in their order. After the death of the
//     process no record that Append() returned is missing; after a power cut, none up to the last
//     that Sync() returned for.
// (2) An append that returned an error left nothing, unless its message says that the outcome is
//     unknown. On a full disk it is Busy before anything is written, and works again when there is
//     room.
// (3) After a failed sync nothing is called durable until WriteAgain() has succeeded, or Remove() has
//     removed the segment.
// (4) Damage is Corruption with file and offset; only what was never durable is cut.
//
// Threads: every call from any thread, except that Close() and the destructor must be alone.
// Processes: in a child made by fork() every call returns Invalid, and the destructor leaves the
// files as they are.
#pragma once

#include <atomic>
#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <vector>

#include "base/owner_process.h"
#include "crypto/database_key.h"
#include "engine/hot/log/limits.h"
#include "engine/hot/log/log_files.h"
#include "engine/hot/log/log_recovery.h"
#include "engine/hot/log/segment_chain.h"
#include "mayfly/bytes.h"
#include "mayfly/durability.h"
#include "mayfly/result.h"

namespace mayfly::engine::hot {

struct LogOptions {
  LogFiles* files = nullptr;  // A directory of the log's own; must outlive the log.

  // Bytes of a segment; a record that needs more gets a segment of its size. Longer ones rotate
  // less often, shorter ones free disk space and keep promises sooner.
  std::uint64_t segment_bytes = kSegmentBytesDefault;
  SegmentLength length = {};  // Null: as usual.

  // Records are copied into mapped segments, without a system call, where the file system can
  // allocate room ahead; otherwise they are written in groups.
  bool mapped = true;

  // Records from this one on are needed: all before are durable in the cold store.
  std::uint64_t replay_from = 1;

  std::shared_ptr<const crypto::DatabaseKey> key;  // Null: not encrypted.
};

// What Open() found.
struct LogReport {
  std::uint64_t records = 0;  // Replayed.
  std::optional<LogCut> cut;  // Where the unsynced end of a crashed process was cut off.
  bool is_mapped = false;
};

class HotLog {
 public:
  // Replays the log in order, removes what is not needed, and makes what was replayed durable. An
  // empty directory becomes a new log. Errors are those of RecoverLog(), IoError, and Busy on a full
  // disk.
  static Result<std::unique_ptr<HotLog>> Open(const LogOptions& options, ReplayRecord replay);

  ~HotLog();  // Closes; errors of that are lost.
  HotLog(const HotLog&) = delete;
  HotLog& operator=(const HotLog&) = delete;

  // Appends one record, or one per payload (all or none, one write), and returns the sequence of
  // the first. Survives the death of the process then: kProcess. For kDisk call Sync() next; the
  // engine may apply the batch in between. Busy and IoError as invariant 2 says; Invalid for a payload
  // longer than kPayloadBytesMax.
  // `voided`: the first of the sequences that a failed append took all the same, as records that are
  // not replayed; 0: it took none.
  Result<std::uint64_t> Append(Bytes payload) { return Append(std::span(&payload, 1)); }
  Result<std::uint64_t> Append(std::span<const Bytes> payloads) {
    std::uint64_t voided = 0;
    return Append(payloads, voided);
  }
  // `wait`: for the records before it, too; or for its own alone, if the caller itself acknowledges
  // nothing before all of those are complete. Until then a crash may lose it.
  enum class Wait : std::uint8_t { kForAllBefore, kForOwnRecord };
  Result<std::uint64_t> Append(std::span<const Bytes> payloads, std::uint64_t& voided,
                               Wait wait = Wait::kForAllBefore);

  // Returns when all records up to `sequence`, which Append() returned, have this durability.
  // Callers share one fdatasync. After IoError the record stays in the log: whether it survives a
  // power cut is unknown.
  Status Sync(std::uint64_t sequence, Durability durability = Durability::kDisk);

  // True after a sync that failed, as invariant 3 says. WriteAgain() ends it: what is not known to be
  // on the device is written again, to the same place, and synced. Begins a new segment. Not beside
  // Remove().
  bool has_failed_sync() const;
  Status WriteAgain();

  // Returns when the records up to `sequence`, of closed segments, are complete: a thread may still be
  // copying one into a segment after it was closed, which takes moments.
  void AwaitRecords(std::uint64_t sequence) const;

  // Makes room for the next segment, if that is not done yet. An append does this by itself; called
  // from another thread after each rotation, it keeps the making of files off the path of writes.
  Status Prepare();

  // Begins a new segment, so that the engine can fold and remove all records so far. Busy on a full
  // disk.
  Status Rotate();

  // Removes the segments, except for the active one, whose records all are at most `sequence`. All
  // records up to it must be durable in the cold store, and `replay_from` of later opens must be
  // higher.
  Status Remove(std::uint64_t sequence);

  std::vector<SegmentInfo> Segments() const;

  // The last record in the log, and the last one known to be on the device.
  std::uint64_t last_sequence() const;
  std::uint64_t durable_sequence() const;

  const LogReport& report() const;

  // Syncs and marks the log as whole. Every call that changes it is Invalid then.
  Status Close();

 private:
  struct Parts;

  explicit HotLog(std::unique_ptr<Parts> parts);

  Status CheckUsable() const;

  const OwnerProcess owner_;
  std::unique_ptr<Parts> parts_;
  std::atomic<bool> is_closed_{false};
};

}  // namespace mayfly::engine::hot

// appender.h - the end of the log: gives records their sequence and place.
// Two ways: GroupAppender writes what has arrived together in one call; MappedAppender copies each
// record into a mapped segment, without a system call.
// Invariants: (1) The order of sequences is the order in the file, without gaps. (2) published()
// grows only when all records up to it are complete: nothing behind a hole is acknowledged.
// (3) A record has room before it gets a place: a full disk refuses it and changes nothing.
// Threads: every call from any thread.
#pragma once

#include <atomic>
#include <cstdint>
#include <span>

#include "engine/hot/log/segment.h"
#include "mayfly/bytes.h"
#include "mayfly/result.h"

namespace mayfly::engine::hot {

class SegmentChain;
class LogSyncer;

// Where the next record goes.
struct LogTail {
  Segment* segment = nullptr;  // Owned by the chain; stays until its records are published.
  std::uint64_t offset = 0;
  std::uint64_t next_sequence = 0;

  bool IsEmpty() const { return offset == kSegmentHeaderBytes; }
  bool HasRoom(std::uint64_t bytes) const { return offset + bytes <= segment->bytes(); }
};

class Appender {
 public:
  Appender() = default;
  virtual ~Appender() = default;
  Appender(const Appender&) = delete;
  Appender& operator=(const Appender&) = delete;

  // Appends one record per payload, all or none, and returns the sequence of the first. They are in
  // the operating system's hands then, and with `waits` all before them.
  // `voided`: the first of the sequences that a failed append took all the same; 0: it took none.
  virtual Result<std::uint64_t> Append(std::span<const Bytes> payloads, std::uint64_t& voided,
                                       bool waits) = 0;

  // Begins a new segment, unless the active one has no record.
  virtual Status Rotate() = 0;

 protected:
  // Bytes that the records of these payloads take together.
  static std::uint64_t BytesOf(std::span<const Bytes> payloads) {
    std::uint64_t bytes = 0;
    for (const Bytes payload : payloads) bytes += RecordBytes(payload.size());
    return bytes;
  }
};

// `published` is the appender's to write, and must outlive it, as all else.
std::unique_ptr<Appender> NewGroupAppender(SegmentChain& chain, LogSyncer& syncer, LogTail tail,
                                           std::atomic<std::uint64_t>& published);
std::unique_ptr<Appender> NewMappedAppender(SegmentChain& chain, LogSyncer& syncer, LogTail tail,
                                            std::atomic<std::uint64_t>& published);

}  // namespace mayfly::engine::hot

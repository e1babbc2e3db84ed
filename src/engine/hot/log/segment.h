// segment.h - one open file of the log.
// A segment is prepared (its room is allocated, its header zeros), then begun (its header written;
// records follow), then closed (the next one has begun). Its place in the log is decided when it is
// begun, so that one can be prepared ahead.
// Threads: who may write where is the appender's matter; everything else is constant once begun.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "crypto/cipher.h"
#include "crypto/database_key.h"
#include "engine/hot/log/log_files.h"
#include "engine/hot/log/log_format.h"
#include "mayfly/result.h"

namespace mayfly::engine::hot {

// Separates the keys of segments from those of other files. Stored; never change.
inline constexpr Bytes kSegmentKeyPurpose = "hot log";

class Segment {
 public:
  // Creates the file, and allocates and maps its room. Without `key` it is not encrypted. After an
  // error the file may be there.
  static Result<std::unique_ptr<Segment>> Prepare(LogFiles& files, std::uint64_t number,
                                                  std::uint64_t bytes, bool mapped,
                                                  const crypto::DatabaseKey* key);

  // A segment of an earlier process, to be synced and removed.
  Segment(std::unique_ptr<LogFile> file, SegmentHeader header, std::uint64_t bytes);

  // Makes a prepared segment longer.
  Status Grow(std::uint64_t bytes);

  // Writes the header. After an error it may be written or not, and must be tried again with the
  // same place before anything else is written to the log.
  Status Begin(std::uint64_t first_sequence, std::uint64_t previous_end, std::uint64_t durable);

  // Copies a payload to `out` as it is stored at `offset`, the offset of its record. False when the
  // cipher failed.
  bool Store(std::uint64_t offset, Bytes payload, char* out) const;
  bool is_encrypted() const { return cipher_ != nullptr; }

  const SegmentHeader& header() const { return header_; }
  std::uint64_t number() const { return header_.number; }
  std::uint64_t first_sequence() const { return header_.first_sequence; }
  std::uint64_t seed() const { return seed_; }
  std::uint64_t bytes() const { return bytes_; }
  char* mapping() const { return mapping_; }
  LogFile& file() const { return *file_; }

 private:
  const std::unique_ptr<LogFile> file_;
  SegmentHeader header_;
  std::uint64_t seed_ = 0;
  std::uint64_t bytes_;
  char* mapping_ = nullptr;  // Null: records are written by calls.
  std::unique_ptr<crypto::CounterCipher> cipher_;
  bool is_placed_ = false;
};

}  // namespace mayfly::engine::hot

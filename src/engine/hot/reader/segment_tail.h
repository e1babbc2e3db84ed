// segment_tail.h - reads the records of one segment while it is being written.
// Each byte is read about once: where no whole record is, the next call looks again. The file stays
// open, so that it can be read to its end after the writer has removed it.
// One thread at a time.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>

#include "crypto/cipher.h"
#include "crypto/database_key.h"
#include "engine/hot/log/log_files.h"
#include "engine/hot/log/log_format.h"
#include "mayfly/result.h"

namespace mayfly::engine::hot {

// The header of a segment, or nothing if it has not begun. Corruption when it is damaged, and not
// just being written.
Result<std::optional<SegmentHeader>> ReadSegmentHeader(LogFiles& files, LogFile& file,
                                                       std::uint64_t number);

class SegmentTail {
 public:
  // `header` is the one in `file`.
  static Result<std::unique_ptr<SegmentTail>> Make(std::unique_ptr<LogFile> file,
                                                   SegmentHeader header,
                                                   const crypto::DatabaseKey* key);

  const SegmentHeader& header() const { return header_; }
  std::uint64_t number() const { return header_.number; }
  std::uint64_t offset() const { return offset_; }
  std::uint64_t next_sequence() const { return header_.first_sequence + next_number_; }

  // Reads the next record, which must end at or before `end`. False, and the tail stays, when no
  // whole record is there. The record holds until the next call.
  Result<bool> Next(std::uint64_t end, StoredRecord& record);

  // The payload as it was before its encryption; `buffer` may hold it. The record is the last one
  // that Next() returned.
  Result<Bytes> Plain(const StoredRecord& record, std::string& buffer) const;

 private:
  SegmentTail(std::unique_ptr<LogFile> file, SegmentHeader header);

  bool TakeBuffered(std::uint64_t end, StoredRecord& record);
  Status Load();

  const std::unique_ptr<LogFile> file_;
  const SegmentHeader header_;
  const std::uint64_t seed_;
  std::unique_ptr<crypto::CounterCipher> cipher_;  // Null: not encrypted.
  std::uint64_t offset_ = kSegmentHeaderBytes;     // Everything before it has been taken.
  std::uint32_t next_number_ = 0;
  std::string buffer_;
  std::uint64_t buffer_offset_ = 0;  // Of the buffer in the file; at most offset_.
};

}  // namespace mayfly::engine::hot

// segment_reader.h - a segment of an earlier process, read as a whole.
#pragma once

#include <algorithm>
#include <cstdint>
#include <memory>
#include <string>

#include "crypto/cipher.h"
#include "crypto/database_key.h"
#include "engine/hot/log/log_files.h"
#include "engine/hot/log/log_format.h"
#include "mayfly/result.h"

namespace mayfly::engine::hot {

class SegmentReader {
 public:
  // Reads the file of this header. Corruption when the file is encrypted with another key.
  static Result<SegmentReader> Open(LogFiles& files, const SegmentHeader& header,
                                    const crypto::DatabaseKey* key);

  // The same with the bytes of the file, in which unreadable places may be anything.
  static Result<SegmentReader> Over(std::string bytes, const SegmentHeader& header,
                                    const crypto::DatabaseKey* key);

  // Reads the next record, which must have the next number and end at or before `end`. False, and
  // the reader stays, when no whole record is there.
  bool Next(std::uint64_t end, StoredRecord& record);

  // For a salvage, where Next() found no whole record: goes on to the next one behind it that ends at
  // or before `end` and whose sequence is below `limit`. False, and the reader stays, when there is
  // none, or the search has checked `checked` > kSearchBytesMax bytes.
  bool SkipDamage(std::uint64_t end, std::uint64_t limit, std::uint64_t& checked);

  // The payload as it was before its encryption; `buffer` may hold it. The record is the last one
  // that Next() returned.
  Result<Bytes> Plain(const StoredRecord& record, std::string& buffer) const;

  // True if there are only zeros from here to the end of the file.
  bool IsAtZeros() const;

  // True if a whole record behind this place says that `sequence` was on the device. Adds what it
  // checks to `checked`; Corruption when that passes kSearchBytesMax.
  Result<bool> ProvesDurable(std::uint64_t sequence, std::uint64_t& checked) const;

  // As it is stored, from here to the end of the file.
  Bytes rest() const { return Bytes(bytes_).substr(std::min<std::size_t>(offset_, bytes_.size())); }

  // As they are stored: all records that Next() returned.
  Bytes records() const {
    return Bytes(bytes_).substr(kSegmentHeaderBytes, offset_ - kSegmentHeaderBytes);
  }

  std::uint64_t offset() const { return offset_; }
  std::uint64_t next_sequence() const { return first_sequence_ + next_number_; }
  std::uint64_t bytes() const { return bytes_.size(); }

 private:
  SegmentReader(std::string bytes, const SegmentHeader& header)
      : bytes_(std::move(bytes)), seed_(header.seed()), first_sequence_(header.first_sequence) {}

  std::string bytes_;
  std::uint64_t seed_;
  std::uint64_t first_sequence_;
  std::unique_ptr<crypto::CounterCipher> cipher_;
  std::uint64_t offset_ = kSegmentHeaderBytes;
  std::uint32_t next_number_ = 0;
};

}  // namespace mayfly::engine::hot

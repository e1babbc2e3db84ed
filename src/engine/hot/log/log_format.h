// log_format.h - the bytes of a segment of the log.
//   segment: | header, 8 KiB | record | record | ... | zeros |
//   header:  one sector of fields, at 0 and again at 4,096; zeros around them
//   record:  | check u32 | bytes u32 | number u32 | unsynced u32 | payload | zeros up to 8 bytes |
// Numbers are little endian. `number` counts the records of a segment from 0, so that a record's
// sequence is the segment's first sequence plus its number. `unsynced` counts the records, this one
// included, that were not known to be on the device when it was written: the record itself says up
// to where the log must be whole, and recovery need not guess whether a torn record is damage or
// the unsynced end that a power cut may tear anywhere.
// `check` covers all of the record and the segment's number and salt: bytes of another segment
// never pass, and a value that imitates a record does not, either. It is never 0, and in a mapped
// segment it is stored last: zero there means that no record was finished.
// Layout: docs/formats/hot_log.md.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <string>

#include "mayfly/bytes.h"
#include "mayfly/result.h"

namespace mayfly::engine::hot {

inline constexpr std::uint64_t kSegmentHeaderBytes = 8192;
inline constexpr std::uint64_t kHeaderCopyOffset = 4096;
inline constexpr std::uint64_t kRecordHeaderBytes = 16;
inline constexpr std::uint64_t kRecordAlignment = 8;

// "segment-000000000007", and back. Stored; never rename.
std::string SegmentName(std::uint64_t number);
std::optional<std::uint64_t> SegmentNumber(Bytes name);

struct SegmentHeader {
  std::uint64_t number = 0;
  std::uint64_t salt = 0;            // Random.
  std::uint64_t first_sequence = 0;  // Of the first record.
  std::uint64_t previous_end = 0;    // Where the records of the segment before this one end.
  std::uint64_t durable = 0;         // Records up to this sequence were on the device.
  std::string cipher;                // crypto/file_header.h's 64 bytes; empty: not encrypted.

  // What the checks of the segment's records begin with.
  std::uint64_t seed() const;
};

// kSegmentHeaderBytes, with both copies.
std::string EncodeSegmentHeader(const SegmentHeader& header);

// The header in the first bytes of a file. Nothing when the second copy is zeros and the first is not
// whole, or the file is too short: the segment was never begun, since records come after both.
// Corruption when both are damaged, Unsupported when a newer mayfly wrote them.
Result<std::optional<SegmentHeader>> DecodeSegmentHeader(Bytes bytes);

struct RecordHeader {
  static constexpr std::uint32_t kUnsyncedMax = std::numeric_limits<std::uint32_t>::max();

  std::uint32_t bytes = 0;  // Of the payload.
  bool is_void = false;     // Its place was taken, and then its writing failed; replay skips it.
  std::uint32_t number = 0;
  std::uint32_t unsynced = kUnsyncedMax;  // The largest number: that many or more.
};

// `unsynced` of the record with this sequence, if the records up to `durable` are on the device.
std::uint32_t UnsyncedCount(std::uint64_t sequence, std::uint64_t durable);

// Bytes that a record with this payload takes.
constexpr std::uint64_t RecordBytes(std::uint64_t payload_bytes) {
  return (kRecordHeaderBytes + payload_bytes + kRecordAlignment - 1) & ~(kRecordAlignment - 1);
}

// Writes kRecordHeaderBytes to `out`, except for the check, and returns the check. The payload is
// as it is stored, encrypted or not.
std::uint32_t EncodeRecordHeader(const RecordHeader& header, Bytes payload, std::uint64_t seed,
                                 char* out);
inline constexpr std::size_t kCheckBytes = 4;  // The first bytes of the header.
void StoreCheck(std::uint32_t check, char* out);

// A record as it is stored.
struct StoredRecord {
  RecordHeader header;
  Bytes payload;
};

// The fields at the beginning of `in`, unchecked; false when there is no room for them, or for the
// payload they announce.
bool PeekRecord(Bytes in, StoredRecord& record);

// True if the record at the beginning of `in` is whole.
bool ReadRecord(Bytes in, std::uint64_t seed, StoredRecord& record);

}  // namespace mayfly::engine::hot

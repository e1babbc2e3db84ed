// log_place.h - the end of a mapped segment in one word, so that a record takes its sequence and
// its place by one compare-and-swap.
//   | generation, 9 bits | records, 27 bits | end, 28 bits, in units of 8 bytes |
// The generation tells segments apart: a swap succeeds only in the segment it was calculated for.
#pragma once

#include <cstdint>

#include "engine/hot/log/limits.h"
#include "engine/hot/log/log_format.h"

namespace mayfly::engine::hot {

struct LogPlace {
  static constexpr unsigned kEndBits = 28;
  static constexpr unsigned kRecordBits = 27;
  static constexpr std::uint64_t kGenerations = std::uint64_t{1} << (64 - kEndBits - kRecordBits);

  // Bytes that a mapped segment can have.
  static constexpr std::uint64_t kBytesMax = kRecordAlignment << kEndBits;

  std::uint64_t generation = 0;  // Modulo kGenerations.
  std::uint64_t records = 0;     // Of the segment so far.
  std::uint64_t end = 0;         // Offset of the next record.

  std::uint64_t Pack() const {
    return generation << (kEndBits + kRecordBits) | records << kEndBits | end / kRecordAlignment;
  }
  static LogPlace Unpack(std::uint64_t word) {
    return {.generation = word >> (kEndBits + kRecordBits),
            .records = word >> kEndBits & ((std::uint64_t{1} << kRecordBits) - 1),
            .end = (word & ((std::uint64_t{1} << kEndBits) - 1)) * kRecordAlignment};
  }

  // The word while a segment is being changed for the next: no record fits behind this end.
  static std::uint64_t Closed() {
    return LogPlace{.generation = 0, .records = 0, .end = kBytesMax - kRecordAlignment}.Pack();
  }
};

static_assert(kSegmentHeaderBytes + RecordBytes(kPayloadBytesMax) +
                      kGroupRecordsMax * (kRecordHeaderBytes + kRecordAlignment) <
                  LogPlace::kBytesMax,
              "the largest append must fit a mapped segment");
static_assert(LogPlace::kBytesMax / kRecordHeaderBytes <= std::uint64_t{1} << LogPlace::kRecordBits,
              "a segment of the smallest records must not overflow their count");

}  // namespace mayfly::engine::hot

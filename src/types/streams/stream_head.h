// stream_head.h - the head of a stream: what holds for all its entries and groups.
//   | 'x' | flags u8 | last id | entries added | groups | next number | newest removed id |
//   | low id | low at ms | removed | max age ms | ragged id |
// Ids are two varints, numbers one. Invariants: (1) Living entries are at or before `last`. (2) No
// living entry lies before `low`: walks do not pass what was removed from the front. Where entries
// may die, that holds from `low_at` on; at an earlier instant, which a corrected clock may show,
// `low` is void. (3) Numbers of groups and consumers are given out once.
#pragma once

#include <cstdint>
#include <string>

#include "mayfly/bytes.h"
#include "mayfly/clock.h"
#include "mayfly/result.h"
#include "types/streams/stream_id.h"

namespace mayfly::types {

struct StreamHead {
  StreamId last = {};       // The largest id that was given out.
  std::uint64_t added = 0;  // Entries ever added.
  std::uint64_t groups = 0;
  std::uint64_t next_number = 1;  // Of a group or consumer.
  StreamId newest_removed = {};   // The largest id that XDEL removed.
  StreamId low = {};
  std::uint64_t low_at_ms = 0;  // 0 where no entry ever dies.
  std::uint64_t removed = 0;    // One by one, since the stream was written anew.
  Millis max_age{0};            // Of new entries; 0: they live for ever.
  bool aged = false;            // There was a max age at some time.

  // Entries up to this id may outlive later ones, because the max age was shortened after them.
  // While one of them lives, entries do not die in the order of their ids.
  StreamId ragged = {};
};

std::string EncodeHead(const StreamHead& head);

// Corruption when the bytes are not those of a stream's head.
Result<StreamHead> DecodeStreamHead(Bytes bytes);

}  // namespace mayfly::types

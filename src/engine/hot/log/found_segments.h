// found_segments.h - the segments in a directory of the log, as they are found.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "engine/hot/log/log_files.h"
#include "engine/hot/log/log_format.h"
#include "mayfly/result.h"

namespace mayfly::engine::hot {

struct FoundSegment {
  std::uint64_t number = 0;
  std::optional<SegmentHeader> header;  // Nothing: never begun, or damaged.
  Status damage;                        // Of the header; names the file.
};

// What `bytes`, the beginning of the file of this segment, say about it.
FoundSegment SegmentFoundIn(LogFiles& files, std::uint64_t number, Bytes bytes);

// Numbers of the segments in the directory, sorted.
Result<std::vector<std::uint64_t>> ListSegments(LogFiles& files);

// All segments, oldest first.
Result<std::vector<FoundSegment>> FindSegments(LogFiles& files);

}  // namespace mayfly::engine::hot

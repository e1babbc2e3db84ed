// Find() of the memory-first engine: the log, the cold store, memory.
#include <fmt/format.h>

#include <algorithm>

#include "base/printable.h"
#include "engine/hot/hot_database.h"
#include "engine/hot/index/hot_cursor.h"

namespace mayfly::engine::hot {
namespace {

Status SearchEnded() {
  return Status::Conflict("the search was ended before it was done; nothing is known of the rest");
}

}  // namespace

// Adds traces in segments of the log. Returns their bytes.
Result<std::uint64_t> HotDatabase::FindInLog(Bytes needle, std::size_t traces_max,
                                             const FindProgress& progress,
                                             std::vector<Trace>& traces) const {
  const std::vector<SegmentInfo> segments = log_->Segments();
  std::uint64_t all = 0;
  for (const SegmentInfo& segment : segments) all += segment.bytes;
  std::uint64_t done = 0;
  for (const SegmentInfo& segment : segments) {
    if (traces.size() == traces_max) break;
    const auto contains = SegmentContains(*storage_.files, segment, storage_.key.get(), needle);
    // A fold may have removed the segment; what lives of it is in the cold store then.
    if (!contains.has_value() && log_->Segments().front().number <= segment.number) {
      return contains.error();
    }
    if (contains.has_value() && *contains) {
      traces.push_back({.where = segment.path, .what = "a record of the log"});
    }
    done += segment.bytes;
    if (progress && !progress(done, all)) return SearchEnded();
  }
  return all;
}

void HotDatabase::FindInMemory(Bytes needle, std::size_t traces_max,
                               std::vector<Trace>& traces) const {
  for (std::size_t role = 0; role < kRoleCount; ++role) {
    const HotState state(*rows_);
    HotCursor cursor(rows_->index, static_cast<Role>(role), state.sequence());
    for (cursor.SeekToFirst(); cursor.Valid() && traces.size() < traces_max; cursor.Next()) {
      if (cursor.key().find(needle) == Bytes::npos && cursor.value().find(needle) == Bytes::npos) {
        continue;
      }
      traces.push_back(
          {.where = std::string(RoleName(static_cast<Role>(role))),
           .what = fmt::format("the row in memory under key '{}'", Printable(cursor.key()))});
    }
  }
  if (traces.empty() && rows_->index.Contains(needle)) {
    traces.push_back({.where = "memory", .what = "an old version of a row, or a free block"});
  }
}

Result<std::vector<Trace>> HotDatabase::DoFind(Bytes needle, std::size_t traces_max,
                                               const FindProgress& progress) const {
  std::vector<Trace> traces;
  if (log_ != nullptr) {
    MAYFLY_TRY(const std::uint64_t log_bytes, FindInLog(needle, traces_max, progress, traces));
    if (traces.size() == traces_max) return traces;
    FindProgress rest;
    if (progress) {
      rest = [&](std::uint64_t done, std::uint64_t all) {
        return progress(log_bytes + done, log_bytes + all);
      };
    }
    MAYFLY_TRY(const auto cold, storage_.cold->Find(needle, traces_max - traces.size(), rest));
    traces.insert(traces.end(), cold.begin(), cold.end());
  }
  // Memory holds copies of what the files hold; it is named only if it is alone with it.
  if (traces.empty()) FindInMemory(needle, traces_max, traces);
  return traces;
}

}  // namespace mayfly::engine::hot

// log_recovery.h - reads the log that an earlier process left.
// Records are handed on in order. The first record that is not whole ends the log, if no record or
// header behind it says that it was on the device: an unsynced end may be torn anywhere, also
// before whole records. If one says so, the log is damaged: Corruption names the file and the
// offset. Nothing is guessed: what was durable is either read or reported.
// Nothing is changed here; Recovered lists what has to go.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "base/function_ref.h"
#include "crypto/database_key.h"
#include "engine/hot/log/log_files.h"
#include "engine/hot/log/log_format.h"
#include "mayfly/bytes.h"
#include "mayfly/result.h"

namespace mayfly::engine::hot {

// A record of the log; change_codec.h reads the payload, which holds until the callback returns.
struct LogRecord {
  std::uint64_t sequence = 0;
  Bytes payload;
};
using ReplayRecord = FunctionRef<Status(const LogRecord&)>;

// The place where a log that was not whole ends.
struct LogCut {
  std::string path;
  std::uint64_t offset = 0;
};

struct RecoveredSegment {
  SegmentHeader header;
  std::uint64_t last_sequence = 0;
  std::uint64_t end = 0;  // Of its records.
};

struct Recovered {
  std::vector<RecoveredSegment> segments;  // Oldest first.
  std::vector<std::string> folded;   // Files whose records are no longer needed, oldest first.
  std::vector<std::string> dropped;  // Files behind the end, newest first.
  std::uint64_t next_sequence = 0;
  std::uint64_t durable = 0;      // The log itself says that records up to this one were durable.
  std::uint64_t last_number = 0;  // Of the last segment of `segments`, or the number it had.
  std::uint64_t records = 0;      // Handed on.
  std::optional<LogCut> cut;      // Nothing: the log was whole.
};

// Records below `replay_from` are not needed, and may be missing. Corruption when others are
// damaged or missing, Unsupported for a newer format, otherwise the first error of `replay`.
Result<Recovered> RecoverLog(LogFiles& files, const crypto::DatabaseKey* key,
                             std::uint64_t replay_from, ReplayRecord replay);

}  // namespace mayfly::engine::hot

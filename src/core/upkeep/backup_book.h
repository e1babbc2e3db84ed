// backup_book.h - which backups were taken, and where to.
// A backup holds rows that were alive when it was taken, whatever becomes of them here: whoever
// asks whether they are gone should hear of it. It is entered before its first byte is written, so
// that one which was cut off is known, too. Stored in meta:
//   | 'b' | taken at, ms u64 BE | file | -> empty when it is complete, or 'u': not yet
#pragma once

#include <string>
#include <vector>

#include "engine/engine.h"
#include "mayfly/clock.h"
#include "mayfly/logger.h"
#include "mayfly/result.h"

namespace mayfly::core {

struct RecordedBackup {
  WallTime taken_at;
  std::string file;  // Absolute; of one that is not complete, the file it has so far.
  bool complete = true;
};

class BackupBook {
 public:
  explicit BackupBook(engine::Engine& engine) : engine_(engine) {}

  // Enters a backup that is about to be written, for good: it is on disk when this returns. Forgets
  // those whose file is gone.
  Status Begin(const std::string& file, WallTime taken_at);

  // It is whole and has its name.
  Status Complete(const std::string& file, WallTime taken_at);

  // It failed, and nothing of it is left.
  Status Forget(const std::string& file, WallTime taken_at);

  // What an earlier run did not finish: its bytes are removed, and the logger is told. What cannot
  // be removed stays in the book.
  Status Settle(Logger& logger);

 private:
  engine::Engine& engine_;
};

// Those that are there, complete or not, oldest first.
Result<std::vector<RecordedBackup>> ListBackups(const engine::Engine& engine);

}  // namespace mayfly::core

// backup_book.h - the record of the backups that were taken, and of their files.
// A backup holds rows that were alive when it was taken, even after they died here: so a proof that
// they are gone must name it. It is recorded before its first byte is written, so that an
// interrupted one is known, too. Stored in meta:
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
  std::string file;  // Absolute; the partial file if it is not complete.
  bool complete = true;
};

class BackupBook {
 public:
  explicit BackupBook(engine::Engine& engine) : engine_(engine) {}

  // Records, durably, a backup that is about to be written. Forgets those whose file is gone.
  Status Begin(const std::string& file, WallTime taken_at);

  // Records that the backup is complete and has its name.
  Status Complete(const std::string& file, WallTime taken_at);

  // Removes a backup that failed and left nothing.
  Status Forget(const std::string& file, WallTime taken_at);

  // Removes the files of backups that an earlier run did not finish, and logs it. A file that
  // cannot be removed stays recorded.
  Status RemoveUnfinished(Logger& logger);

 private:
  engine::Engine& engine_;
};

// The backups whose file exists, complete or not, oldest first.
Result<std::vector<RecordedBackup>> ListBackups(const engine::Engine& engine);

}  // namespace mayfly::core

// backup_book.h - which backups were taken, and where to.
// A backup holds rows that were alive when it was taken, whatever becomes of them here: whoever
// asks whether they are gone should hear of it. Stored in meta:
//   | 'b' | taken at, ms u64 BE | file | -> empty
#pragma once

#include <string>
#include <vector>

#include "engine/engine.h"
#include "mayfly/clock.h"
#include "mayfly/result.h"

namespace mayfly::core {

struct RecordedBackup {
  WallTime taken_at;
  std::string file;  // Absolute.
};

// Forgets those whose file is gone.
Status RecordBackup(engine::Engine& engine, const std::string& file, WallTime taken_at);

// Those whose file is still where it was, oldest first.
Result<std::vector<RecordedBackup>> ListBackups(const engine::Engine& engine);

}  // namespace mayfly::core

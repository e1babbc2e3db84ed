// hot_reencrypt.h - copies a database under another key, the log of a memory-first one included.
// The files below are copied as they are; records of the log that the tables lack are appended to a
// new log, whose sequences begin with 1. The new directory is no database before both are durable.
#pragma once

#include "engine/hot/log/log_files.h"
#include "engine/rocks/rocks_reencrypt.h"

namespace mayfly::engine {

// As Reencrypt() of encryption.h, for directories of plain rocks, too. `env` and `new_log` are for
// tests that break the disk; null: the system's.
Status ReencryptHot(const RocksCopy& copy, rocksdb::Env* env = nullptr,
                    hot::LogFiles* new_log = nullptr);

}  // namespace mayfly::engine

// rocks_logger.h - passes RocksDB's log lines to mayfly's logger instead of a file.
#pragma once

#include <rocksdb/env.h>

#include <memory>

#include "mayfly/logger.h"

namespace mayfly::engine {

// `logger` must outlive the database.
std::shared_ptr<rocksdb::Logger> NewRocksLogger(Logger& logger);

}  // namespace mayfly::engine

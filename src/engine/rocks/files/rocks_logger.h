// rocks_logger.h - what RocksDB has to say goes to mayfly's logger, and no file of its own appears.
#pragma once

#include <rocksdb/env.h>

#include <memory>

#include "mayfly/logger.h"

namespace mayfly::engine {

// `logger` must outlive the database.
std::shared_ptr<rocksdb::Logger> NewRocksLogger(Logger& logger);

}  // namespace mayfly::engine

// new_database.h - makes a database on an engine. Core does not know which engine it is.
#pragma once

#include <memory>

#include "core/store/store.h"
#include "engine/engine.h"
#include "mayfly/database.h"
#include "mayfly/result.h"

namespace mayfly::core {

// Takes ownership of the engine. Fails as Database::Open() does once the engine is open.
Result<std::unique_ptr<Database>> NewDatabase(std::unique_ptr<engine::Engine> engine,
                                              const StoreOptions& options);

}  // namespace mayfly::core

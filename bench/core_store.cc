#include "core_store.h"

#include "core/new_database.h"
#include "engine/memory/memory_engine.h"
#include "engine/rocks/rocks_engine.h"
#include "must.h"

namespace mayfly::bench {

CoreStore::CoreStore(const std::string& directory, const Clock& clock) {
  auto engine = directory.empty() ? engine::NewMemoryEngine()
                                  : Must(engine::OpenRocksEngine({.directory = directory}));
  engine_ = engine.get();
  database_ = Must(core::NewDatabase(std::move(engine), {.clock = &clock}));
}

void CoreStore::Load(const Dataset& data, const Mortality& mortality) {
  for (std::size_t i = 0; i < mortality.mortal_rows(); ++i) {
    Must(
        rows().Put(mortality.mortal_key(i), data.value(i), Lifetime::Until(mortality.deadline(i))));
    Must(rows().Put(mortality.plain_key(i), data.value(i)));
  }
  for (const engine::Role role :
       {engine::Role::kRows, engine::Role::kExpiry, engine::Role::kMeta}) {
    Must(engine_->Compact(role));
  }
}

}  // namespace mayfly::bench

#include "watched_database.h"

#include "core/keyspaces/keyspace_state.h"
#include "core/layout/keys.h"
#include "core/layout/limits.h"
#include "core/new_database.h"
#include "core/store/drop_horizon.h"
#include "engine/rocks/rocks_engine.h"
#include "must.h"

namespace mayfly::bench {
namespace {

constexpr engine::Address kMeta{engine::Role::kMeta};
constexpr core::KeyspaceId kDefault = 1;

}  // namespace

WatchedDatabase::WatchedDatabase(const std::string& directory, MemoryProfile memory,
                                 const Clock& clock) {
  const auto horizon = std::make_shared<core::DropHorizon>();
  auto engine = Must(engine::OpenRocksEngine({.directory = directory,
                                              .profile = memory == MemoryProfile::kTiny
                                                             ? engine::Profile::kTiny
                                                             : engine::Profile::kDefault,
                                              .drop_policy = horizon}));
  engine_ = engine.get();
  database_ = Must(core::NewDatabase(std::move(engine), {.horizon = horizon, .clock = &clock}));
}

std::uint64_t WatchedDatabase::StoredRows() const {
  core::Counters total;
  PinnedBytes stored;
  for (std::size_t counter = 0; counter < core::kCounters; ++counter) {
    const Status read =
        engine_->Get(kMeta, core::CounterKey(kDefault, static_cast<std::uint8_t>(counter)), stored);
    if (read.IsNotFound()) continue;
    Must(read);
    core::Counters counters;
    Must(core::DecodeCounters(stored.view(), counters));
    total = total + counters;
  }
  return static_cast<std::uint64_t>(total.rows);
}

}  // namespace mayfly::bench

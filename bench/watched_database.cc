#include "watched_database.h"

#include "core/keyspaces/keyspace_state.h"
#include "core/layout/keys.h"
#include "core/layout/limits.h"
#include "core/store/store_of.h"
#include "must.h"

namespace mayfly::bench {
namespace {

constexpr engine::Address kMeta{engine::Role::kMeta};
constexpr core::KeyspaceId kDefault = 1;

}  // namespace

WatchedDatabase::WatchedDatabase(const DatabaseOptions& options)
    : database_(Must(Database::Open(options))) {}

std::uint64_t WatchedDatabase::StoredRows() const {
  const engine::Engine& engine = core::StoreOf(*database_).engine();
  core::Counters total;
  PinnedBytes stored;
  for (std::size_t counter = 0; counter < core::kCounters; ++counter) {
    const Status read =
        engine.Get(kMeta, core::CounterKey(kDefault, static_cast<std::uint8_t>(counter)), stored);
    if (read.IsNotFound()) continue;
    Must(read);
    core::Counters counters;
    Must(core::DecodeCounters(stored.view(), counters));
    total = total + counters;
  }
  return static_cast<std::uint64_t>(total.rows);
}

}  // namespace mayfly::bench

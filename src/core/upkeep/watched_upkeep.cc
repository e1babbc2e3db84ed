#include "core/upkeep/watched_upkeep.h"

#include "core/reclaim/reclaimer.h"
#include "core/store/store_of.h"
#include "core/upkeep/backup.h"
#include "core/upkeep/checker.h"
#include "core/upkeep/prover.h"

namespace mayfly::core {

// A database that wraps another runs its own call, without progress.

Result<Proof> ProveWatched(Database& database, const ProofOptions& options,
                           const Progress& progress) {
  Store* const store = FindStore(database);
  return store == nullptr ? database.Prove(options) : GatherProof(*store, options, progress);
}

Result<CheckReport> CheckWatched(Database& database, const CheckOptions& options,
                                 const Progress& progress) {
  Store* const store = FindStore(database);
  return store == nullptr ? database.Check(options) : Checker(*store, options, progress).Run();
}

Result<BackupReport> BackupWatched(Database& database, const std::string& file,
                                   const Progress& progress) {
  Store* const store = FindStore(database);
  return store == nullptr ? database.Backup(file) : WriteBackup(*store, file, progress);
}

Result<RestoreReport> RestoreWatched(Database& database, const std::string& file,
                                     const RestoreOptions& options, const Progress& progress) {
  Store* const store = FindStore(database);
  return store == nullptr ? database.Restore(file, options)
                          : RestoreBackup(*store, file, options, progress);
}

Result<ReclaimReport> ReclaimWatched(Database& database, const ReclaimOptions& options,
                                     const Progress& progress) {
  Store* const store = FindStore(database);
  if (store == nullptr) return database.Reclaim(options);
  MAYFLY_TRY(const engine::EngineStats stats, store->engine().Stats());
  const std::uint64_t before = store->counts().bytes_rewritten;
  return Reclaimer(*store).Run(options, [&] {
    return !progress(store->counts().bytes_rewritten - before, stats.disk_bytes);
  });
}

}  // namespace mayfly::core

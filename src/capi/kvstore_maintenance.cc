// Implements statistics and upkeep of kvstore.h.
#include <fmt/format.h>

#include "capi/kvstore_call.h"
#include "capi/memory.h"

namespace mayfly::kvstore {
namespace {

Status FillStats(Store& store, KVStoreStats& stats) {
  MAYFLY_TRY(const Statistics now, store.database->GetStatistics());
  const Counts& counts = store.counts;
  stats = {.nPuts = counts.puts,
           .nGets = counts.gets,
           .nDeletes = counts.deletes,
           .nIterations = counts.iterations,
           .nErrors = counts.errors,
           .nBytesRead = counts.bytes_read,
           .nBytesWritten = counts.bytes_written,
           .nWalCommits = counts.commits,
           .nCheckpoints = counts.checkpoints,
           .nTtlExpired = now.purged_by_reads - store.purged_by_reads_before + counts.born_dead_met,
           .nTtlPurged = counts.purged,
           .nDbPages = 0};
  const std::uint64_t bytes = now.disk_bytes > 0 ? now.disk_bytes : now.memory_bytes;
  stats.nDbPages = (bytes + store.options.page_bytes - 1) / store.options.page_bytes;
  return {};
}

Status ResetStats(Store& store) {
  MAYFLY_TRY(const Statistics now, store.database->GetStatistics());
  store.purged_by_reads_before = now.purged_by_reads;
  Counts& counts = store.counts;
  for (std::atomic<std::uint64_t>* const count :
       {&counts.puts, &counts.gets, &counts.deletes, &counts.iterations, &counts.errors,
        &counts.bytes_read, &counts.bytes_written, &counts.commits, &counts.checkpoints,
        &counts.born_dead_met, &counts.purged}) {
    count->store(0);
  }
  return {};
}

std::string Words(const CheckReport& report) {
  std::string words;
  for (const std::string& finding : report.findings) words += finding + "\n";
  return words;
}

// Ok for a read-only store, which has nothing to sync.
Status Harden(Store& store) {
  return store.options.read_only ? Status() : store.database->Sync(Durability::kDisk);
}

}  // namespace
}  // namespace mayfly::kvstore

using namespace mayfly;  // NOLINT(google-build-using-namespace): this file is their C side.
using namespace mayfly::kvstore;  // NOLINT(google-build-using-namespace)

int kvstore_stats(KVStore* pKV, KVStoreStats* pStats) {
  return Call(pKV, [&](Store& store, Family&) -> Status {
    if (pStats == nullptr) return NullPlace();
    return FillStats(store, *pStats);
  });
}

int kvstore_stats_reset(KVStore* pKV) {
  return CallAlone(pKV, [](Store& store) { return ResetStats(store); });
}

int kvstore_integrity_check(KVStore* pKV, char** pzErrMsg) {
  if (pzErrMsg != nullptr) *pzErrMsg = nullptr;
  return Call(pKV, [&](Store& store, Family&) -> Status {
    MAYFLY_TRY(const CheckReport report, store.database->Check());
    if (report.clean()) return {};
    const std::string words = Words(report);
    if (pzErrMsg != nullptr) *pzErrMsg = static_cast<char*>(capi::Copy(words).release());
    return Status::Corruption(words);
  });
}

int kvstore_sync(KVStore* pKV) {
  return Call(pKV, [](Store& store, Family&) { return Harden(store); });
}

int kvstore_incremental_vacuum(KVStore* pKV, int /*nPage*/) {
  return Call(pKV, [](Store& store, Family&) -> Status {
    MAYFLY_RETURN_IF_ERROR(store.CheckWritable());
    return store.database->Reclaim({}).status();
  });
}

int kvstore_checkpoint(KVStore* pKV, int mode, int* pnLog, int* pnCkpt) {
  if (pnLog != nullptr) *pnLog = 0;
  if (pnCkpt != nullptr) *pnCkpt = 0;
  return Call(pKV, [&](Store& store, Family&) -> Status {
    if (mode < KVSTORE_CHECKPOINT_PASSIVE || mode > KVSTORE_CHECKPOINT_TRUNCATE) {
      return Status::Invalid(fmt::format("unknown kind of checkpoint {}", mode));
    }
    if (store.transaction != nullptr) {
      return Status::Busy("a write transaction is open; commit it or roll it back first");
    }
    if (!store.options.wal) return {};
    ++store.counts.checkpoints;
    return Harden(store);
  });
}

// checker.h - checks rows, index and counters against each other.
// Rows are authoritative: an entry or a counter can be made from them, never the other way round. A
// check reads one frozen state; a repair checks again, with the keyspace's gate held alone.
#pragma once

#include "core/store/store.h"
#include "core/upkeep/collection_check.h"
#include "core/upkeep/row_progress.h"
#include "mayfly/maintenance.h"

namespace mayfly::core {

class Checker {
 public:
  Checker(Store& store, const CheckOptions& options, const Progress& progress = nullptr)
      : store_(store), options_(options), passed_(store, progress) {}

  Result<CheckReport> Run();

 private:
  // How many repairable faults were found so far.
  std::uint64_t Mendable() const {
    return report_.missing_entries + report_.stale_entries + report_.wrong_counts +
           report_.stray_members;
  }

  Status CheckKeyspace(KeyspaceState& keyspace, const engine::Snapshot* snapshot);
  Status CheckRows(KeyspaceState& keyspace, const engine::Snapshot* snapshot,
                   CollectionCheck& collections, Counters& expected, engine::Batch& repair);
  Status CheckEntries(KeyspaceState& keyspace, const engine::Snapshot* snapshot,
                      engine::Batch& repair);
  Status CheckVersions(KeyspaceState& keyspace, const engine::Snapshot* snapshot,
                       engine::Batch& repair);
  Status CheckMarker(KeyspaceState& keyspace, const engine::Snapshot* snapshot,
                     const std::string& key, Bytes member_key, const VersionView& version,
                     engine::Batch& repair);
  Status CheckVersionEntries(KeyspaceState& keyspace, const engine::Snapshot* snapshot,
                             engine::Batch& repair);
  Status CheckDue(KeyspaceState& keyspace, const engine::Snapshot* snapshot, const Counters& sum);
  Status CheckCounters(KeyspaceState& keyspace, const engine::Snapshot* snapshot,
                       const Counters& expected, engine::Batch& repair);
  void Find(const KeyspaceState& keyspace, const char* what, Bytes key);

  Store& store_;
  const CheckOptions options_;
  RowProgress passed_;
  CheckReport report_;
  bool counters_mended_ = false;  // By the repair of the present keyspace.
};

}  // namespace mayfly::core

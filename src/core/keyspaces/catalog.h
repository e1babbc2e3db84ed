// catalog.h - the keyspaces of a database, by name.
//   stored in meta: | 'k' | id | -> | version u8 | name, sized | policy |
// Layout: docs/formats/row.md.
// Ids are never reused, so that rows of a dropped keyspace that are still in files can never be
// mistaken for another's. Lock order: ARCHITECTURE.md. Threads: any, after Load().
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "core/keyspaces/keyspace_state.h"
#include "engine/engine.h"
#include "mayfly/logger.h"
#include "mayfly/pinned_bytes.h"
#include "mayfly/result.h"

namespace mayfly::core {

inline constexpr const char* kDefaultKeyspaceName = "default";

class Catalog {
 public:
  explicit Catalog(engine::Engine& engine) : engine_(engine) {}

  // Reads all keyspaces with their counters and watermarks; makes the default one if there is none.
  Status Load();

  // As Load(), for a salvage: without counters and watermarks, which a backup does not need. A
  // keyspace whose record is missing gets a name from its id, and no policy.
  Status LoadSalvaged(Logger& logger);

  // As Load(), for a reader beside a writer: takes over the keyspaces that the writer has made,
  // dropped and changed.
  Status Reload();

  Result<std::shared_ptr<KeyspaceState>> Create(const std::string& name,
                                                const KeyspacePolicy& policy);
  Result<std::shared_ptr<KeyspaceState>> Find(const std::string& name) const;
  std::vector<std::shared_ptr<KeyspaceState>> All() const;  // By name.

  // All(), followed by dropped keyspaces whose promise is not kept yet.
  std::vector<std::shared_ptr<KeyspaceState>> AllWithDropped() const;

  // Forgets a dropped keyspace of which nothing is left. The caller removes its record,
  // MetaKey(kMetaDropped, id).
  void ForgetDropped(KeyspaceId id);

  // All keyspaces, and the id that the next one will get, at one moment.
  std::pair<std::vector<std::shared_ptr<KeyspaceState>>, KeyspaceId> AllWithNextId() const;

  // Records for the next run since when there may be bytes of removed rows in files. Called last
  // before the engine closes. The next Load() removes the record, so that it is missing after a
  // crash.
  Status RecordRemovals();
  Status ForgetRecordedRemovals();

  // A promise outlives its keyspace. Stored in meta until it is kept:
  // | 'g' | id | -> | since ms u64 | purge_within ms u64 |.
  Status Drop(const std::string& name, WallTime now);
  Status Clear(KeyspaceState& keyspace, WallTime now);
  Status SetPolicy(KeyspaceState& keyspace, const KeyspacePolicy& policy, WallTime now);

 private:
  Status LoadKeyspace(Bytes key, Bytes value);
  Status LoadCounters();
  Status LoadInstants();
  Status LoadOrphans();
  Status LoadCollections();
  Status LoadDropped();
  Result<std::optional<WallTime>> LoadInstant(char kind, KeyspaceId id) const;
  Status LoadNextId();
  Status AddUnknown(const std::set<KeyspaceId>& dropped, Logger& logger);

  engine::Engine& engine_;
  mutable std::mutex mutex_;  // Guards the rest, and the order of changes in meta.
  std::map<std::string, std::shared_ptr<KeyspaceState>> by_name_;  // Shared with handles.
  std::vector<std::shared_ptr<KeyspaceState>> dropped_;            // Shared with handles, too.
  KeyspaceId next_id_ = 1;
};

// The bytes of a keyspace in meta, also used by backups.
std::string EncodeKeyspace(const std::string& name, const KeyspacePolicy& policy);
Status DecodeKeyspace(Bytes encoded, std::string& name, KeyspacePolicy& policy);

Status CheckKeyspaceName(const std::string& name);

// Adds to the batch the removal of everything of a keyspace but its name and policy.
void DeleteRowsOf(engine::Batch& batch, KeyspaceId id);

}  // namespace mayfly::core

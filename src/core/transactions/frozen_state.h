// frozen_state.h - all keyspaces as they are at one moment, for long reads of collections.
// As an optimistic transaction that only reads, but it keeps no read set: what was read can be
// forgotten, so a walk over everything takes bounded memory. Writes are refused. Taken while the
// caller holds a latched transaction on everything, it is the state behind every commit so far and
// before every later one.
// Threads: each reader is used by one thread; they may outlive the FrozenState, not the database.
#pragma once

#include <memory>
#include <optional>

#include "core/transactions/transaction_keyspace.h"
#include "mayfly/clock.h"
#include "mayfly/result.h"

namespace mayfly {
class Database;
}

namespace mayfly::core {

class FrozenReader {
 public:
  virtual ~FrozenReader() = default;
  FrozenReader(const FrozenReader&) = delete;
  FrozenReader& operator=(const FrozenReader&) = delete;

  virtual TransactionKeyspace& In(const Keyspace& keyspace) = 0;

  // Frees what it keeps of rows that were read. No cursor of it may be open.
  virtual void Forget() = 0;

 protected:
  FrozenReader() = default;
};

class FrozenState {
 public:
  virtual ~FrozenState() = default;
  FrozenState(const FrozenState&) = delete;
  FrozenState& operator=(const FrozenState&) = delete;

  // The instant at which all reads judge.
  virtual WallTime now() const = 0;

  virtual std::unique_ptr<FrozenReader> NewReader() const = 0;

 protected:
  FrozenState() = default;
};

// The state of this moment. Reads of it fail with Conflict once it was revoked, for being too old.
// `judged_at`: as of KeySet.
Result<std::unique_ptr<FrozenState>> FreezeState(Database& database,
                                                 std::optional<WallTime> judged_at = std::nullopt);

}  // namespace mayfly::core

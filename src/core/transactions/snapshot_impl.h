// snapshot_impl.h - implements Snapshot: a frozen state of the engine, read at a frozen instant.
#pragma once

#include <map>
#include <memory>
#include <mutex>

#include "core/transactions/calls.h"
#include "mayfly/transaction.h"

namespace mayfly::core {

class SnapshotImpl final : public Snapshot {
 public:
  static Result<std::unique_ptr<Snapshot>> Take(std::shared_ptr<Store> store);
  ~SnapshotImpl() override;

  const KeyspaceReader& In(const Keyspace& keyspace) override;
  WallTime now() const override { return now_; }

 private:
  class Reader;

  SnapshotImpl(std::shared_ptr<Store> store, std::shared_ptr<OpenStates::State> state,
               WallTime now);

  const std::shared_ptr<Store> store_;              // Shared with the database.
  const std::shared_ptr<OpenStates::State> state_;  // Shared with cursors.
  const WallTime now_;

  std::mutex mutex_;
  std::map<KeyspaceId, std::unique_ptr<Reader>> readers_;  // Guarded by mutex_.
};

}  // namespace mayfly::core

// counting_database.h - a database that counts its syncs, and can make them fail.
#pragma once

#include <atomic>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "mayfly/database.h"

namespace mayfly::server {

class CountingDatabase final : public Database {
 public:
  explicit CountingDatabase(std::unique_ptr<Database> database) : inner_(std::move(database)) {}

  Database& inner() { return *inner_; }

  std::atomic<int> persisted{0};  // With Durability::kDisk.
  std::atomic<bool> fails{false};

  Status Sync(Durability durability) override {
    if (fails) return Status::IoError("the disk is gone");
    if (durability == Durability::kDisk) ++persisted;
    return inner_->Sync(durability);
  }

  // Forwarded.
  Status Close() override { return inner_->Close(); }
  Keyspace& default_keyspace() override { return inner_->default_keyspace(); }
  Result<std::shared_ptr<Keyspace>> CreateKeyspace(const std::string& name,
                                                   const KeyspacePolicy& policy) override {
    return inner_->CreateKeyspace(name, policy);
  }
  Result<std::shared_ptr<Keyspace>> OpenKeyspace(const std::string& name) override {
    return inner_->OpenKeyspace(name);
  }
  Result<std::vector<std::string>> ListKeyspaces() const override {
    return inner_->ListKeyspaces();
  }
  Status DropKeyspace(const std::string& name) override { return inner_->DropKeyspace(name); }
  Result<std::unique_ptr<Lease>> TakeLease(const std::string& lease) override {
    return inner_->TakeLease(lease);
  }
  Result<std::unique_ptr<Transaction>> Begin() override { return inner_->Begin(); }
  Result<std::unique_ptr<Snapshot>> NewSnapshot() override { return inner_->NewSnapshot(); }
  Result<PurgeReport> Purge(const PurgeOptions& options) override { return inner_->Purge(options); }
  Result<std::unique_ptr<Reaper>> StartReaper(const ReaperOptions& options) override {
    return inner_->StartReaper(options);
  }
  Result<ReclaimReport> Reclaim(const ReclaimOptions& options) override {
    return inner_->Reclaim(options);
  }
  Result<Proof> Prove(const ProofOptions& options) const override { return inner_->Prove(options); }
  Result<std::vector<Event>> ReadEvents(std::uint64_t after,
                                        std::size_t events_max) const override {
    return inner_->ReadEvents(after, events_max);
  }
  std::uint64_t LastEventSequence() const override { return inner_->LastEventSequence(); }
  std::uint64_t EventsTrimmedThrough() const override { return inner_->EventsTrimmedThrough(); }
  Result<std::uint64_t> TrimEvents(const EventTrim& trim) override {
    return inner_->TrimEvents(trim);
  }
  Result<std::unique_ptr<EventSubscription>> Subscribe(EventCallback callback) override {
    return inner_->Subscribe(std::move(callback));
  }
  Result<Statistics> GetStatistics() const override { return inner_->GetStatistics(); }
  ClockReport clock_report() const override { return inner_->clock_report(); }
  Status ConfirmClock() override { return inner_->ConfirmClock(); }
  Status RevertClock() override { return inner_->RevertClock(); }
  Result<CheckReport> Check(const CheckOptions& options) override { return inner_->Check(options); }
  Result<BackupReport> Backup(const std::string& file) override { return inner_->Backup(file); }
  Result<RestoreReport> Restore(const std::string& file, const RestoreOptions& options) override {
    return inner_->Restore(file, options);
  }

 private:
  const std::unique_ptr<Database> inner_;
};

}  // namespace mayfly::server

// directory_target.h - a database in a folder, through the library.
// Opened read-only where nothing is written, so that it can be read beside a server that has it.
#pragma once

#include <memory>
#include <string>

#include "apps/mayfly/target/target.h"
#include "mayfly/logger.h"

namespace mayfly::app {

class DirectoryTarget final : public Target {
 public:
  static Result<std::unique_ptr<Target>> Open(const TargetFlags& flags, Access access);

  std::string name() const override { return directory_; }
  std::string keyspace() const override { return rows_->name(); }

  Result<TargetRow> Get(Bytes key) override;
  Status Put(Bytes key, Bytes value, Lifetime lifetime) override;
  Status PutAll(const std::vector<TargetRow>& rows) override;
  Result<bool> Delete(Bytes key) override;
  Status Expire(Bytes key, Lifetime lifetime) override;
  Result<Millis> Ttl(Bytes key) override;
  Result<std::uint64_t> Count(Bytes prefix) override;
  Status Scan(const ScanRange& range, const RowVisitor& visit) override;

  Status CreateKeyspace(const std::string& name, const KeyspacePolicy& policy) override;
  Status DropKeyspace(const std::string& name) override;
  Result<KeyspacePolicy> Policy() override { return rows_->policy(); }
  Status SetPolicy(const KeyspacePolicy& policy) override { return rows_->SetPolicy(policy); }

  Result<std::vector<ForecastBucket>> Forecast(Millis bucket, std::size_t buckets) override;
  Result<std::vector<Event>> ReadEvents(std::uint64_t after, std::size_t events_max) override;
  Result<Statistics> Stats() override { return database_->GetStatistics(); }
  Result<Activity> ReadActivity(std::size_t next_max) override;

  Result<PurgeReport> Purge(std::uint64_t rows_max, Millis time_max) override;
  Result<ReclaimReport> Compact(const Progress& progress) override;
  Result<std::pair<std::string, BackupReport>> Backup(const std::string& file,
                                                      const Progress& progress) override;
  Result<CheckReport> Check(bool repair, const Progress& progress) override;
  Result<Proof> Prove(const ProveRequest& request, const Progress& progress) override;
  Result<Reply> Command(const std::vector<std::string>& args) override;
  Status Listen(const std::vector<std::string>& args,
                const std::function<bool(const Reply&)>& visit) override;

 private:
  explicit DirectoryTarget(std::string directory);
  Status OpenKeyspace(const TargetFlags& flags);

  const std::string directory_;
  const std::unique_ptr<Logger> logger_;
  std::unique_ptr<Database> database_;  // Uses the logger.
  std::shared_ptr<Keyspace> named_;     // Shared with the database; null: the default keyspace.
  Keyspace* rows_ = nullptr;
};

}  // namespace mayfly::app

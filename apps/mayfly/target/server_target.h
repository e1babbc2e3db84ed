// server_target.h - a running server, through commands in the Redis protocol.
// Its keyspaces are the numbered databases, named db0, db1 and so on.
#pragma once

#include <memory>
#include <string>

#include "apps/mayfly/target/resp_client.h"
#include "apps/mayfly/target/target.h"

namespace mayfly::app {

class ServerTarget final : public Target {
 public:
  static Result<std::unique_ptr<Target>> Open(const TargetFlags& flags);

  std::string name() const override { return url_.ToString(); }
  std::string keyspace() const override { return "db" + std::to_string(database_); }

  Result<TargetRow> Get(Bytes key) override;
  Status Put(Bytes key, Bytes value, Lifetime lifetime) override;
  Status PutAll(const std::vector<TargetRow>& rows) override;
  Result<std::uint64_t> Import(const std::vector<TargetRow>& rows) override;
  Status Extend(const TargetRow& row) override;
  Status UseDatabase(int number) override;
  Result<std::vector<int>> ListDatabases() override;
  Result<std::vector<std::string>> Libraries() override;
  Status AddLibraries(const std::vector<std::string>& texts) override;
  Result<bool> Delete(Bytes key) override;
  Status Expire(Bytes key, Lifetime lifetime) override;
  Result<Millis> Ttl(Bytes key) override;
  Result<std::uint64_t> Count(Bytes prefix) override;
  Status Scan(const ScanRange& range, const RowVisitor& visit) override;

  Status CreateKeyspace(const std::string& name, const KeyspacePolicy& policy) override;
  Status DropKeyspace(const std::string& name) override;
  Result<KeyspacePolicy> Policy() override;
  Status SetPolicy(const KeyspacePolicy& policy) override;

  Result<std::vector<ForecastBucket>> Forecast(Millis bucket, std::size_t buckets) override;
  Result<std::vector<Event>> ReadEvents(std::uint64_t after, std::size_t events_max) override;
  Result<Statistics> Stats() override;
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
  ServerTarget(ServerUrl url, std::unique_ptr<RespClient> client, bool is_patient)
      : url_(std::move(url)),
        client_(std::move(client)),
        is_patient_(is_patient),
        database_(url_.database) {}

  // Keys of one page of SCAN, as rows. Keys that died since are left out.
  Result<std::vector<TargetRow>> ReadRows(const Reply::Items& keys, bool with_values);

  // With its members, as of one instant. Nothing: it has died, or was deleted.
  Result<std::optional<TargetRow>> ReadWhole(const std::string& key, bool without_max_ages);
  Result<std::optional<TargetRow>> ReadWhole(const std::string& key, Request dump);

  // Starts a job, shows its progress, and returns its result.
  Result<Reply> RunJob(const Request& request, const Progress& progress);
  Result<WallTime> Now();

  const ServerUrl url_;
  const std::unique_ptr<RespClient> client_;
  const bool is_patient_;  // With commands.
  int database_;
};

}  // namespace mayfly::app

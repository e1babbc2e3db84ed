// The implementation of Database: passes each call to the part of core that implements it.
#include <map>
#include <mutex>

#include "base/log.h"
#include "core/keyspaces/leases.h"
#include "core/new_database.h"
#include "core/reclaim/purger.h"
#include "core/reclaim/reaper_impl.h"
#include "core/reclaim/reclaimer.h"
#include "core/store/store_of.h"
#include "core/transactions/keyspace_impl.h"
#include "core/transactions/snapshot_impl.h"
#include "core/transactions/transaction_impl.h"
#include "core/upkeep/backup.h"
#include "core/upkeep/backup_book.h"
#include "core/upkeep/checker.h"
#include "core/upkeep/prover.h"
#include "core/upkeep/restore_mark.h"
#include "core/upkeep/statistics.h"

namespace mayfly::core {
namespace {

class DatabaseImpl final : public Database, public StoreHolder {
 public:
  explicit DatabaseImpl(std::shared_ptr<Store> store)
      : store_(std::move(store)),
        default_(std::make_unique<KeyspaceImpl>(store_,
                                                *store_->catalog().Find(kDefaultKeyspaceName))) {}

  ~DatabaseImpl() override {
    if (!store_->is_owner()) {
      Abandon(std::shared_ptr<Store>(store_));  // Threads of the parent may wait in it.
      return;
    }
    if (const Status closed = store_->Close(); !closed.ok()) {
      Log(store_->logger(), LogLevel::kError, "closing the database: {}", closed.ToString());
    }
  }

  Store& store() const override { return *store_; }

  Status Close() override { return store_->Close(); }
  Keyspace& default_keyspace() override { return *default_; }

  Result<std::shared_ptr<Keyspace>> CreateKeyspace(const std::string& name,
                                                   const KeyspacePolicy& policy) override {
    MAYFLY_RETURN_IF_ERROR(store_->CheckOpen());
    MAYFLY_TRY(auto state, store_->catalog().Create(name, policy));
    return std::make_shared<KeyspaceImpl>(store_, std::move(state));
  }

  Result<std::shared_ptr<Keyspace>> OpenKeyspace(const std::string& name) override {
    MAYFLY_RETURN_IF_ERROR(store_->CheckOpen());
    MAYFLY_RETURN_IF_ERROR(store_->Follow());
    MAYFLY_TRY(auto state, store_->catalog().Find(name));
    return std::make_shared<KeyspaceImpl>(store_, std::move(state));
  }

  Result<std::vector<std::string>> ListKeyspaces() const override {
    MAYFLY_RETURN_IF_ERROR(store_->CheckOpen());
    MAYFLY_RETURN_IF_ERROR(store_->Follow());
    std::vector<std::string> names;
    for (const auto& keyspace : store_->catalog().All()) names.push_back(keyspace->name());
    return names;
  }

  Status DropKeyspace(const std::string& name) override {
    MAYFLY_RETURN_IF_ERROR(store_->CheckOpen());
    MAYFLY_RETURN_IF_ERROR(store_->catalog().Drop(name, store_->clock().Now()));
    store_->NoteMassRemoval();
    store_->watch().WakeAll();  // Its promise may be due first.
    return {};
  }

  Result<std::unique_ptr<Lease>> TakeLease(const std::string& lease) override {
    MAYFLY_RETURN_IF_ERROR(store_->CheckOpen());
    return leases_.Take(lease);
  }

  Result<std::unique_ptr<Transaction>> Begin() override {
    MAYFLY_RETURN_IF_ERROR(store_->CheckOpen());
    return TransactionImpl::Begin(store_);
  }

  Result<std::unique_ptr<Snapshot>> NewSnapshot() override {
    MAYFLY_RETURN_IF_ERROR(store_->CheckOpen());
    return SnapshotImpl::Take(store_);
  }

  Result<PurgeReport> Purge(const PurgeOptions& options) override {
    return Purger(*store_).Purge(options);
  }

  Result<std::unique_ptr<Reaper>> StartReaper(const ReaperOptions& options) override {
    return ReaperImpl::Start(store_, options);
  }

  Result<ReclaimReport> Reclaim(const ReclaimOptions& options) override {
    return Reclaimer(*store_).Run(options, [] { return false; });
  }

  Result<Proof> Prove(const ProofOptions& options) const override {
    return GatherProof(*store_, options);
  }

  Result<std::vector<Event>> ReadEvents(std::uint64_t after,
                                        std::size_t events_max) const override {
    MAYFLY_RETURN_IF_ERROR(store_->CheckOpen());
    MAYFLY_RETURN_IF_ERROR(store_->Follow());
    MAYFLY_TRY(auto events, store_->events().Read(after, events_max));
    std::map<KeyspaceId, std::string> names;
    for (const auto& keyspace : store_->catalog().All()) names[keyspace->id()] = keyspace->name();
    for (Event& event : events) event.keyspace_name = names[event.keyspace];
    return events;
  }

  std::uint64_t LastEventSequence() const override {
    return Followed() ? store_->events().LastSequence() : 0;
  }
  std::uint64_t EventsTrimmedThrough() const override {
    return Followed() ? store_->events().TrimmedThrough() : 0;
  }

  Result<std::uint64_t> TrimEvents(const EventTrim& trim) override {
    MAYFLY_RETURN_IF_ERROR(store_->CheckOpen());
    EventTrim allowed = trim;
    const WallTime now = store_->clock().Now();
    // Their age depends on the clock, which may have to be reverted.
    if (!store_->clock().may_delete()) allowed.older_than.reset();
    return store_->events().Trim(allowed, now);
  }

  Result<std::unique_ptr<EventSubscription>> Subscribe(EventCallback callback) override {
    MAYFLY_RETURN_IF_ERROR(store_->CheckOpen());
    if (!callback) return Status::Invalid("a subscription needs a callback");
    if (!store_->engine().capabilities().writable) {
      return Status::ReadOnly(
          "events are delivered in the process that writes; here, ask for them with ReadEvents()");
    }
    return store_->events().Subscribe(std::move(callback));
  }

  Status Sync(Durability durability) override {
    MAYFLY_RETURN_IF_ERROR(store_->CheckOpen());
    return store_->engine().Sync(durability);
  }

  Result<Statistics> GetStatistics() const override {
    MAYFLY_RETURN_IF_ERROR(store_->Follow());
    return GatherStatistics(*store_);
  }
  ClockReport clock_report() const override {
    return Followed() ? store_->clock().Report() : ClockReport();
  }

  Status ConfirmClock() override { return store_->ConfirmClock(); }
  Status RevertClock() override { return store_->RevertClock(); }

  Result<CheckReport> Check(const CheckOptions& options) override {
    MAYFLY_RETURN_IF_ERROR(store_->Follow());
    return Checker(*store_, options).Run();
  }

  Result<BackupReport> Backup(const std::string& file) override {
    return WriteBackup(*store_, file);
  }

  Result<RestoreReport> Restore(const std::string& file, const RestoreOptions& options) override {
    return RestoreBackup(*store_, file, options);
  }

 private:
  // For calls that cannot fail: if the writer cannot be followed, they show the last known state.
  bool Followed() const {
    if (!store_->is_owner()) return false;
    static_cast<void>(store_->Follow());
    return true;
  }

  const std::shared_ptr<Store> store_;  // Shared with handles, which may outlive the database.
  const std::unique_ptr<KeyspaceImpl> default_;
  Leases leases_;
};

}  // namespace

Result<std::unique_ptr<Database>> NewDatabase(std::unique_ptr<engine::Engine> engine,
                                              const StoreOptions& options) {
  auto store = std::make_shared<Store>(std::move(engine), options);
  MAYFLY_RETURN_IF_ERROR(store->Load());
  MAYFLY_RETURN_IF_ERROR(UndoCutOffRestore(*store));
  if (store->engine().capabilities().writable) {
    MAYFLY_RETURN_IF_ERROR(BackupBook(store->engine()).RemoveUnfinished(store->logger()));
  }
  return std::make_unique<DatabaseImpl>(std::move(store));
}

}  // namespace mayfly::core

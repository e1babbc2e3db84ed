#include "tables/table_service.h"

#include "base/coding.h"
#include "base/owner_process.h"
#include "tables/schema/table_figures.h"
#include "tables/schema/table_limits.h"
#include "tables/schema/table_names.h"

namespace mayfly::tables {
namespace {

class ReaperHandle final : public TableReaper {
 public:
  explicit ReaperHandle(std::shared_ptr<TableReaperImpl> reaper) : reaper_(std::move(reaper)) {}
  ~ReaperHandle() override {
    if (owner_.IsThis()) {
      reaper_->Stop();
    } else {
      Abandon(std::shared_ptr<TableReaperImpl>(reaper_));  // Its thread is the parent's.
    }
  }

  void AwaitIdle() override {
    if (owner_.IsThis()) reaper_->AwaitIdle();
  }

 private:
  const OwnerProcess owner_;
  const std::shared_ptr<TableReaperImpl> reaper_;  // Shared with the service during its calls.
};

}  // namespace

TableService::TableService(Database& database, std::unique_ptr<Lease> lease,
                           std::unique_ptr<Catalog> catalog)
    : database_(database),
      lease_(std::move(lease)),
      catalog_(std::move(catalog)),
      streams_(database, catalog_->rows()),
      context_{database_, *catalog_, latches_, versions_, streams_},
      changes_(database, *catalog_, streams_),
      upkeep_(context_),
      sweeper_(context_, upkeep_) {}

TableService::~TableService() {
  if (const auto reaper = reaper_.lock()) reaper->Stop();
  (void)KeepVersions();  // Fails where nothing may be written, and then nothing was.
}

// The next run begins with the time, which suffices unless the clock was set back.
Status TableService::LoadVersions() {
  versions_.GoOnBehind(ItemVersions::OfTime(database_.clock_report().now));
  const auto stored = catalog_->rows().Get(kVersionsRow);
  if (stored.status().IsNotFound()) return {};
  MAYFLY_RETURN_IF_ERROR(stored.status());
  Bytes rest = *stored;
  std::uint64_t last = 0;
  if (!EatBigEndian64(rest, last) || !rest.empty()) {
    return Status::Corruption("the record of the versions of items is damaged; restore a backup");
  }
  versions_.GoOnBehind(last);
  kept_versions_ = last;
  return {};
}

Status TableService::KeepVersions() {
  const std::uint64_t last = versions_.last();
  // Versions may be ahead by less: 1024 fit into a millisecond.
  const WallTime soon = database_.clock_report().now + kVersionsAheadMin;
  if (last <= ItemVersions::OfTime(soon) || last == kept_versions_) return {};
  std::string stored;
  AppendBigEndian64(stored, last);
  MAYFLY_RETURN_IF_ERROR(catalog_->rows().Put(kVersionsRow, stored));
  kept_versions_ = last;
  return {};
}

Result<std::unique_ptr<TableService>> TableService::Open(Database& database) {
  auto lease = database.TakeLease(kTablesKeyspace);
  if (!lease && lease.error().code() == StatusCode::kBusy) {
    return Status::Busy(
        "the tables of this database are open already; use that Tables object, or let it go first");
  }
  MAYFLY_RETURN_IF_ERROR(lease.status());
  // Before anything else: opening drops keyspaces that another Tables may be creating.
  MAYFLY_TRY(auto catalog, Catalog::Open(database));
  std::unique_ptr<TableService> service(
      new TableService(database, *std::move(lease), std::move(catalog)));
  MAYFLY_RETURN_IF_ERROR(service->LoadVersions());
  MAYFLY_RETURN_IF_ERROR(
      service->catalog_->ForEach([&](const StoredTable& stored, const Table& table) -> Status {
        return stored.streams.empty() ? Status() : service->streams_.Refresh(stored, table);
      }));
  return service;
}

Result<TableDescription> TableService::CreateTable(const TableSpec& spec) {
  MAYFLY_RETURN_IF_ERROR(changes_.Create(spec));
  WakeReaper();
  return DescribeTable(spec.name);
}

Result<TableDescription> TableService::DescribeTable(const std::string& name) {
  MAYFLY_TRY(const TableUse table, catalog_->Use(name));
  return tables::DescribeTable(*table);
}

Result<TableDescription> TableService::UpdateTable(const std::string& name,
                                                   const TableChange& change) {
  return ReviseTable(name, [&](const TableSpec&) -> Result<TableChange> { return change; });
}

Result<TableDescription> TableService::ReviseTable(const std::string& name,
                                                   const TableDecision& decide) {
  MAYFLY_RETURN_IF_ERROR(changes_.Revise(name, decide));
  WakeReaper();
  return DescribeTable(name);
}

Result<TableDescription> TableService::DropTable(const std::string& name, const TableCheck& check) {
  return changes_.Drop(name, check);
}

std::vector<std::string> TableService::ListTables(const std::string& after,
                                                  std::size_t tables_max) {
  return catalog_->Names(after, tables_max);
}

Result<std::uint64_t> TableService::SweepExpired(const std::string& table,
                                                 std::uint64_t items_max) {
  MAYFLY_TRY(const Sweeper::Swept swept, sweeper_.Sweep(table, items_max));
  return swept.items;
}

Result<std::uint64_t> TableService::RunUpkeep(std::uint64_t items_max) {
  MAYFLY_RETURN_IF_ERROR(KeepVersions());
  MAYFLY_TRY(const std::uint64_t left, upkeep_.Run(items_max));
  MAYFLY_RETURN_IF_ERROR(streams_.CatchUp());
  MAYFLY_TRY(const std::vector<std::string> ended, streams_.WithEmptyEnded());
  for (const std::string& table : ended) {
    const Status forgotten = changes_.ForgetEndedStreams(table);
    if (!forgotten.IsNotFound()) MAYFLY_RETURN_IF_ERROR(forgotten);
  }
  return left;
}

Result<std::vector<StreamDescription>> TableService::ListStreams(const std::string& table) {
  if (!table.empty()) MAYFLY_RETURN_IF_ERROR(catalog_->Use(table).status());
  return streams_.List(table);
}

bool TableService::HasSweeps() {
  for (const std::string& name : catalog_->Names()) {
    const auto table = catalog_->Use(name);
    if (table && (*table)->shadows != nullptr) return true;
  }
  return false;
}

Result<bool> TableService::SweepSome() {
  bool more = false;
  for (const std::string& name : catalog_->Names()) {
    {
      const auto table = catalog_->Use(name);
      if (!table || (*table)->shadows == nullptr) continue;
    }
    const auto swept = sweeper_.Sweep(name, kReaperStepItemsMax);
    if (!swept && swept.status().IsNotFound()) continue;  // Dropped meanwhile.
    MAYFLY_RETURN_IF_ERROR(swept.status());
    more = more || swept->more;
  }
  return more;
}

Result<std::unique_ptr<TableReaper>> TableService::StartReaper(const TableReaperOptions& options) {
  const std::lock_guard lock(reaper_mutex_);
  if (!reaper_.expired()) return Status::Busy("a reaper of these tables is there already");
  TableReaperTasks work;
  work.upkeep = [this]() -> Result<bool> {
    MAYFLY_TRY(const std::uint64_t left, RunUpkeep(kReaperStepItemsMax));
    return left > 0;
  };
  work.sweep = [this] { return SweepSome(); };
  work.has_sweeps = [this] { return HasSweeps(); };
  const Clock& clock = options.clock != nullptr ? *options.clock : SystemClock::Process();
  MAYFLY_TRY(auto reaper, TableReaperImpl::Start(database_, options, clock, std::move(work)));
  reaper_ = reaper;
  return std::unique_ptr<TableReaper>(std::make_unique<ReaperHandle>(std::move(reaper)));
}

void TableService::WakeReaper() {
  const std::lock_guard lock(reaper_mutex_);
  if (const auto reaper = reaper_.lock()) reaper->Wake();
}

}  // namespace mayfly::tables

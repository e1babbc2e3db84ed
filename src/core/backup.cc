#include "core/backup.h"

#include <limits>
#include <map>
#include <mutex>

#include "core/backup_file.h"
#include "core/keys.h"
#include "core/limits.h"
#include "core/liveness.h"

namespace mayfly::core {
namespace {

constexpr engine::Address kRows{engine::Role::kRows};

// Deadlines as the restored rows will have them.
class Reckoning {
 public:
  Reckoning(const RestoreOptions& options, WallTime now) : options_(options), now_(now) {}

  void set_taken_at(WallTime taken_at) { taken_at_ = taken_at; }

  std::optional<WallTime> DeadlineOf(std::optional<WallTime> deadline) const {
    if (!deadline) return deadline;
    switch (options_.mode) {
      case RestoreMode::kHonour: return deadline;
      case RestoreMode::kFreeze: return Moved(*deadline, now_ - taken_at_);
      case RestoreMode::kShift: return Moved(*deadline, options_.shift);
      case RestoreMode::kStrip: return std::nullopt;
    }
    return deadline;
  }

 private:
  // Stays within time: what would end after its end ends there.
  static WallTime Moved(WallTime deadline, Millis by) {
    constexpr std::int64_t kLast = std::numeric_limits<std::int64_t>::max();
    if (by.count() > 0 && ToMs(deadline) > kLast - by.count()) return WallTime::max();
    return deadline + by;
  }

  const RestoreOptions options_;
  const WallTime now_;
  WallTime taken_at_;
};

Status CheckEmpty(Store& store) {
  const auto keyspaces = store.catalog().All();
  if (keyspaces.size() == 1 && keyspaces.front()->TotalCounters().rows == 0) return {};
  return Status::Invalid("a restore fills an empty database and this one is not; open a new one");
}

// Writes rows in batches, each by the rules of any other write.
class Restorer {
 public:
  Restorer(Store& store, const RestoreOptions& options)
      : store_(store), now_(store.clock().Now()), reckoning_(options, now_) {}

  Status Take(const BackupRecord& record) {
    switch (record.kind) {
      case 'T':
        reckoning_.set_taken_at(WallTimeFromMs(static_cast<std::int64_t>(record.number)));
        return {};
      case 'K': return TakeKeyspace(record);
      default: return TakeRow(record);
    }
  }

  Result<RestoreReport> Finish() {
    MAYFLY_RETURN_IF_ERROR(Flush());
    MAYFLY_RETURN_IF_ERROR(store_.engine().Persist(Durability::kDisk));
    return report_;
  }

 private:
  Status TakeKeyspace(const BackupRecord& record) {
    MAYFLY_RETURN_IF_ERROR(Flush());
    std::string name;
    KeyspacePolicy policy;
    MAYFLY_RETURN_IF_ERROR(DecodeKeyspace(record.data, name, policy));
    ++report_.keyspaces;
    auto& keyspace = keyspaces_[record.keyspace];
    if (name == kDefaultKeyspaceName) {
      MAYFLY_TRY(keyspace, store_.catalog().Find(name));
      return store_.catalog().SetPolicy(*keyspace, policy);
    }
    MAYFLY_TRY(keyspace, store_.catalog().Create(name, policy));
    return {};
  }

  Status TakeRow(const BackupRecord& record) {
    const auto found = keyspaces_.find(record.keyspace);
    if (found == keyspaces_.end()) {
      return Status::Corruption(
          "the backup has a row of a keyspace it does not name; take another");
    }
    MAYFLY_TRY(const RowView row, DecodeRow(record.data));
    const std::optional<WallTime> deadline = reckoning_.DeadlineOf(row.deadline);
    if (IsDead(deadline, now_)) {
      ++report_.dropped_rows;
      return {};
    }
    if (keyspace_ != found->second.get()) MAYFLY_RETURN_IF_ERROR(Flush());
    keyspace_ = found->second.get();
    pending_.push_back({std::string(record.key), deadline, std::string(row.payload)});
    constexpr std::size_t kBatchRows = 256;
    return pending_.size() < kBatchRows ? Status() : Flush();
  }

  Status Flush() {
    if (pending_.empty()) return {};
    const std::lock_guard alone(keyspace_->gate());
    MAYFLY_RETURN_IF_ERROR(store_.CheckUsable(*keyspace_));
    // The clock anew: a deadline that passed since the beginning may lie below the purge watermark
    // by now.
    CommitPlan plan(store_.clock().Now());
    for (const Fresh& row : pending_) {
      const bool dead = IsDead(row.deadline, plan.now());
      ++(dead ? report_.dropped_rows : report_.rows);
      if (dead) continue;
      plan.Put(*keyspace_, StripeOf(keyspace_->id(), row.key), row.key, nullptr, row.deadline,
               row.payload);
    }
    pending_.clear();
    return store_.Commit(plan, Durability::kNone);
  }

  struct Fresh {
    std::string key;
    std::optional<WallTime> deadline;
    std::string payload;
  };

  Store& store_;
  const WallTime now_;
  Reckoning reckoning_;
  std::map<KeyspaceId, std::shared_ptr<KeyspaceState>> keyspaces_;  // By the backup's ids.
  KeyspaceState* keyspace_ = nullptr;                               // Of pending_.
  std::vector<Fresh> pending_;
  RestoreReport report_;
};

}  // namespace

Result<BackupReport> WriteBackup(Store& store, const std::string& file) {
  MAYFLY_RETURN_IF_ERROR(store.CheckOpen());
  // Keyspaces before the state: one that is dropped in between is empty in it, one that is made in
  // between is not in the backup.
  const auto keyspaces = store.catalog().All();
  BackupReport report;
  report.taken_at = store.clock().Now();
  MAYFLY_TRY(const auto snapshot, store.engine().NewSnapshot());
  MAYFLY_TRY(BackupWriter writer, BackupWriter::Create(file, report.taken_at));
  for (const auto& keyspace : keyspaces) {
    MAYFLY_RETURN_IF_ERROR(
        writer.AddKeyspace(keyspace->id(), EncodeKeyspace(keyspace->name(), *keyspace->policy())));
    ++report.keyspaces;
    const std::string begin = KeyspaceBegin(keyspace->id());
    const std::string end = KeyspaceEnd(keyspace->id());
    MAYFLY_TRY(const auto cursor, store.engine().NewCursor(kRows, {
                                                                      .range = {begin, end},
                                                                      .snapshot = snapshot.get(),
                                                                      .fill_cache = false
    }));
    for (cursor->SeekToFirst(); cursor->Valid(); cursor->Next()) {
      MAYFLY_TRY(const RowView row, DecodeRow(cursor->value()));
      if (IsDead(row.deadline, report.taken_at)) continue;
      MAYFLY_RETURN_IF_ERROR(
          writer.AddRow(keyspace->id(), UserKeyOf(cursor->key()), cursor->value()));
      ++report.rows;
    }
    MAYFLY_RETURN_IF_ERROR(cursor->status());
  }
  MAYFLY_TRY(report.bytes, writer.Finish());
  return report;
}

Result<RestoreReport> RestoreBackup(Store& store, const std::string& file,
                                    const RestoreOptions& options) {
  MAYFLY_RETURN_IF_ERROR(store.CheckOpen());
  MAYFLY_RETURN_IF_ERROR(CheckEmpty(store));
  MAYFLY_RETURN_IF_ERROR(ReadBackup(file, [](const BackupRecord&) { return Status(); }));
  Restorer restorer(store, options);
  MAYFLY_RETURN_IF_ERROR(
      ReadBackup(file, [&](const BackupRecord& record) { return restorer.Take(record); }));
  return restorer.Finish();
}

}  // namespace mayfly::core

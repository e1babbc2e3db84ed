#include "core/upkeep/backup.h"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <limits>
#include <map>
#include <mutex>
#include <set>

#include "base/log.h"
#include "core/commit/version_plan.h"
#include "core/layout/collection_codec.h"
#include "core/layout/keys.h"
#include "core/layout/limits.h"
#include "core/layout/liveness.h"
#include "core/layout/packed_parts.h"
#include "core/upkeep/backup_book.h"
#include "core/upkeep/backup_file.h"
#include "core/upkeep/backup_rows.h"
#include "core/upkeep/collection_restore.h"
#include "core/upkeep/restore_mark.h"
#include "core/upkeep/row_progress.h"

namespace mayfly::core {
namespace {

// Computes the deadlines that restored rows get.
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
  // Saturates: a deadline past the end of time becomes the end, one before 1970 becomes 1970.
  static WallTime Moved(WallTime deadline, Millis by) {
    constexpr std::int64_t kLast = std::numeric_limits<std::int64_t>::max();
    if (by.count() > 0 && ToMs(deadline) > kLast - by.count()) return WallTime::max();
    return std::max(deadline + by, WallTimeFromMs(0));
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

// A backup has the keys of versions without the byte of their kind, which the record's kind
// implies.
std::string MemberKeyOf(const BackupRecord& record) {
  return std::string(1, kVersionsOfKeys).append(record.key);
}

// Checks that every record of a file can be restored, before the first one is.
class Inspector {
 public:
  Status Take(const BackupRecord& record) {
    std::string name;
    KeyspacePolicy policy;
    switch (record.kind) {
      case 'T':
      case 'E': return {};
      case 'N':
        if (record.number < UINT64_MAX) return {};
        return Status::Corruption("the backup has more events than there are numbers");
      case 'K':
        known_.insert(record.keyspace);
        in_collection_of_.reset();
        return DecodeKeyspace(record.data, name, policy);
      default: break;
    }
    if (!known_.contains(record.keyspace)) {
      return Status::Corruption(
          "the backup has a row of a keyspace it does not name; take another");
    }
    if (record.kind == 'R') return TakeRow(record);
    if (record.kind == 'M' || record.kind == 'S') {
      if (in_collection_of_ == record.keyspace) return DecodeRow(record.data).status();
      return Status::Corruption("the backup has a member of no collection; take another");
    }
    if (!UserKeyOfMember(MemberKeyOf(record))) {
      return Status::Corruption("the backup has a version of no key; take another");
    }
    return DecodeVersion(record.data).status();
  }

 private:
  Status TakeRow(const BackupRecord& record) {
    MAYFLY_TRY(const RowView row, DecodeRow(record.data));
    in_collection_of_.reset();
    if (!row.collection_id) return {};
    in_collection_of_ = record.keyspace;
    MAYFLY_TRY(const Collection collection, DecodeCollection(row.payload));
    return CountPacked(collection).status();
  }

  std::set<KeyspaceId> known_;
  std::optional<KeyspaceId> in_collection_of_;  // The row before was a collection's.
};

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
      // Events are not in a backup, and rows that died meanwhile have none: a reader that has
      // stored its position has missed at least one event.
      case 'N': return store_.events().GoOnBehind(record.number + 1);
      case 'K': return TakeKeyspace(record);
      case 'V': return TakeVersion(record);
      case 'M': return TakePart(record, Part::kMembers);
      case 'S': return TakePart(record, Part::kSides);
      default: return TakeRow(record);
    }
  }

  Result<RestoreReport> Finish() {
    MAYFLY_RETURN_IF_ERROR(FinishCollection());
    MAYFLY_RETURN_IF_ERROR(Flush());
    return report_;
  }

 private:
  Status TakeKeyspace(const BackupRecord& record) {
    MAYFLY_RETURN_IF_ERROR(FinishCollection());
    MAYFLY_RETURN_IF_ERROR(Flush());
    std::string name;
    KeyspacePolicy policy;
    MAYFLY_RETURN_IF_ERROR(DecodeKeyspace(record.data, name, policy));
    ++report_.keyspaces;
    auto& keyspace = keyspaces_[record.keyspace];
    if (name == kDefaultKeyspaceName) {
      MAYFLY_TRY(keyspace, store_.catalog().Find(name));
      return store_.catalog().SetPolicy(*keyspace, policy, now_);
    }
    MAYFLY_TRY(keyspace, store_.catalog().Create(name, policy));
    return {};
  }

  Status TakeRow(const BackupRecord& record) {
    MAYFLY_RETURN_IF_ERROR(FinishCollection());
    MAYFLY_TRY(RowView row, DecodeRow(record.data));
    if (row.collection_id) return TakeCollection(record, row);
    row.deadline = reckoning_.DeadlineOf(row.deadline);
    MAYFLY_RETURN_IF_ERROR(FlushBefore(record));
    Fresh fresh{.key = std::string(record.key), .row = {}, .member = false};
    AppendRow(fresh.row, row);
    pending_.push_back(std::move(fresh));
    return FlushIfFull();
  }

  Status TakeCollection(const BackupRecord& record, const RowView& row) {
    MAYFLY_TRY(const Collection collection, DecodeCollection(row.payload));
    collection_.emplace(store_, *keyspaces_.at(record.keyspace), std::string(record.key),
                        collection.head, reckoning_.DeadlineOf(collection.own_deadline));
    if (!collection.packed) return {};
    PackedReader reader(*collection.packed);
    for (; reader.Valid(); reader.Next()) {
      const PackedPart& part = reader.part();
      MAYFLY_TRY(const RowView stored, DecodeRow(part.row));
      MAYFLY_RETURN_IF_ERROR(
          collection_->Add(part.kind == PartKind::kMember ? Part::kMembers : Part::kSides,
                           part.name, stored.payload, reckoning_.DeadlineOf(stored.deadline)));
    }
    return reader.status();
  }

  Status TakePart(const BackupRecord& record, Part part) {
    MAYFLY_TRY(const RowView row, DecodeRow(record.data));
    return collection_->Add(part, record.key, row.payload, reckoning_.DeadlineOf(row.deadline));
  }

  Status FinishCollection() {
    if (!collection_) return {};
    MAYFLY_TRY(const bool exists, collection_->Finish());
    const bool lost = !exists && collection_->empty();
    collection_.reset();
    ++(exists ? report_.rows : lost ? report_.lost_collections : report_.dropped_rows);
    return {};
  }

  Status TakeVersion(const BackupRecord& record) {
    MAYFLY_TRY(VersionView version, DecodeVersion(record.data));
    version.row.deadline = reckoning_.DeadlineOf(version.row.deadline);
    MAYFLY_RETURN_IF_ERROR(FlushBefore(record));
    Fresh fresh{.key = MemberKeyOf(record), .row = {}, .member = true};
    AppendVersion(fresh.row, version);
    pending_.push_back(std::move(fresh));
    return FlushIfFull();
  }

  // A batch has rows of one keyspace.
  Status FlushBefore(const BackupRecord& record) {
    KeyspaceState* const next = keyspaces_.at(record.keyspace).get();
    if (keyspace_ != next) MAYFLY_RETURN_IF_ERROR(Flush());
    keyspace_ = next;
    return {};
  }

  Status FlushIfFull() { return pending_.size() < kRestoreBatchRows ? Status() : Flush(); }

  Status Flush() {
    if (pending_.empty()) return {};
    const std::lock_guard alone(keyspace_->gate());
    MAYFLY_RETURN_IF_ERROR(store_.CheckUsable(*keyspace_));
    // As every write: the clock is read under the latches.
    const KeyLatches::Many latches(store_.latches(), StripeSet::All());
    // Read again for each batch: a deadline that has passed since the restore began may lie below
    // the purge watermark by now.
    CommitPlan plan(store_.clock().Now());
    for (const Fresh& fresh : pending_) {
      MAYFLY_RETURN_IF_ERROR(fresh.member ? PlanVersion(plan, fresh) : PlanRow(plan, fresh));
    }
    pending_.clear();
    return store_.Commit(plan, Durability::kNone);
  }

  struct Fresh {
    std::string key;
    std::string row;  // Encoded, as it will be stored.
    bool member;
  };

  Status PlanRow(CommitPlan& plan, const Fresh& fresh) {
    MAYFLY_TRY(const RowView row, DecodeRow(fresh.row));
    const bool dead = IsDead(row.deadline, plan.now());
    ++(dead ? report_.dropped_rows : report_.rows);
    // Where order is by timestamp a dead row leaves its marker, as if it had been purged here.
    if (keyspace_->by_timestamp()) {
      const KeyState none{};
      VersionPlan(plan, *keyspace_, fresh.key, none).Restore(row);
    } else if (!dead) {
      plan.Put(*keyspace_, StripeOf(keyspace_->id(), fresh.key), fresh.key, nullptr, row);
    }
    return {};
  }

  Status PlanVersion(CommitPlan& plan, const Fresh& fresh) const {
    MAYFLY_TRY(VersionView version, DecodeVersion(fresh.row));
    if (IsDead(version.kept_until, plan.now())) return {};
    if (IsDead(version.row.deadline, plan.now())) version = Bare(version);
    plan.PutVersion(*keyspace_, /*stripe=*/0, fresh.key, nullptr, version);
    return {};
  }

  Store& store_;
  const WallTime now_;
  Reckoning reckoning_;
  std::map<KeyspaceId, std::shared_ptr<KeyspaceState>> keyspaces_;  // By the backup's ids.
  KeyspaceState* keyspace_ = nullptr;                               // Of pending_.
  std::vector<Fresh> pending_;
  std::optional<CollectionRestore> collection_;  // Whose members come next.
  RestoreReport report_;
};

}  // namespace

Result<BackupReport> WriteBackup(Store& store, const std::string& file, const Progress& progress) {
  MAYFLY_RETURN_IF_ERROR(store.CheckOpen());
  MAYFLY_RETURN_IF_ERROR(BackupWriter::CheckFree(file));
  BackupReport report;
  report.taken_at = store.clock().Now();
  // A database that was opened for reading alone cannot record it.
  const bool books = store.engine().capabilities().writable;
  BackupBook book(store.engine());
  if (books) MAYFLY_RETURN_IF_ERROR(book.Begin(file, report.taken_at));
  Status written = WriteBackupRows(store, file, progress, report);
  if (written.ok() && books) {
    written = book.Complete(file, report.taken_at);
    // A file that is not recorded must not be left.
    if (!written.ok()) ::unlink(file.c_str());
  }
  if (written.ok()) return report;
  // If its file could not be removed, it stays recorded, for Prove() and the next open.
  std::error_code error;
  if (books && !std::filesystem::exists(PartialOf(file), error)) {
    if (const Status forgotten = book.Forget(file, report.taken_at); !forgotten.ok()) {
      Log(store.logger(), LogLevel::kWarning, "a failed backup stays in the book: {}",
          forgotten.ToString());
    }
  }
  return written;
}

Result<RestoreReport> RestoreBackup(Store& store, const std::string& file,
                                    const RestoreOptions& options, const Progress& progress) {
  MAYFLY_RETURN_IF_ERROR(store.CheckOpen());
  MAYFLY_RETURN_IF_ERROR(store.CheckWritable());
  MAYFLY_RETURN_IF_ERROR(CheckEmpty(store));
  Inspector inspector;
  const BackupKeys keys{options.password, store.engine().encryption_key()};
  RowProgress checked(progress, 0);
  MAYFLY_RETURN_IF_ERROR(ReadBackup(file, keys, [&](const BackupRecord& record) {
    MAYFLY_RETURN_IF_ERROR(checked.Passed());
    return inspector.Take(record);
  }));
  MAYFLY_RETURN_IF_ERROR(BeginRestore(store));
  Restorer restorer(store, options);
  RowProgress written(progress, checked.done());
  const Status taken = ReadBackup(file, keys, [&](const BackupRecord& record) {
    MAYFLY_RETURN_IF_ERROR(written.Passed());
    return restorer.Take(record);
  });
  Result<RestoreReport> report = taken.ok() ? restorer.Finish() : Result<RestoreReport>(taken);
  const Status ended = report ? EndRestore(store) : UndoRestore(store);
  if (ended.ok()) return report;
  const Status& why = report ? ended : report.error();
  return Status(why.code(),
                fmt::format("{}; what was restored so far goes when the database is opened next",
                            why.message()));
}

}  // namespace mayfly::core

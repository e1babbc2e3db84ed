#include "core/upkeep/prover.h"

#include <fmt/format.h>

#include <algorithm>
#include <map>

#include "base/printable.h"
#include "core/layout/keys.h"
#include "core/reclaim/file_choice.h"
#include "core/reclaim/promises.h"
#include "core/upkeep/backup_book.h"
#include "core/upkeep/statistics.h"

namespace mayfly::core {
namespace {

constexpr engine::Role kRoles[] = {engine::Role::kRows, engine::Role::kMembers,
                                   engine::Role::kExpiry};
// Keys of these roles do not begin with a keyspace: any keyspace may have bytes there.
constexpr engine::Role kSharedRoles[] = {engine::Role::kEvents, engine::Role::kMeta};

constexpr std::size_t kTracesMax = 100;

ProofFile Describe(engine::Role role, const engine::FileInfo& file, WallTime now) {
  return {.role = std::string(RoleName(role)),
          .name = file.name,
          .level = file.level,
          .bytes = file.bytes,
          .first_deadline = file.deadlines.min_deadline(),
          .last_deadline = file.deadlines.max_deadline(),
          .mortal_bytes = file.deadlines.mortal_bytes(),
          .immortal_bytes = file.deadlines.immortal_bytes(),
          .dead_bytes = file.deadlines.BytesDeadBy(now),
          .tombstones = file.deletions};
}

ProofHolder Describe(const OpenStates::Info& state) {
  ProofHolder holder{.kind = ProofHolder::Kind::kSnapshot, .since = state.since, .description = {}};
  const char* what = "a snapshot";
  switch (state.kind) {
    case StateKind::kSnapshot: break;
    case StateKind::kTransaction:
      holder.kind = ProofHolder::Kind::kTransaction;
      what = "a transaction";
      break;
    case StateKind::kCursor:
    case StateKind::kCall:
      holder.kind = ProofHolder::Kind::kCursor;
      what = state.kind == StateKind::kCall ? "a call that is under way" : "a cursor";
      break;
  }
  holder.description = fmt::format(
      "{} is open since {} ms; what it shows stays in the files until it is closed, or until "
      "state_age_max, if that is set",
      what, ToMs(state.since));
  return holder;
}

class Prover {
 public:
  explicit Prover(Store& store) : store_(store) {}

  Result<Proof> Gather(const ProofOptions& options, const engine::FindProgress& progress) {
    MAYFLY_TRY(const Statistics statistics, GatherStatistics(store_));
    proof_.taken_at = statistics.clock.now;
    AddStates();
    AddReaders();
    AddClock(statistics.clock);
    MAYFLY_RETURN_IF_ERROR(AddBackups());
    MAYFLY_RETURN_IF_ERROR(ListFiles());
    for (const auto& keyspace : store_.catalog().AllWithDropped()) {
      if (keyspace->dropped()) {
        AddDropped(*keyspace);
      } else {
        MAYFLY_RETURN_IF_ERROR(AddKeyspace(*keyspace, statistics));
      }
    }
    if (!options.find.empty()) {
      MAYFLY_TRY(const auto traces, store_.engine().Find(options.find, kTracesMax, progress));
      for (const engine::Trace& trace : traces) {
        proof_.traces.push_back({trace.where, trace.what});
      }
    }
    return std::move(proof_);
  }

 private:
  void AddStates() {
    for (const auto& state : store_.states().List()) proof_.holders.push_back(Describe(state));
  }

  // How many readers there are, and what they hold, is unknown.
  void AddReaders() {
    if (!store_.engine().HasReadersBeside()) return;
    proof_.holders.push_back(
        {ProofHolder::Kind::kReader, proof_.taken_at,
         "another opener reads these files beside this one, and may have deleted ones open, whose "
         "bytes are then still on the disk; it lets go of them within seconds, but not of what its "
         "own snapshots, transactions and cursors read: close these, or end that process"});
  }

  void AddClock(const ClockReport& clock) {
    if (!clock.physical_deletion_stopped) return;
    proof_.holders.push_back(
        {ProofHolder::Kind::kClock, clock.now,
         fmt::format(
             "the clock jumped ahead by {} ms; nothing is removed until that is confirmed or taken "
             "back: TTL.CLOCK, ConfirmClock(), RevertClock()",
             clock.last_jump.count())});
  }

  Status AddBackups() {
    MAYFLY_TRY(const auto backups, ListBackups(store_.engine()));
    for (const RecordedBackup& backup : backups) {
      const char* const words =
          backup.complete ? "the backup {} holds every row that was alive at {} ms; remove it when "
                            "these must be gone"
                          : "{} is a backup that was not finished, or is being written, and holds "
                            "rows that were alive at {} ms; opening the database anew removes it";
      proof_.holders.push_back(
          {ProofHolder::Kind::kBackup, backup.taken_at,
           fmt::format(fmt::runtime(words), Printable(backup.file, backup.file.size()),
                       ToMs(backup.taken_at))});
    }
    return {};
  }

  Status AddKeyspace(const KeyspaceState& keyspace, const Statistics& statistics) {
    const auto found =
        std::find_if(statistics.keyspaces.begin(), statistics.keyspaces.end(),
                     [&](const KeyspaceStatistics& one) { return one.name == keyspace.name(); });
    if (found == statistics.keyspaces.end()) return {};  // It was made since.
    const auto first_due =
        found->due_rows > 0 ? std::optional(proof_.taken_at - found->lag) : std::nullopt;
    KeyspaceProof proof{.name = keyspace.name(),
                        .purge_within = found->purge_within,
                        .purged_through = found->purged_through,
                        .purged_rows_through = first_due ? *first_due - Millis(1) : proof_.taken_at,
                        .rows = found->rows,
                        .due_rows = found->due_rows,
                        .kept = true,
                        .files = {}};
    if (first_due) {
      proof_.holders.push_back(
          {ProofHolder::Kind::kBacklog, *first_due,
           fmt::format("keyspace '{}' has {} dead rows that nobody has purged; start a reaper, or "
                       "call Purge()",
                       Printable(keyspace.name()), found->due_rows)});
    }
    MAYFLY_TRY(const WallTime since,
               Promises::LeftSince(store_, keyspace, first_due, proof_.taken_at));
    if (found->due_members + found->orphans > 0) {
      proof_.holders.push_back(
          {ProofHolder::Kind::kBacklog, since,
           fmt::format("keyspace '{}' has {} dead members of collections, and what is left of {} "
                       "collections, that nobody has purged; start a reaper, or call Purge()",
                       Printable(keyspace.name()), found->due_members, found->orphans)});
    }
    if (found->purge_within && since != WallTime::max()) {
      proof.kept =
          std::max(since, keyspace.promised_since()) > proof_.taken_at - *found->purge_within;
    }
    AddFiles(keyspace.id(), proof);
    proof_.keyspaces.push_back(std::move(proof));
    return {};
  }

  // A dropped keyspace has no rows any more, but their bytes may be left.
  void AddDropped(const KeyspaceState& keyspace) {
    const WallTime since = keyspace.removing_since();
    const Millis promise = *keyspace.policy().purge_within;
    KeyspaceProof proof{.name = keyspace.name(),
                        .purge_within = promise,
                        .purged_through = since - Millis(1),
                        .purged_rows_through = proof_.taken_at,
                        .rows = 0,
                        .due_rows = 0,
                        .kept = since > proof_.taken_at - promise,
                        .files = {}};
    proof_.holders.push_back(
        {ProofHolder::Kind::kBacklog, since,
         fmt::format("'{}' was dropped, and nobody has removed its bytes yet; start a reaper, or "
                     "call Reclaim()",
                     Printable(keyspace.name()))});
    AddFiles(keyspace.id(), proof);
    proof_.keyspaces.push_back(std::move(proof));
  }

  Status ListFiles() {
    for (const engine::Role role : kRoles) {
      MAYFLY_TRY(files_[role], store_.engine().Files(role));
    }
    for (const engine::Role role : kSharedRoles) {
      MAYFLY_TRY(files_[role], store_.engine().Files(role));
    }
    return {};
  }

  void AddFiles(KeyspaceId id, KeyspaceProof& proof) const {
    for (const engine::Role role : kRoles) {
      for (const engine::FileInfo& file : files_.at(role)) {
        if (!MayHold(file, id) && !MayHold(file, MembersOf(id))) continue;
        proof.files.push_back(Describe(role, file, proof_.taken_at));
      }
    }
    for (const engine::Role role : kSharedRoles) {
      for (const engine::FileInfo& file : files_.at(role)) {
        proof.files.push_back(Describe(role, file, proof_.taken_at));
      }
    }
  }

  Store& store_;
  std::map<engine::Role, std::vector<engine::FileInfo>> files_;
  Proof proof_;
};

}  // namespace

Result<Proof> GatherProof(Store& store, const ProofOptions& options,
                          const engine::FindProgress& progress) {
  MAYFLY_RETURN_IF_ERROR(store.CheckOpen());
  return Prover(store).Gather(options, progress);
}

}  // namespace mayfly::core

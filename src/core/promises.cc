#include "core/promises.h"

#include <algorithm>
#include <set>

#include "base/coding.h"
#include "core/file_choice.h"
#include "core/file_work.h"
#include "core/limits.h"
#include "core/liveness.h"
#include "core/purger.h"
#include "core/version_plan.h"

namespace mayfly::core {
namespace {

constexpr engine::Address kMeta{engine::Role::kMeta};

WallTime DueOf(const KeyspaceState& keyspace) {
  const auto promise = keyspace.policy()->purge_within;
  const WallTime since = keyspace.removing_since();
  if (!promise || since == WallTime::max()) return WallTime::max();
  return since > WallTime::max() - *promise ? WallTime::max() : since + *promise / 2;
}

// Never before the beginning of time.
WallTime Before(WallTime instant, Millis by) {
  return by > instant - WallTime() ? WallTime() : instant - by;
}

void AddNamesThatAreNew(const std::vector<engine::FileInfo>& before,
                        const std::vector<engine::FileInfo>& after, std::set<std::string>& names) {
  std::set<std::string> known;
  for (const engine::FileInfo& file : before) known.insert(file.name);
  for (const engine::FileInfo& file : after) {
    if (!known.contains(file.name)) names.insert(file.name);
  }
}

bool MayHoldAny(const engine::FileInfo& file, const Promises::Keyspaces& keyspaces) {
  return std::any_of(keyspaces.begin(), keyspaces.end(), [&](const auto& keyspace) {
    return MayHold(file, keyspace->id()) || MayHold(file, MembersOf(keyspace->id()));
  });
}

}  // namespace

WallTime Promises::NextDue(WallTime last_try) const {
  WallTime next = WallTime::max();
  for (const auto& keyspace : store_.catalog().All()) {
    const WallTime due = DueOf(*keyspace);
    if (due == WallTime::max()) continue;
    next = std::min(next, std::max(due, last_try + *keyspace->policy()->purge_within / 8));
  }
  return next;
}

Promises::Keyspaces Promises::Due(WallTime now) const {
  Keyspaces due;
  for (const auto& keyspace : store_.catalog().All()) {
    if (DueOf(*keyspace) <= now) due.push_back(keyspace);
  }
  return due;
}

Status Promises::Keep(const Keyspaces& keyspaces, std::uint64_t bytes_per_second, Stop stop,
                      ReclaimReport& report) {
  std::vector<Claim> claims;
  const Result<bool> clean = Round(keyspaces, bytes_per_second, stop, report, claims);
  Status outcome = clean.status();
  if (clean && *clean) outcome = Record(claims);
  const bool done = outcome.ok() && clean && *clean;
  report.held_up = report.held_up || (outcome.ok() && !done && !report.stopped_by_clock);
  for (const Claim& claim : claims) claim.keyspace->EndRound(done);
  return outcome;
}

Result<bool> Promises::Round(const Keyspaces& keyspaces, std::uint64_t bytes_per_second, Stop stop,
                             ReclaimReport& report, std::vector<Claim>& claims) {
  for (const auto& keyspace : keyspaces) {
    claims.push_back({keyspace, {}});
    MAYFLY_RETURN_IF_ERROR(Begin(claims.back()));
  }
  if (!store_.clock().may_delete()) {
    report.stopped_by_clock = true;
    return false;
  }
  MAYFLY_TRY(bool clean,
             store_.horizon().Advance(store_.catalog(), store_.states(), store_.engine()));
  MAYFLY_RETURN_IF_ERROR(store_.engine().Flush());
  for (const engine::Role role : {engine::Role::kExpiry, engine::Role::kRows,
                                  engine::Role::kMembers, engine::Role::kEvents}) {
    MAYFLY_TRY(const bool done, RewriteFiles(role, keyspaces, bytes_per_second, stop, report));
    clean = clean && done;
  }
  if (!clean) return false;
  return AwaitDeletions(stop);
}

// True when files that were rewritten are gone. The engine deletes them once nobody reads them any
// more, some of them in the background, and some with the next flush.
Result<bool> Promises::AwaitDeletions(Stop stop) {
  for (std::size_t looks = 0;; ++looks) {
    MAYFLY_TRY(const engine::EngineStats stats, store_.engine().Stats());
    if (stats.obsolete_files == 0) return true;
    if (looks == kDeletionLooksMax || stop()) return false;
    MAYFLY_RETURN_IF_ERROR(store_.engine().Flush());
    if (looks > 0) Waker().WaitFor(kBusyFilePause);
  }
}

Status Promises::Begin(Claim& claim) {
  KeyspaceState& keyspace = *claim.keyspace;
  Purger purger(store_);
  MAYFLY_RETURN_IF_ERROR(purger.PurgeAll(keyspace));
  // What is removed from here on counts anew. What dies up to this instant is the last that the
  // round takes with it.
  keyspace.BeginRound();
  claim.through = store_.clock().Now();
  MAYFLY_RETURN_IF_ERROR(purger.PurgeAll(keyspace));
  const auto promise = keyspace.policy()->purge_within;
  if (!promise) return {};
  MAYFLY_TRY(const auto kept,
             store_.events().TrimKeyspace(keyspace.id(), claim.through - *promise / 4,
                                          store_.clock().Now()));
  if (!kept.first_deadline) return {};
  claim.through = std::min(claim.through, *kept.first_deadline - Millis(1));
  keyspace.NoteRemoval(*kept.first_deadline);
  return {};
}

// True when nothing dead is left in the files of the role that may hold the keyspaces'.
Result<bool> Promises::RewriteFiles(engine::Role role, const Keyspaces& keyspaces,
                                    std::uint64_t bytes_per_second, Stop stop,
                                    ReclaimReport& report) {
  const auto horizon = store_.horizon().horizon();
  const DeadFiles dead(*horizon);
  FileWork work(store_, report);
  // Each file is tried once, and what it becomes is not tried at all: if that still holds something
  // dead, somebody looks at it, and trying again would not help. One that the engine is at is
  // waited for, a little.
  std::set<std::string> tried;
  std::size_t looks = 0;
  MAYFLY_TRY(auto files, store_.engine().Files(role));
  const auto wants_work = [&](const engine::FileInfo& file) {
    // Events have no keyspace in front of their keys, and leave by tombstones alone.
    if (role == engine::Role::kEvents) return file.deletions > 0;
    return MayHoldAny(file, keyspaces) && dead.HoldsSomethingDead(file);
  };
  // First what can go unread, before the tombstones above it are rewritten together with it.
  if (role != engine::Role::kEvents) {
    const int last_level = LastLevelOf(files);
    for (const engine::FileInfo& file : files) {
      if (file.level != last_level || !dead.IsWhollyDead(file)) continue;
      MAYFLY_RETURN_IF_ERROR(work.Drop(role, file).status());
    }
    MAYFLY_TRY(files, store_.engine().Files(role));
  }
  const std::size_t rounds_max = 4 * files.size() + 16 + kBusyFileLooksMax;
  for (std::size_t round = 0; round < rounds_max && !stop(); ++round) {
    const auto next = std::find_if(files.begin(), files.end(), [&](const auto& file) {
      return wants_work(file) && !tried.contains(file.name);
    });
    if (next == files.end()) break;
    MAYFLY_TRY(const bool done, work.Rewrite(role, *next, bytes_per_second));
    MAYFLY_TRY(auto after, store_.engine().Files(role));
    if (!done && looks++ < kBusyFileLooksMax) {
      Waker().WaitFor(kBusyFilePause);
    } else {
      tried.insert(next->name);
      if (done) AddNamesThatAreNew(files, after, tried);
    }
    files = std::move(after);
  }
  return std::none_of(files.begin(), files.end(), wants_work);
}

Status Promises::Record(const std::vector<Claim>& claims) {
  engine::Batch batch;
  for (const Claim& claim : claims) {
    std::string through;
    AppendLittleEndian64(through, static_cast<std::uint64_t>(ToMs(claim.through)));
    batch.Put(kMeta, MetaKey(kMetaPurgedThrough, claim.keyspace->id()), through);
  }
  MAYFLY_RETURN_IF_ERROR(store_.engine().Commit(batch, Durability::kDisk));
  return store_.engine().Flush();
}

Result<WallTime> Promises::LeftSince(const Store& store, const KeyspaceState& keyspace,
                                     std::optional<WallTime> first_due, WallTime now) {
  WallTime since = std::min(keyspace.removing_since(), first_due.value_or(WallTime::max()));
  if (!keyspace.by_timestamp() && !keyspace.has_mortal_members()) return since;
  // Members that nobody has purged; or markers and versions, of rows that ended before them.
  const KeyspaceId index = MembersOf(keyspace.id());
  const WallTime watermark = keyspace.members_watermark();
  const std::string begin = EntryBegin(index, watermark);
  // A purge is on its way: behind the watermark lie the tombstones of what it has removed.
  if (keyspace.purge_pass(/*members=*/true).reached > begin && IsDead(watermark, now)) {
    return std::min(since, Before(watermark, KeptBehind(*keyspace.policy())));
  }
  const std::string end = KeyspaceEnd(index);
  const engine::CursorOptions walk{
      .range = {begin, end},
        .fill_cache = false
  };
  MAYFLY_TRY(const auto cursor, store.engine().NewCursor({engine::Role::kExpiry}, walk));
  cursor->SeekToFirst();
  MAYFLY_RETURN_IF_ERROR(cursor->status());
  const auto entry = cursor->Valid() ? DecodeEntry(cursor->key()) : std::nullopt;
  if (entry && IsDead(entry->deadline, now)) {
    since = std::min(since, Before(entry->deadline, KeptBehind(*keyspace.policy())));
  }
  return since;
}

WallTime Promises::PurgedThrough(const KeyspaceState& keyspace, WallTime left_since, WallTime now) {
  const WallTime through = left_since > now ? now : left_since - Millis(1);
  if (!keyspace.by_timestamp()) return through;
  // What ended lately has left its key behind, so that late writes do not bring it back.
  return std::min(through, Before(now, KeptBehind(*keyspace.policy())));
}

}  // namespace mayfly::core

#include "core/reclaim/promises.h"

#include <algorithm>
#include <set>

#include "base/coding.h"
#include "base/log.h"
#include "base/printable.h"
#include "core/commit/version_plan.h"
#include "core/layout/addresses.h"
#include "core/layout/limits.h"
#include "core/layout/liveness.h"
#include "core/reclaim/file_choice.h"
#include "core/reclaim/file_removal.h"
#include "core/reclaim/purger.h"

namespace mayfly::core {
namespace {

// Never before the beginning of time.
WallTime Before(WallTime instant, Millis by) {
  return by > instant - WallTime() ? WallTime() : instant - by;
}

// Files made by a rewrite are in the last level; new ones in other levels come from elsewhere.
void AddNamesThatAreNew(const std::vector<engine::FileInfo>& before,
                        const std::vector<engine::FileInfo>& after, std::set<std::string>& names) {
  std::set<std::string> known;
  for (const engine::FileInfo& file : before) known.insert(file.name);
  const int last_level = LastLevelOf(after);
  for (const engine::FileInfo& file : after) {
    if (file.level == last_level && !known.contains(file.name)) names.insert(file.name);
  }
}

bool MayHoldAny(const engine::FileInfo& file, const Promises::Keyspaces& keyspaces) {
  return std::any_of(keyspaces.begin(), keyspaces.end(), [&](const auto& keyspace) {
    return MayHold(file, keyspace->id()) || MayHold(file, MembersOf(keyspace->id()));
  });
}

// The keyspaces in which bytes were, or may have been, overwritten.
Promises::Keyspaces Overwritten(const Promises::Keyspaces& keyspaces) {
  Promises::Keyspaces overwritten = keyspaces;
  std::erase_if(overwritten, [](const auto& keyspace) {
    return keyspace->promises() && !keyspace->round_overwrote();
  });
  return overwritten;
}

// How much more time than the promise has passed since then, without the length of a jump.
Millis LateBy(WallTime since, Millis promise, const ClockReport& clock) {
  const bool before_jump = clock.without_jump && since <= *clock.without_jump;
  const WallTime now = before_jump ? *clock.without_jump : clock.now;
  return since > now ? Millis(0) : std::max(now - since - promise, Millis(0));
}

// Decides which files of a role a round has to rewrite.
class Unclean {
 public:
  Unclean(engine::Role role, const Promises::Keyspaces& keyspaces, const Horizon& horizon,
          std::uint64_t last_commit)
      : keyed_(role != engine::Role::kEvents && role != engine::Role::kMeta),
        keyspaces_(keyspaces),
        overwritten_(role == engine::Role::kExpiry ? Promises::Keyspaces()
                                                   : Overwritten(keyspaces)),
        dead_(horizon),
        last_commit_(last_commit) {}

  bool Holds(const engine::FileInfo& file, int last_level) const {
    if (file.first_commit > last_commit_) return false;
    // Events and meta have no keyspace in front of their keys, and leave by tombstones alone.
    if (!keyed_) return file.deletions > 0;
    if (!MayHoldAny(file, keyspaces_)) return false;
    if (dead_.HoldsSomethingDead(file)) return true;
    // An older version may lie beneath in another file, or in the same one if a state showed it
    // when the file was made.
    const bool may_cover = file.level == 0 || file.level < last_level || file.covered > 0;
    return may_cover && MayHoldAny(file, overwritten_);
  }

  bool IsWhollyDead(const engine::FileInfo& file) const {
    return keyed_ && dead_.IsWhollyDead(file);
  }

 private:
  const bool keyed_;
  const Promises::Keyspaces& keyspaces_;
  const Promises::Keyspaces overwritten_;
  const DeadFiles dead_;
  const std::uint64_t last_commit_;
};

}  // namespace

WallTime Promises::NextDue(WallTime last_try) const {
  WallTime next = WallTime::max();
  for (const auto& keyspace : store_.catalog().AllWithDropped()) {
    const WallTime due = keyspace->RoundDue();
    if (due == WallTime::max()) continue;
    next = std::min(next, std::max(due, last_try + *keyspace->policy().purge_within / 8));
  }
  return next;
}

Promises::Keyspaces Promises::Due(WallTime now) const {
  Keyspaces due;
  for (const auto& keyspace : store_.catalog().AllWithDropped()) {
    if (keyspace->RoundDue() <= now) due.push_back(keyspace);
  }
  return due;
}

Status Promises::Keep(const Keyspaces& keyspaces, std::uint64_t bytes_per_second, Stop stop,
                      ReclaimReport& report) {
  std::vector<KeyspaceRound> rounds;
  const Result<bool> clean = Round(keyspaces, bytes_per_second, stop, report, rounds);
  Status outcome = clean.status();
  if (clean && *clean) outcome = Record(rounds);
  const bool done = outcome.ok() && clean && *clean;
  report.held_up = report.held_up || (outcome.ok() && !done && !report.stopped_by_clock);
  for (const KeyspaceRound& round : rounds) {
    round.keyspace->EndRound(done);
    LogLate(round, done);
  }
  return outcome;
}

Result<bool> Promises::Round(const Keyspaces& keyspaces, std::uint64_t bytes_per_second, Stop stop,
                             ReclaimReport& report, std::vector<KeyspaceRound>& rounds) {
  for (const auto& keyspace : keyspaces) {
    rounds.push_back({keyspace, keyspace->removing_since(), {}, keyspace->dropped()});
    MAYFLY_RETURN_IF_ERROR(Begin(rounds.back()));
  }
  if (!store_.clock().may_delete()) {
    report.stopped_by_clock = true;
    for (KeyspaceRound& round : rounds) round.through.reset();
  }
  MAYFLY_TRY(bool clean,
             store_.horizon().Advance(store_.catalog(), store_.states(), store_.engine()));
  // Everything that the round has to remove was committed by now.
  MAYFLY_TRY(const engine::EngineStats stats, store_.engine().Stats());
  MAYFLY_RETURN_IF_ERROR(store_.engine().Flush());
  for (const engine::Role role :
       {engine::Role::kExpiry, engine::Role::kRows, engine::Role::kMembers, engine::Role::kEvents,
        engine::Role::kMeta}) {
    MAYFLY_TRY(const bool done,
               RewriteFiles(role, keyspaces, stats.last_commit, bytes_per_second, stop, report));
    clean = clean && done;
  }
  if (!clean) return false;
  return AwaitDeletions(stop);
}

// True when files that were rewritten are gone. The engine deletes them once they have no readers,
// some in the background, and some with the next flush.
Result<bool> Promises::AwaitDeletions(Stop stop) {
  for (std::size_t looks = 0;; ++looks) {
    MAYFLY_TRY(const engine::EngineStats stats, store_.engine().Stats());
    if (stats.obsolete_files == 0) return true;
    if (looks == kDeletionLooksMax || stop()) return false;
    MAYFLY_RETURN_IF_ERROR(store_.engine().Flush());
    if (looks > 0) Waker().WaitFor(kBusyFilePause);
  }
}

Status Promises::Begin(KeyspaceRound& round) {
  KeyspaceState& keyspace = *round.keyspace;
  if (round.dropped) {
    keyspace.BeginRound();
    const WallTime now = store_.clock().Now();
    return store_.events().TrimKeyspace(keyspace.id(), now, now).status();
  }
  Purger purger(store_);
  MAYFLY_RETURN_IF_ERROR(purger.PurgeAll(keyspace));
  // Removals from here on are the next round's. Rows that die up to this instant are the last that
  // this round removes.
  keyspace.BeginRound();
  // A jump of the clock does not age events.
  const ClockReport clock = store_.clock().Report();
  const WallTime through = clock.without_jump.value_or(clock.now);
  round.through = through;
  MAYFLY_RETURN_IF_ERROR(purger.PurgeAll(keyspace));
  const auto promise = keyspace.policy().purge_within;
  if (!promise) return {};
  MAYFLY_TRY(const auto kept, store_.events().TrimKeyspace(keyspace.id(), through - *promise / 4,
                                                           store_.clock().Now()));
  if (!kept.first_deadline) return {};
  round.through = std::min(through, *kept.first_deadline - Millis(1));
  keyspace.NoteRemoval(*kept.first_deadline);
  return {};
}

// True when nothing dead is left in the files of the role that may hold these keyspaces.
Result<bool> Promises::RewriteFiles(engine::Role role, const Keyspaces& keyspaces,
                                    std::uint64_t last_commit, std::uint64_t bytes_per_second,
                                    Stop stop, ReclaimReport& report) {
  const auto horizon = store_.horizon().horizon();
  const Unclean unclean(role, keyspaces, *horizon, last_commit);
  FileRemoval removal(store_, report);
  // Each file is tried once, and the files it becomes are not tried: if those still hold something
  // dead, an open state shows it, and another try would not help. A file that the engine is
  // compacting is waited for, a little.
  std::set<std::string> tried;
  std::size_t looks = 0;
  MAYFLY_TRY(auto files, store_.engine().Files(role));
  // First the files that can be removed unread, before they are rewritten with the tombstones
  // above.
  bool dropped = false;
  int last_level = LastLevelOf(files);
  for (const engine::FileInfo& file : files) {
    if (file.level != last_level || !unclean.IsWhollyDead(file)) continue;
    MAYFLY_TRY(const bool gone, removal.Drop(role, file));
    dropped = dropped || gone;
  }
  if (dropped) {
    MAYFLY_TRY(files, store_.engine().Files(role));
  }
  const std::size_t rounds_max = 4 * files.size() + 16 + kBusyFileLooksMax;
  for (std::size_t round = 0; round < rounds_max && !stop(); ++round) {
    last_level = LastLevelOf(files);
    const auto next = std::find_if(files.begin(), files.end(), [&](const auto& file) {
      return unclean.Holds(file, last_level) && !tried.contains(file.name);
    });
    if (next == files.end()) break;
    MAYFLY_TRY(const bool done, removal.Rewrite(role, *next, bytes_per_second));
    MAYFLY_TRY(auto after, store_.engine().Files(role));
    if (!done && looks++ < kBusyFileLooksMax) {
      Waker().WaitFor(kBusyFilePause);
    } else {
      tried.insert(next->name);
      if (done) AddNamesThatAreNew(files, after, tried);
    }
    files = std::move(after);
  }
  last_level = LastLevelOf(files);
  return std::none_of(files.begin(), files.end(),
                      [&](const auto& file) { return unclean.Holds(file, last_level); });
}

Status Promises::Record(const std::vector<KeyspaceRound>& rounds) {
  engine::Batch batch;
  for (const KeyspaceRound& round : rounds) {
    if (round.dropped) {
      batch.Delete(kMeta, MetaKey(kMetaDropped, round.keyspace->id()));
      continue;
    }
    if (!round.through) continue;
    std::string through;
    AppendLittleEndian64(through, static_cast<std::uint64_t>(ToMs(*round.through)));
    batch.Put(kMeta, MetaKey(kMetaPurgedThrough, round.keyspace->id()), through);
  }
  MAYFLY_RETURN_IF_ERROR(store_.engine().Commit(batch, Durability::kDisk));
  MAYFLY_RETURN_IF_ERROR(store_.engine().Flush());
  for (const KeyspaceRound& round : rounds) {
    if (round.dropped) store_.catalog().ForgetDropped(round.keyspace->id());
  }
  return {};
}

// Logs once when a promise is late, and once when it is kept again.
void Promises::LogLate(const KeyspaceRound& round, bool done) const {
  const auto promise = round.keyspace->policy().purge_within;
  if (!promise) return;
  const WallTime since = std::max({round.since, counts_from_, round.keyspace->promised_since()});
  const Millis late = LateBy(since, *promise, store_.clock().Report());
  if (late == Millis(0)) return;
  const bool told = round.keyspace->SetReportedLate(!done);
  if (done) {
    Log(store_.logger(), LogLevel::kWarning,
        "keyspace '{}': what ended at {} ms is out of all files {} ms later than promised; the "
        "promise of {} ms is kept again",
        Printable(round.keyspace->name()), ToMs(since), late.count(), promise->count());
  } else if (!told) {
    Log(store_.logger(), LogLevel::kWarning,
        "keyspace '{}': the promise of {} ms is broken: what ended at {} ms should have been out "
        "of all files {} ms ago; TTL.PROVE, or Database::Prove(), tells what is in the way",
        Printable(round.keyspace->name()), promise->count(), ToMs(since), late.count());
  }
}

Result<WallTime> Promises::LeftSince(const Store& store, const KeyspaceState& keyspace,
                                     std::optional<WallTime> first_due, WallTime now) {
  WallTime since = std::min(keyspace.removing_since(), first_due.value_or(WallTime::max()));
  if (!keyspace.by_timestamp() && !keyspace.has_mortal_members()) return since;
  // Members that are not purged yet; or markers and versions, whose rows ended before them.
  const KeyspaceId index = MembersOf(keyspace.id());
  const WallTime watermark = keyspace.members_watermark();
  const std::string begin = EntryBegin(index, watermark);
  // A purge is under way: from the watermark on lie the tombstones of what it has removed.
  if (keyspace.purge_pass(/*members=*/true).reached > begin && IsDead(watermark, now)) {
    return std::min(since, Before(watermark, KeptBehind(keyspace.policy())));
  }
  const std::string end = KeyspaceEnd(index);
  const engine::CursorOptions walk{.range = {begin, end}, .fill_cache = false};
  MAYFLY_TRY(const auto cursor, store.engine().NewCursor({engine::Role::kExpiry}, walk));
  cursor->SeekToFirst();
  MAYFLY_RETURN_IF_ERROR(cursor->status());
  const auto entry = cursor->Valid() ? DecodeEntry(cursor->key()) : std::nullopt;
  if (entry && IsDead(entry->deadline, now)) {
    since = std::min(since, Before(entry->deadline, KeptBehind(keyspace.policy())));
  }
  return since;
}

Result<Millis> Promises::Overdue(const Store& store, const KeyspaceState& keyspace,
                                 std::optional<WallTime> first_due, const ClockReport& clock) {
  const auto promise = keyspace.policy().purge_within;
  if (!promise) return Millis(0);
  const WallTime sure = clock.without_jump.value_or(clock.now);
  if (first_due && *first_due > sure) first_due.reset();
  MAYFLY_TRY(const WallTime since, LeftSince(store, keyspace, first_due, sure));
  return LateBy(std::max(since, keyspace.promised_since()), *promise, clock);
}

WallTime Promises::PurgedThrough(const KeyspaceState& keyspace, WallTime left_since, WallTime now) {
  const WallTime through = left_since > now ? now : left_since - Millis(1);
  if (!keyspace.by_timestamp()) return through;
  // Rows that ended lately have left their keys in markers, against late writes.
  return std::min(through, Before(now, KeptBehind(keyspace.policy())));
}

}  // namespace mayfly::core

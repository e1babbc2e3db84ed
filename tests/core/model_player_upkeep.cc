#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "core/new_database.h"
#include "engine/memory/memory_engine.h"
#include "tests/core/model_player.h"

namespace mayfly::core::suite {
namespace {

using std::chrono::hours;
using std::chrono::minutes;

constexpr std::size_t kKeyspacesMax = 6;

// The row after a restore; nothing when it is dropped.
std::optional<ModelRow> Restored(ModelRow row, Millis passed, WallTime now,
                                 const RestoreOptions& options) {
  if (row.deadline) {
    switch (options.mode) {
      case RestoreMode::kHonour: break;
      case RestoreMode::kFreeze: *row.deadline += passed; break;
      case RestoreMode::kShift: *row.deadline += options.shift; break;
      case RestoreMode::kStrip: row.deadline.reset(); break;
    }
  }
  return IsAlive(row, now) ? std::optional(row) : std::nullopt;
}

// The same for the past: a row that was dead at the backup leaves only its timestamp.
ModelPast Restored(const ModelPast& past, WallTime then, WallTime now,
                   const RestoreOptions& options) {
  ModelPast restored;
  for (const auto& [key, words] : past) {
    ModelWords kept;
    for (const auto& [timestamp, word] : *words) {
      const bool alive = word && IsAlive(*word, then);
      kept[timestamp] = alive ? Restored(*word, now - then, now, options) : std::nullopt;
    }
    restored[key] = std::make_shared<const ModelWords>(std::move(kept));
  }
  return restored;
}

std::uint64_t DueRows(const ModelRows& stored, WallTime now) {
  return static_cast<std::uint64_t>(std::count_if(
      stored.begin(), stored.end(), [&](const auto& row) { return !IsAlive(row.second, now); }));
}

}  // namespace

void ModelPlayer::ObserveClock() {
  model_clock_.Read(clock_.Now(), clock_.Steady());
  model_.now = model_clock_.now;
  model_.may_delete = !model_clock_.stopped;
  const ClockReport report = database_->clock_report();
  ExpectSame("the time", ToMs(report.now), ToMs(model_.now));
  ExpectSame("the stop of deletion", report.physical_deletion_stopped, model_clock_.stopped);
}

void ModelPlayer::AdvanceClock() {
  // Returns to the right time, if it was set back.
  if (clock_.Now() < model_clock_.now && random_.OneIn(2)) clock_.Set(model_clock_.now);
  const std::uint64_t draw = random_.Below(200);
  Millis step(random_.Between(1, draw < 40 ? 40 : 6));
  if (draw < 3) step = minutes(random_.Between(1, 300));
  if (draw == 199) step = hours(random_.Between(13, 200));  // Long, but steady time passes as well.
  Record(fmt::format("the clock goes on by {} ms", step.count()));
  clock_.Advance(step);
  ObserveClock();
}

void ModelPlayer::MishandleClock() {
  const std::uint64_t draw = random_.Below(10);
  Millis step(-static_cast<std::int64_t>(random_.Between(1, 200)));
  if (draw < 3) step = -minutes(random_.Between(1, 100));
  // Suspicious, but within the limit; a second one may not be.
  if (draw > 7) step = minutes(random_.Between(1, 600));
  if (draw == 9) step = hours(random_.Between(13, 300));
  Record(fmt::format("somebody moves the clock by {} ms", step.count()));
  clock_.Set(clock_.Now() + step);
  ObserveClock();
}

void ModelPlayer::ConfirmClock() {
  Record("confirm the clock");
  const bool allowed = model_clock_.Confirm(clock_.Now());
  ExpectCode("the confirmation", database_->ConfirmClock(),
             allowed ? StatusCode::kOk : StatusCode::kInvalid);
  ObserveClock();
}

void ModelPlayer::Purge() {
  PurgeOptions options{.rows_max = random_.OneIn(2) ? random_.Between(1, 100) : UINT64_MAX};
  const std::string only = inputs_.ExistingKeyspace();
  if (random_.OneIn(3)) options.keyspace = &Handle(only);
  Record(fmt::format("purge at most {} rows of {}", options.rows_max,
                     options.keyspace != nullptr ? only : "all"));
  const std::size_t told = delivered_.size();
  const auto report = database_->Purge(options);
  race_->work = nullptr;  // It may not have run.
  if (!report) return Differ("the purge gave " + report.status().ToString());
  ExpectSame("the stop by the clock", report->stopped_by_clock, !model_.may_delete);
  ExpectSame("the number of purged rows", report->rows, FollowPurge(told));
  ExpectSame<std::uint64_t>("the number of stale entries", report->stale_entries, 0);
  std::uint64_t due = 0;
  for (const auto& [name, keyspace] : model_.keyspaces) {
    const bool in_scope = options.keyspace == nullptr || name == only;
    if (in_scope && model_.may_delete) due += DueRows(keyspace.stored, model_.now);
  }
  // Versions count as well. The model does not know how many are stored; they alone may be left.
  const bool at_bound = report->rows + report->versions == options.rows_max;
  ExpectSame("whether more is due", report->more_due, due > 0 || (at_bound && report->more_due));
  if (report->more_due) ExpectSame("what the bound lets through", at_bound, true);
}

// The database chooses whose turn it is, which events and the rows left show; the model knows which
// row is purged then, and its event. Returns how many were purged.
std::uint64_t ModelPlayer::FollowPurge(std::size_t told) {
  std::uint64_t rows = 0;
  const auto follow = [&](const std::string& keyspace) {
    if (!model_.keyspaces.contains(keyspace) || !model_.PurgeNext(keyspace)) {
      Differ("the purge removed more rows of " + keyspace + " than were due");
    }
    ++rows;
  };
  for (std::size_t i = told; i < delivered_.size() && !differs(); ++i) {
    if (delivered_[i].cause == EventCause::kPurged) follow(delivered_[i].keyspace_name);
  }
  const auto left = database_->GetStatistics();
  if (!left) Differ("statistics gave " + left.status().ToString());
  for (std::size_t i = 0; !differs() && i < left->keyspaces.size(); ++i) {
    const auto& [name, keyspace] = *model_.keyspaces.find(left->keyspaces[i].name);
    if (keyspace.policy.events != EventDetail::kOff) continue;
    while (keyspace.stored.size() > left->keyspaces[i].rows && !differs()) follow(name);
  }
  return rows;
}

void ModelPlayer::Reclaim() {
  const ReclaimOptions options{.dead_percent = static_cast<std::uint32_t>(random_.Between(1, 100)),
                               .everything = random_.OneIn(2)};
  // Open states hold removals back. Sometimes none is open.
  const bool alone = random_.OneIn(2);
  if (alone) {
    cursors_.clear();
    transactions_.clear();
    snapshots_.clear();
  }
  Record(fmt::format("reclaim{}{}", options.everything ? " everything" : "",
                     alone ? ", with nothing open" : ""));
  const auto report = database_->Reclaim(options);
  if (!report) return Differ("it gave " + report.status().ToString());
  ExpectSame("the stop by the clock", report->stopped_by_clock, !model_.may_delete);
  if (options.everything) model_.Purge();
  // A compaction of the engine's own may be, where there are files.
  if (alone && !subject_.persistent) {
    ExpectSame("what is in the way", report->held_up, false);
  }
  for (std::size_t i = 0; i < snapshots_.size() && !differs(); ++i) VerifySnapshot();
  // Drops at once what may be dropped, where that is cheap.
  if (subject_.persistent && !random_.OneIn(4)) return;
  for (const engine::Role role :
       {engine::Role::kRows, engine::Role::kMembers, engine::Role::kExpiry}) {
    ExpectCode("the compaction", engine_->Compact(role), StatusCode::kOk);
  }
}

// The engine does this by itself at any moment.
void ModelPlayer::CompactEngine() {
  constexpr engine::Role kRoles[] = {engine::Role::kRows, engine::Role::kMembers,
                                     engine::Role::kExpiry};
  const engine::Role role = kRoles[random_.Below(3)];
  if (random_.OneIn(3)) {
    Record("flush");
    return ExpectCode("the flush", engine_->Flush(), StatusCode::kOk);
  }
  Record(fmt::format("compact {}", RoleName(role)));
  ExpectCode("the compaction", engine_->Compact(role), StatusCode::kOk);
  for (std::size_t i = 0; i < snapshots_.size() && !differs(); ++i) VerifySnapshot();
}

void ModelPlayer::PurgeWhileSomebodyWrites() {
  const std::string keyspace = inputs_.ExistingKeyspace();
  const ModelRows& stored = model_.keyspaces.at(keyspace).stored;
  WriteCall call = inputs_.Write(stored, model_.keyspaces.at(keyspace).policy);
  // Mostly to a row that the purge has found.
  const auto dead = std::find_if(stored.begin(), stored.end(), [this](const auto& row) {
    return !IsAlive(row.second, model_.now);
  });
  if (dead != stored.end() && !random_.OneIn(4)) call.key = dead->first;
  Record(fmt::format("while a purge looks, {}: {}", keyspace, Describe(call)));
  race_->work = [&] {
    const WriteAnswer found = Perform(call, Handle(keyspace));
    ExpectSame("the write", Describe(found), Describe(model_.Write(keyspace, call)));
  };
  Purge();
}

void ModelPlayer::ReadEvents() {
  const std::uint64_t first = model_.events.empty() ? 0 : model_.events.front().sequence;
  const std::uint64_t after =
      random_.OneIn(2) ? 0 : first + random_.Below(model_.last_sequence - first + 2);
  const std::size_t events_max = random_.Between(1, 200);
  Record(fmt::format("read {} events after {}", events_max, after));
  const auto events = database_->ReadEvents(after, events_max);
  if (!events) return Differ("it gave " + events.status().ToString());
  std::size_t i = 0;
  for (Event expected : model_.events) {
    if (expected.sequence <= after || i == events_max || differs()) continue;
    const std::string* const name = model_.NameOf(expected.keyspace);
    expected.keyspace_name = name != nullptr ? *name : "";
    ExpectSame("the event", i < events->size() ? Describe((*events)[i]) : "missing",
               Describe(expected));
    ++i;
  }
  ExpectSame("the number of events", events->size(), i);
}

void ModelPlayer::TrimEvents() {
  EventTrim trim;
  if (random_.OneIn(3)) trim.through_sequence = random_.Below(model_.last_sequence + 10);
  if (random_.OneIn(3)) trim.older_than = Millis(random_.Below(2000));
  if (random_.OneIn(3)) trim.keep_newest = random_.Below(50);
  if (random_.OneIn(3)) trim.events_max = random_.Below(10);
  Record("trim events");
  const auto trimmed = database_->TrimEvents(trim);
  ExpectCode("the trim", trimmed.status(), StatusCode::kOk);
  ExpectSame("the number of trimmed events", trimmed.value_or(0), model_.Trim(trim));
}

void ModelPlayer::CreateKeyspace() {
  const std::string name = fmt::format("keyspace{}", random_.Below(kKeyspacesMax));
  const KeyspacePolicy policy = inputs_.Policy();
  Record("create " + name);
  auto made = database_->CreateKeyspace(name, policy);
  if (!made) {
    // The name is taken, or the policy invalid, which the database may judge.
    ExpectCode("creating it", made.status(), StatusCode::kInvalid);
    return;
  }
  ExpectSame("its absence before", model_.keyspaces.contains(name), false);
  ExpectSame("its policy", (*made)->policy() == policy, true);
  model_.Create(name, policy);
  handles_[name] = *std::move(made);
}

void ModelPlayer::DropKeyspace() {
  const std::string name = inputs_.ExistingKeyspace();
  Record("drop " + name);
  const bool allowed = name != "default";
  ExpectCode("the drop", database_->DropKeyspace(name),
             allowed ? StatusCode::kOk : StatusCode::kInvalid);
  if (!allowed) return;
  ExpectCode("a read of what was dropped", Handle(name).Get("a").status(), StatusCode::kInvalid);
  ExpectCode("a write to what was dropped", Handle(name).Put("a", ""), StatusCode::kInvalid);
  model_.keyspaces.erase(name);
  handles_.erase(name);
}

void ModelPlayer::ClearKeyspace() {
  const std::string name = inputs_.ExistingKeyspace();
  Record("clear " + name);
  ExpectCode("the clear", Handle(name).Clear(), StatusCode::kOk);
  static_cast<ModelState&>(model_.keyspaces.at(name)) = {};
}

void ModelPlayer::SetPolicy() {
  const std::string name = inputs_.ExistingKeyspace();
  const KeyspacePolicy& old = model_.keyspaces.at(name).policy;
  KeyspacePolicy policy = inputs_.Policy();
  const bool other_order = policy.order != old.order;
  if (!other_order || !random_.OneIn(4)) {
    // The history stays: the past before a change may be lost already. Timestamps may be held
    // closer to the clock.
    policy.order = old.order;
    policy.history = old.history;
    policy.late_max = old.late_max;
    if (policy.late_max && random_.OneIn(4)) policy.late_max = (*policy.late_max + Millis(1)) / 2;
  }
  Record("another policy for " + name);
  const Status set = Handle(name).SetPolicy(policy);
  if (!set.ok()) return ExpectCode("setting it", set, StatusCode::kInvalid);
  ExpectSame("its order", policy.order == old.order, true);
  model_.keyspaces.at(name).policy = policy;
}

void ModelPlayer::Check() {
  Record("check");
  ExpectClean(*database_);
}

void ModelPlayer::ExpectClean(Database& database) {
  const auto report = database.Check();
  if (!report) return Differ("the check gave " + report.status().ToString());
  if (report->clean()) return;
  Differ("the check found: " + (report->findings.empty() ? "?" : report->findings.front()));
}

void ModelPlayer::CompareStatistics() {
  Record("statistics");
  const auto found = database_->GetStatistics();
  if (!found) return Differ("it gave " + found.status().ToString());
  ExpectSame("the count of purged rows", found->purged_rows, model_.statistics.purged_rows);
  ExpectSame("the count of rows purged by reads", found->purged_by_reads,
             model_.statistics.purged_by_reads);
  ExpectSame("the count of clamped lifetimes", found->clamped_lifetimes,
             model_.statistics.clamped_lifetimes);
  ExpectSame("the count of conflicts", found->conflicts, model_.statistics.conflicts);
  ExpectSame<std::uint64_t>("the count of stale entries", found->stale_entries, 0);
  ExpectSame("the first event", found->events_first,
             model_.events.empty() ? 0 : model_.events.front().sequence);
  ExpectSame("the last event", found->events_last,
             model_.events.empty() ? 0 : model_.events.back().sequence);
  ExpectSame("the number of keyspaces", found->keyspaces.size(), model_.keyspaces.size());
  auto one = found->keyspaces.begin();
  for (const auto& [name, keyspace] : model_.keyspaces) {
    if (differs()) return;
    std::uint64_t mortal = 0;
    std::uint64_t due = 0;
    Millis lag(0);
    for (const auto& [key, row] : keyspace.stored) {
      mortal += row.deadline.has_value();
      if (IsAlive(row, model_.now)) continue;
      ++due;
      lag = std::max(lag, model_.now - *row.deadline);
    }
    ExpectSame("the keyspace's name", one->name, name);
    ExpectSame<std::uint64_t>("the rows of " + name, one->rows, keyspace.stored.size());
    ExpectSame("the mortal rows of " + name, one->mortal_rows, mortal);
    ExpectSame("the due rows of " + name, one->due_rows, due);
    ExpectSame("the lag of " + name, one->lag.count(), lag.count());
    ++one;
  }
}

void ModelPlayer::CompareEverything() {
  Record("compare everything");
  for (const auto& [name, keyspace] : model_.keyspaces) {
    CompareRows(Handle(name), Living(keyspace.stored, model_.now), name);
    if (!keyspace.by_timestamp()) continue;
    for (const WallTime as_of : {model_.now - keyspace.policy.history, model_.now,
                                 inputs_.AsOf(keyspace.policy, model_.now)}) {
      if (as_of < model_.now - keyspace.policy.history) continue;
      ComparePast(Handle(name), keyspace.past, as_of, model_.now, name);
    }
  }
  CompareStatistics();
}

void ModelPlayer::BackupAndRestore() {
  const std::string file = directory_.Inside("backup");
  RestoreOptions options{.mode = static_cast<RestoreMode>(random_.Below(4))};
  if (options.mode == RestoreMode::kShift) {
    options.shift = Millis(static_cast<std::int64_t>(random_.Below(120)) - 60);
  }
  const Millis passed(static_cast<std::int64_t>(random_.Below(100)) - 20);
  Record(fmt::format("backup, and restore {} ms later, mode {}", passed.count(),
                     static_cast<int>(options.mode)));
  const auto backup = database_->Backup(file);
  if (!backup) return Differ("the backup gave " + backup.status().ToString());
  ExpectSame("the time of the backup", ToMs(backup->taken_at), ToMs(model_.now));
  ExpectCode("a backup over it", database_->Backup(file).status(), StatusCode::kInvalid);
  const ManualClock later(model_.now + passed);
  const auto restored = NewDatabase(engine::NewMemoryEngine(), {.clock = &later});
  if (!restored) return Differ("no database: " + restored.status().ToString());
  const auto report = (*restored)->Restore(file, options);
  if (!report) return Differ("the restore gave " + report.status().ToString());
  CompareRestored(**restored, later.Now(), options, *report);
  ExpectClean(**restored);
  std::filesystem::remove(file);
}

void ModelPlayer::CompareRestored(Database& restored, WallTime now, const RestoreOptions& options,
                                  const RestoreReport& report) {
  RestoreReport expected{.keyspaces = model_.keyspaces.size()};
  for (const auto& [name, keyspace] : model_.keyspaces) {
    const auto handle = restored.OpenKeyspace(name);
    if (!handle) return Differ("no keyspace: " + handle.status().ToString());
    ExpectSame("the policy of " + name, (*handle)->policy() == keyspace.policy, true);
    ModelRows rows;
    for (const auto& [key, row] : Living(keyspace.stored, model_.now)) {
      const auto kept = Restored(row, now - model_.now, now, options);
      if (kept) rows[key] = *kept;
      ++(kept ? expected.rows : expected.dropped_rows);
    }
    CompareRows(**handle, rows, "the restored " + name);
    if (!keyspace.by_timestamp()) continue;
    // Versions that could not be read any more are not in the backup.
    const WallTime as_of = std::max(now, model_.now) - keyspace.policy.history;
    ComparePast(**handle, Restored(keyspace.past, model_.now, now, options), as_of, now,
                "the restored " + name);
  }
  ExpectSame("the number of restored keyspaces", report.keyspaces, expected.keyspaces);
  ExpectSame("the number of restored rows", report.rows, expected.rows);
  ExpectSame("the number of dropped rows", report.dropped_rows, expected.dropped_rows);
}

void ModelPlayer::Reopen() {
  if (!subject_.persistent) return;
  Record("reopen");
  if (!transactions_.empty() || !snapshots_.empty() || !cursors_.empty()) {
    ExpectCode("closing while handles are open", database_->Close(), StatusCode::kBusy);
  }
  cursors_.clear();
  transactions_.clear();
  snapshots_.clear();
  ExpectCode("closing", database_->Close(), StatusCode::kOk);
  ExpectCode("a read after closing", Handle("default").Get("a").status(), StatusCode::kInvalid);
  subscription_.reset();
  handles_.clear();
  database_.reset();
  const std::uint64_t draw = random_.Below(10);
  if (draw < 2) clock_.Set(clock_.Now() - Millis(random_.Between(1, 3000)));
  if (draw == 2) clock_.Advance(minutes(random_.Between(1, 100)));
  if (draw == 3) clock_.Advance(hours(random_.Between(13, 30)));
  model_.statistics = {};
  Open();
  if (differs()) return;
  Check();
  CompareEverything();
}

}  // namespace mayfly::core::suite

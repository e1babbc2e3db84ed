// Implements checks, backups and statistics of c.h.
#include <fmt/format.h>

#include "capi/handles.h"
#include "capi/memory.h"
#include "capi/structs.h"

namespace mayfly::capi {
namespace {

static_assert(static_cast<int>(RestoreMode::kStrip) == MAYFLY_RESTORE_STRIP);

// Checks the out parameters of a list: both may be null.
Status PrepareList(const void* list, std::size_t* count) {
  if ((list == nullptr) == (count == nullptr)) return {};
  return Status::Invalid("a list and its count go together; pass both or neither");
}

char** CopyStrings(const std::vector<std::string>& strings) {
  std::size_t bytes = 0;
  for (const std::string& one : strings) bytes += one.size();
  Block<char*> block(strings.size(), bytes, strings.size());
  for (std::size_t i = 0; i < strings.size(); ++i) block[i] = block.Add(strings[i]);
  return block.Release();
}

mayfly_keyspace_statistics* CopyKeyspaces(const std::vector<KeyspaceStatistics>& keyspaces) {
  std::size_t bytes = 0;
  for (const KeyspaceStatistics& one : keyspaces) bytes += one.name.size();
  Block<mayfly_keyspace_statistics> block(keyspaces.size(), bytes, keyspaces.size());
  for (std::size_t i = 0; i < keyspaces.size(); ++i) {
    const KeyspaceStatistics& one = keyspaces[i];
    block[i] = {block.Add(one.name),     one.rows,
                one.mortal_rows,         one.due_rows,
                one.lag.count(),         one.purge_within ? one.purge_within->count() : 0,
                ToMs(one.purged_through)};
  }
  return block.Release();
}

}  // namespace
}  // namespace mayfly::capi

using namespace mayfly;        // NOLINT(google-build-using-namespace): this file is their C side.
using namespace mayfly::capi;  // NOLINT(google-build-using-namespace)

int mayfly_check(mayfly_database* database, const mayfly_check_options* options,
                 mayfly_check_report* report, char*** findings, size_t* findings_count) noexcept {
  return Guard([&]() -> Status {
    MAYFLY_RETURN_IF_ERROR(Need(database, "the database"));
    MAYFLY_RETURN_IF_ERROR(CheckFillable(report, false, "the report"));
    MAYFLY_RETURN_IF_ERROR(PrepareList(findings, findings_count));
    if (findings != nullptr) *findings = nullptr;
    MAYFLY_TRY(const mayfly_check_options asked, TakeStruct(options, "the check's options"));
    MAYFLY_TRY(const CheckReport found, (*database)->Check({.repair = asked.repair}));
    if (findings != nullptr) {
      *findings = CopyStrings(found.findings);
      *findings_count = found.findings.size();
    }
    Fill(report, mayfly_check_report{.size = 0,
                                     .rows = found.rows,
                                     .entries = found.entries,
                                     .missing_entries = found.missing_entries,
                                     .stale_entries = found.stale_entries,
                                     .wrong_counts = found.wrong_counts,
                                     .unreadable_rows = found.unreadable_rows,
                                     .repaired = found.repaired,
                                     .clean = found.clean(),
                                     .versions = found.versions,
                                     .stray_versions = found.stray_versions,
                                     .members = found.members,
                                     .stray_members = found.stray_members});
    return {};
  });
}

int mayfly_prove(mayfly_database* database, const void* find, size_t find_size, bool* kept,
                 size_t* traces, char*** words, size_t* words_count) noexcept {
  return Guard([&]() -> Status {
    MAYFLY_RETURN_IF_ERROR(Need(database, "the database"));
    MAYFLY_RETURN_IF_ERROR(PrepareList(words, words_count));
    if (words != nullptr) *words = nullptr;
    Bytes wanted;
    MAYFLY_RETURN_IF_ERROR(TakeBytes(find, find_size, "what to find", wanted));
    MAYFLY_TRY(const Proof proof, (*database)->Prove({.find = std::string(wanted)}));
    if (kept != nullptr) *kept = proof.kept();
    if (traces != nullptr) *traces = proof.traces.size();
    if (words == nullptr) return {};
    std::vector<std::string> told;
    for (const ProofHolder& holder : proof.holders) told.push_back(holder.description);
    for (const ProofTrace& trace : proof.traces) {
      told.push_back(fmt::format("found in {}: {}", trace.where, trace.what));
    }
    *words = CopyStrings(told);
    *words_count = told.size();
    return {};
  });
}

int mayfly_backup(mayfly_database* database, const char* file,
                  mayfly_backup_report* report) noexcept {
  return Guard([&]() -> Status {
    MAYFLY_RETURN_IF_ERROR(Need(database, "the database"));
    MAYFLY_RETURN_IF_ERROR(Need(file, "the file's name"));
    MAYFLY_RETURN_IF_ERROR(CheckFillable(report, true, "the report"));
    MAYFLY_TRY(const BackupReport done, (*database)->Backup(file));
    Fill(report, mayfly_backup_report{.size = 0,
                                      .keyspaces = done.keyspaces,
                                      .rows = done.rows,
                                      .bytes = done.bytes,
                                      .taken_at_ms = ToMs(done.taken_at),
                                      .lost_rows = done.lost_rows,
                                      .lost_members = done.lost_members});
    return {};
  });
}

int mayfly_restore(mayfly_database* database, const char* file,
                   const mayfly_restore_options* options, mayfly_restore_report* report) noexcept {
  return Guard([&]() -> Status {
    MAYFLY_RETURN_IF_ERROR(Need(database, "the database"));
    MAYFLY_RETURN_IF_ERROR(Need(file, "the file's name"));
    MAYFLY_RETURN_IF_ERROR(CheckFillable(report, true, "the report"));
    MAYFLY_TRY(const mayfly_restore_options asked, TakeStruct(options, "the restore's options"));
    if (asked.mode < MAYFLY_RESTORE_HONOUR || asked.mode > MAYFLY_RESTORE_STRIP) {
      return Status::Invalid(fmt::format("unknown mode {} of a restore", asked.mode));
    }
    RestoreOptions wanted{.mode = static_cast<RestoreMode>(asked.mode),
                          .shift = Millis(asked.shift_ms)};
    MAYFLY_RETURN_IF_ERROR(
        TakeBytes(asked.password, asked.password_size, "the password", wanted.password));
    MAYFLY_TRY(const RestoreReport done, (*database)->Restore(file, wanted));
    Fill(report, mayfly_restore_report{.size = 0,
                                       .keyspaces = done.keyspaces,
                                       .rows = done.rows,
                                       .dropped_rows = done.dropped_rows,
                                       .lost_collections = done.lost_collections});
    return {};
  });
}

int mayfly_get_statistics(mayfly_database* database, mayfly_statistics* statistics,
                          mayfly_keyspace_statistics** keyspaces,
                          size_t* keyspaces_count) noexcept {
  return Guard([&]() -> Status {
    MAYFLY_RETURN_IF_ERROR(Need(database, "the database"));
    MAYFLY_RETURN_IF_ERROR(CheckFillable(statistics, false, "the statistics"));
    MAYFLY_RETURN_IF_ERROR(PrepareList(keyspaces, keyspaces_count));
    if (keyspaces != nullptr) *keyspaces = nullptr;
    MAYFLY_TRY(const Statistics found, (*database)->GetStatistics());
    if (keyspaces != nullptr) {
      *keyspaces = CopyKeyspaces(found.keyspaces);
      *keyspaces_count = found.keyspaces.size();
    }
    Fill(statistics, mayfly_statistics{.size = 0,
                                       .purged_rows = found.purged_rows,
                                       .purged_by_reads = found.purged_by_reads,
                                       .stale_entries = found.stale_entries,
                                       .clamped_lifetimes = found.clamped_lifetimes,
                                       .conflicts = found.conflicts,
                                       .events_first = found.events_first,
                                       .events_last = found.events_last,
                                       .disk_bytes = found.disk_bytes,
                                       .memory_bytes = found.memory_bytes,
                                       .open_snapshots = found.open_snapshots,
                                       .purged_members = found.purged_members,
                                       .removed_collections = found.removed_collections,
                                       .revoked_states = found.revoked_states,
                                       .files_dropped = found.files_dropped,
                                       .files_rewritten = found.files_rewritten,
                                       .bytes_rewritten = found.bytes_rewritten,
                                       .damage_seen = found.damage_seen,
                                       .disk_full = found.disk_full,
                                       .last_commit = found.last_commit});
    return {};
  });
}

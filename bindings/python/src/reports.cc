#include "reports.h"

#include <pybind11/stl.h>

#include "values.h"

namespace mayfly::python {

namespace py = pybind11;
using py::literals::operator""_a;

namespace {

py::dict KeyspaceToDict(const KeyspaceStatistics& each) {
  return py::dict("name"_a = each.name, "rows"_a = each.rows, "mortal_rows"_a = each.mortal_rows,
                  "due_rows"_a = each.due_rows, "lag"_a = ToSeconds(each.lag),
                  "due_members"_a = each.due_members, "orphans"_a = each.orphans,
                  "purge_within"_a = ToSeconds(each.purge_within),
                  "purged_through"_a = ToDatetime(each.purged_through),
                  "promise_overdue"_a = ToSeconds(each.promise_overdue));
}

py::dict FileToDict(const ProofFile& file) {
  return py::dict("role"_a = file.role, "name"_a = file.name, "level"_a = file.level,
                  "bytes"_a = file.bytes, "first_deadline"_a = ToDatetime(file.first_deadline),
                  "last_deadline"_a = ToDatetime(file.last_deadline),
                  "mortal_bytes"_a = file.mortal_bytes, "immortal_bytes"_a = file.immortal_bytes,
                  "dead_bytes"_a = file.dead_bytes, "tombstones"_a = file.tombstones);
}

py::dict KeyspaceToDict(const KeyspaceProof& each) {
  py::list files;
  for (const ProofFile& file : each.files) files.append(FileToDict(file));
  return py::dict("name"_a = each.name, "purge_within"_a = ToSeconds(each.purge_within),
                  "purged_through"_a = ToDatetime(each.purged_through),
                  "purged_rows_through"_a = ToDatetime(each.purged_rows_through),
                  "rows"_a = each.rows, "due_rows"_a = each.due_rows, "kept"_a = each.kept,
                  "files"_a = files);
}

using Kind = ProofHolder::Kind;
constexpr std::initializer_list<std::pair<const char*, Kind>> kKinds = {
    {"snapshot", Kind::kSnapshot}, {"transaction", Kind::kTransaction},
    {"cursor", Kind::kCursor},     {"backup", Kind::kBackup},
    {"clock", Kind::kClock},       {"backlog", Kind::kBacklog},
    {"reader", Kind::kReader}};

}  // namespace

py::dict ToDict(const PurgeReport& report) {
  return py::dict("rows"_a = report.rows, "versions"_a = report.versions,
                  "members"_a = report.members, "leftovers"_a = report.leftovers,
                  "stale_entries"_a = report.stale_entries, "more_due"_a = report.more_due,
                  "stopped_by_clock"_a = report.stopped_by_clock);
}

py::dict ToDict(const ReclaimReport& report) {
  return py::dict("files_dropped"_a = report.files_dropped,
                  "files_rewritten"_a = report.files_rewritten,
                  "bytes_rewritten"_a = report.bytes_rewritten, "held_up"_a = report.held_up,
                  "stopped_by_clock"_a = report.stopped_by_clock);
}

py::dict ToDict(const CheckReport& report) {
  return py::dict("clean"_a = report.clean(), "rows"_a = report.rows, "entries"_a = report.entries,
                  "missing_entries"_a = report.missing_entries,
                  "stale_entries"_a = report.stale_entries, "wrong_counts"_a = report.wrong_counts,
                  "unreadable_rows"_a = report.unreadable_rows, "versions"_a = report.versions,
                  "stray_versions"_a = report.stray_versions, "members"_a = report.members,
                  "stray_members"_a = report.stray_members, "repaired"_a = report.repaired,
                  "findings"_a = report.findings);
}

py::dict ToDict(const BackupReport& report) {
  return py::dict("keyspaces"_a = report.keyspaces, "rows"_a = report.rows,
                  "bytes"_a = report.bytes, "taken_at"_a = ToDatetime(report.taken_at),
                  "lost_rows"_a = report.lost_rows, "lost_members"_a = report.lost_members);
}

py::dict ToDict(const RestoreReport& report) {
  return py::dict("keyspaces"_a = report.keyspaces, "rows"_a = report.rows,
                  "dropped_rows"_a = report.dropped_rows,
                  "lost_collections"_a = report.lost_collections);
}

py::dict ToDict(const ClockReport& report) {
  return py::dict("now"_a = ToDatetime(report.now), "machine"_a = ToDatetime(report.machine),
                  "steps_back"_a = report.steps_back, "jumps_forward"_a = report.jumps_forward,
                  "physical_deletion_stopped"_a = report.physical_deletion_stopped,
                  "last_jump"_a = ToSeconds(report.last_jump),
                  "without_jump"_a = ToDatetime(report.without_jump));
}

py::dict ToDict(const Statistics& all) {
  py::list keyspaces;
  for (const KeyspaceStatistics& each : all.keyspaces) keyspaces.append(KeyspaceToDict(each));
  return py::dict("keyspaces"_a = keyspaces, "purged_rows"_a = all.purged_rows,
                  "purged_by_reads"_a = all.purged_by_reads,
                  "purged_members"_a = all.purged_members,
                  "clamped_lifetimes"_a = all.clamped_lifetimes, "conflicts"_a = all.conflicts,
                  "events_first"_a = all.events_first, "events_last"_a = all.events_last,
                  "disk_bytes"_a = all.disk_bytes, "memory_bytes"_a = all.memory_bytes,
                  "open_snapshots"_a = all.open_snapshots, "revoked_states"_a = all.revoked_states,
                  "files_dropped"_a = all.files_dropped, "files_rewritten"_a = all.files_rewritten,
                  "bytes_rewritten"_a = all.bytes_rewritten, "damage_seen"_a = all.damage_seen,
                  "first_damage"_a = all.first_damage, "given_up"_a = all.given_up,
                  "disk_full"_a = all.disk_full, "last_commit"_a = all.last_commit,
                  "clock"_a = ToDict(all.clock));
}

py::dict ToDict(const Proof& proof) {
  py::list keyspaces;
  for (const KeyspaceProof& each : proof.keyspaces) keyspaces.append(KeyspaceToDict(each));
  py::list holders;
  for (const ProofHolder& holder : proof.holders) {
    holders.append(py::dict("kind"_a = NameOf(holder.kind, kKinds),
                            "since"_a = ToDatetime(holder.since),
                            "description"_a = holder.description));
  }
  py::list traces;
  for (const ProofTrace& trace : proof.traces) {
    traces.append(py::dict("where"_a = trace.where, "what"_a = trace.what));
  }
  return py::dict("taken_at"_a = ToDatetime(proof.taken_at), "kept"_a = proof.kept(),
                  "keyspaces"_a = keyspaces, "holders"_a = holders, "traces"_a = traces);
}

}  // namespace mayfly::python

#include "engine/engine.h"

#include <fmt/format.h>

#include "base/check.h"
#include "base/printable.h"

namespace mayfly::engine {

Engine::Engine(std::string name, Capabilities capabilities)
    : name_(std::move(name)), capabilities_(capabilities) {}

Status Engine::MultiGet(std::span<Lookup> lookups, const Snapshot* snapshot) const {
  MAYFLY_RETURN_IF_ERROR(CheckOpen());
  if (lookups.size() > kLookupsMax) {
    return Status::Invalid(fmt::format("{} keys in one MultiGet; the limit is {}, ask in parts",
                                       lookups.size(), kLookupsMax));
  }
  std::vector<Lookup*> good;
  good.reserve(lookups.size());
  for (Lookup& lookup : lookups) {
    lookup.status = CheckAddress(lookup.at);
    if (lookup.status.ok()) lookup.status = CheckKey(lookup.key);
    if (lookup.status.ok()) {
      good.push_back(&lookup);
    } else {
      lookup.value.Reset();
    }
  }
  if (!good.empty()) DoMultiGet(good, snapshot);
  for (const Lookup& lookup : lookups) {
    if (!lookup.status.ok() && !lookup.status.IsNotFound()) return lookup.status;
  }
  return {};
}

Result<std::unique_ptr<Cursor>> Engine::NewCursor(Address at, const CursorOptions& options) const {
  MAYFLY_RETURN_IF_ERROR(CheckOpen());
  MAYFLY_RETURN_IF_ERROR(CheckAddress(at));
  MAYFLY_RETURN_IF_ERROR(CheckRange(options.range));
  return DoNewCursor(at, options);
}

Result<std::unique_ptr<Snapshot>> Engine::NewSnapshot() const {
  MAYFLY_RETURN_IF_ERROR(CheckOpen());
  return DoNewSnapshot();
}

Result<std::uint64_t> Engine::Refresh() const {
  MAYFLY_RETURN_IF_ERROR(CheckOpen());
  return DoRefresh();
}

Status Engine::Commit(const Batch& batch, Durability durability) {
  MAYFLY_RETURN_IF_ERROR(CheckOpen());
  MAYFLY_RETURN_IF_ERROR(CheckWritable());
  MAYFLY_RETURN_IF_ERROR(batch.status());
  if (batch.empty()) return {};
  if (batch.spans_slots() && !capabilities_.atomic_across_slots) {
    return Status::CrossSlot(fmt::format(
        "{} is atomic within one slot and this batch spans several; give the keys one {{hash tag}} "
        "or commit a batch per slot",
        name_));
  }
  return DoCommit(batch, durability);
}

Status Engine::Sync(Durability durability) {
  MAYFLY_RETURN_IF_ERROR(CheckOpen());
  MAYFLY_RETURN_IF_ERROR(CheckWritable());
  return DoSync(durability);
}

Status Engine::Compact(Role role, const KeyRange& range) {
  MAYFLY_RETURN_IF_ERROR(CheckOpen());
  MAYFLY_RETURN_IF_ERROR(CheckWritable());
  MAYFLY_RETURN_IF_ERROR(CheckAddress({.role = role}));
  MAYFLY_RETURN_IF_ERROR(CheckRange(range));
  return DoCompact(role, range);
}

Result<bool> Engine::CompactFile(Role role, const std::string& name,
                                 std::uint64_t bytes_per_second) {
  MAYFLY_RETURN_IF_ERROR(CheckOpen());
  MAYFLY_RETURN_IF_ERROR(CheckWritable());
  MAYFLY_RETURN_IF_ERROR(CheckAddress({.role = role}));
  return DoCompactFile(role, name, bytes_per_second);
}

Result<bool> Engine::DropFile(Role role, const std::string& name) {
  MAYFLY_RETURN_IF_ERROR(CheckOpen());
  MAYFLY_RETURN_IF_ERROR(CheckWritable());
  MAYFLY_RETURN_IF_ERROR(CheckAddress({.role = role}));
  return DoDropFile(role, name);
}

Status Engine::Flush() {
  MAYFLY_RETURN_IF_ERROR(CheckOpen());
  MAYFLY_RETURN_IF_ERROR(CheckWritable());
  return DoFlush();
}

Result<std::vector<Trace>> Engine::Find(Bytes needle, std::size_t traces_max,
                                        const FindProgress& progress) const {
  MAYFLY_RETURN_IF_ERROR(CheckOpen());
  if (needle.empty()) {
    return Status::Invalid("no bytes to look for; every place holds nothing, name at least one");
  }
  if (traces_max == 0) {
    return Status::Invalid(
        "at most 0 traces asked for, which would look like none found; ask for "
        "at least one");
  }
  return DoFind(needle, traces_max, progress);
}

Result<std::vector<FileInfo>> Engine::Files(Role role) const {
  MAYFLY_RETURN_IF_ERROR(CheckOpen());
  MAYFLY_RETURN_IF_ERROR(CheckAddress({.role = role}));
  return DoFiles(role);
}

Result<EngineStats> Engine::Stats() const {
  MAYFLY_RETURN_IF_ERROR(CheckOpen());
  MAYFLY_TRY(EngineStats stats, DoStats());
  stats.open_snapshots = open_snapshots_.load();
  stats.open_cursors = open_cursors_.load();
  return stats;
}

Status Engine::Close() {
  if (closed_.load(std::memory_order_acquire) || !is_owner()) return {};
  const std::uint64_t snapshots = open_snapshots_.load();
  const std::uint64_t cursors = open_cursors_.load();
  if (snapshots + cursors > 0) {
    return Status::Busy(
        fmt::format("{} cannot close: {} snapshots and {} cursors are open; release them first",
                    name_, snapshots, cursors));
  }
  closed_.store(true, std::memory_order_release);
  return DoClose();
}

Status Engine::ConditionFailed(const Batch::Condition& condition) {
  return Status::Conflict(
      fmt::format("key '{}' in {} {}; read it again and retry", Printable(condition.key),
                  RoleName(condition.at.role),
                  condition.expected ? "no longer has the expected value" : "is no longer absent"));
}

Status Engine::CloseAtDestruction() {
  MAYFLY_CHECK(!is_owner() || open_snapshots_.load() + open_cursors_.load() == 0,
               "an engine was destroyed while snapshots or cursors of it were open");
  return Close();
}

Status Engine::RefuseGet(Address at, Bytes key) const {
  MAYFLY_RETURN_IF_ERROR(CheckOpen());
  MAYFLY_RETURN_IF_ERROR(CheckAddress(at));
  return CheckKey(key);
}

Status Engine::CheckWritable() const {
  if (capabilities_.writable) return {};
  return Status::ReadOnly(
      fmt::format("{} is open read-only; open it for writing to change it", name_));
}

Status Engine::Closed() const {
  if (!is_owner()) return OwnerProcess::Refusal();
  return Status::Invalid(fmt::format("{} is closed; open it again before using it", name_));
}

}  // namespace mayfly::engine

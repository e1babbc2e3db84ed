#include "engine/hot/reading_engine.h"

#include <string>

#include "engine/hot/merged_cursor.h"

namespace mayfly::engine::hot {
namespace {

const HotState& StateRead(const Snapshot& snapshot) {
  return static_cast<const HotSnapshot&>(snapshot).state();
}

Status ChangesNothing() { return Status::ReadOnly("a reader changes nothing"); }

}  // namespace

Status ReadingEngine::DoGet(Address at, Bytes key, PinnedBytes& value,
                            const Snapshot* snapshot) const {
  if (snapshot != nullptr) return StateRead(*snapshot).Get(at, key, value);
  // What memory knows is the newest; the rest needs one state of memory and the cold store.
  std::shared_ptr<const HotRows> present = rows();
  auto& copied = value.Hold<std::string>();
  const Presence presence = present->index.Get(at.role, key, copied);
  value.Show(presence == Presence::kValue ? Bytes(copied) : Bytes());
  if (presence == Presence::kValue) return {};
  if (presence == Presence::kDeleted) return Status::NotFound();
  return HotState(std::move(present)).Get(at, key, value);
}

void ReadingEngine::DoMultiGet(std::span<Lookup*> lookups, const Snapshot* snapshot) const {
  const HotState state = snapshot ? StateRead(*snapshot) : HotState(rows());
  for (Lookup* lookup : lookups) {
    lookup->status = state.Get(lookup->at, lookup->key, lookup->value);
  }
}

Result<std::unique_ptr<Cursor>> ReadingEngine::DoNewCursor(Address at,
                                                           const CursorOptions& options) const {
  const HotState state = options.snapshot ? StateRead(*options.snapshot) : HotState(rows());
  return std::make_unique<MergedCursor>(state.rows(), at, options, &state, open_cursors());
}

Result<std::unique_ptr<Snapshot>> ReadingEngine::DoNewSnapshot() const {
  return std::make_unique<HotSnapshot>(rows(), open_snapshots());
}

Status ReadingEngine::DoCommit(const Batch& /*batch*/, Durability /*durability*/) {
  return ChangesNothing();
}
Status ReadingEngine::DoSync(Durability /*durability*/) { return ChangesNothing(); }
Status ReadingEngine::DoCompact(Role /*role*/, const KeyRange& /*range*/) {
  return ChangesNothing();
}
Result<bool> ReadingEngine::DoCompactFile(Role /*role*/, const std::string& /*name*/,
                                          std::uint64_t /*bytes_per_second*/) {
  return ChangesNothing();
}
Result<bool> ReadingEngine::DoDropFile(Role /*role*/, const std::string& /*name*/) {
  return ChangesNothing();
}
Status ReadingEngine::DoFlush() { return ChangesNothing(); }

}  // namespace mayfly::engine::hot

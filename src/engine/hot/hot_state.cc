#include "engine/hot/hot_state.h"

namespace mayfly::engine::hot {

Status HotState::Get(Address at, Bytes key, PinnedBytes& value) const {
  auto& copied = value.Hold<std::string>();
  const Presence presence = rows_.index.Get(at.role, key, sequence_, copied);
  if (presence == Presence::kValue) {
    value.Show(copied);
    return {};
  }
  value.Show({});
  const auto is_resident = [&] {
    return was_resident_ && rows_.is_resident.load(std::memory_order_seq_cst);
  };
  if (presence == Presence::kDeleted || is_resident()) return Status::NotFound();
  if (rows_.ranges.Covers(at.role, key, view_->through(), sequence_)) return Status::NotFound();
  return view_->Get(at, key, value);
}

}  // namespace mayfly::engine::hot

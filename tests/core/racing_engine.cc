#include "tests/core/racing_engine.h"

namespace mayfly::core::suite {

Result<std::unique_ptr<engine::Cursor>> RacingEngine::DoNewCursor(
    engine::Address at, const engine::CursorOptions& options) const {
  const bool races = at.role == engine::Role::kExpiry && race_->work != nullptr;
  if (races) BeforeRace();
  MAYFLY_TRY(auto cursor, ForwardingEngine::DoNewCursor(at, options));
  if (!races) return cursor;
  std::exchange(race_->work, nullptr)();
  AfterRace();
  return cursor;
}

}  // namespace mayfly::core::suite

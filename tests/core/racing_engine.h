// racing_engine.h - an engine that runs a test's work at the one moment in which a purge could lose
// a row. A purge reads the expiry index in a frozen state, then removes what it found. Between the
// two other threads may write. This engine runs a given function there, on the same thread, so that
// a test on one thread can play the race and repeat it.
#pragma once

#include <functional>
#include <memory>

#include "tests/engine/forwarding_engine.h"

namespace mayfly::core::suite {

// Shared by the engine and the test that arms it.
struct Race {
  std::function<void()>
      work;  // Runs once, after the next walk over the expiry index froze its state.
};

class RacingEngine : public engine::suite::ForwardingEngine {
 public:
  RacingEngine(std::unique_ptr<engine::Engine> inner, std::shared_ptr<Race> race)
      : ForwardingEngine(std::move(inner)), race_(std::move(race)) {}

 protected:
  // Called around the work: for engines that are broken here.
  virtual void BeforeRace() const {}
  virtual void AfterRace() const {}

  Result<std::unique_ptr<engine::Cursor>> DoNewCursor(
      engine::Address at, const engine::CursorOptions& options) const override;

 private:
  const std::shared_ptr<Race> race_;
};

}  // namespace mayfly::core::suite

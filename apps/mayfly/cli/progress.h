// progress.h - a bar with rate and time left, on standard error of a terminal; silent elsewhere.
#pragma once

#include <cstdint>
#include <functional>
#include <string>

#include "mayfly/clock.h"

namespace mayfly::app {

class ProgressBar {
 public:
  enum class Unit : std::uint8_t { kRows, kBytes };

  ProgressBar(std::string title, Unit unit);
  ~ProgressBar();  // Removes the line.
  ProgressBar(const ProgressBar&) = delete;
  ProgressBar& operator=(const ProgressBar&) = delete;

  // Draws, at most ten times a second. `all` is a guess; 0: unknown. False: Ctrl-C.
  bool Report(std::uint64_t done, std::uint64_t all);

  // Report() as a function, valid while the bar lives.
  std::function<bool(std::uint64_t, std::uint64_t)> function() {
    return [this](std::uint64_t done, std::uint64_t all) { return Report(done, all); };
  }

 private:
  std::string Line(std::uint64_t done, std::uint64_t all, double seconds) const;
  std::string Amount(double amount) const;

  const std::string title_;
  const Unit unit_;
  const bool shown_;
  const SteadyTime began_;
  SteadyTime drawn_;
  bool has_line_ = false;
};

}  // namespace mayfly::app

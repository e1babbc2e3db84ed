// script_run.h - one run of a script, as those see it who want to stop it.
// A script that has written may not be stopped by clients, who could not tell what stays of it. So
// the first write and the wish to stop meet under one mutex, and whoever is first wins. What runs
// the script may abort it at any time, and then takes back what it wrote.
#pragma once

#include <atomic>
#include <cstdint>
#include <mutex>
#include <string>

namespace mayfly::server {

// Safe to call from any thread.
class ScriptRun {
 public:
  enum class Stop : std::uint8_t { kStopped, kHasWritten };

  // Asks the script to stop. `though_it_wrote`: for a server that goes away without saving.
  Stop RequestStop(bool though_it_wrote);

  // To be asked before the first change is made; false: it must not be made any more.
  [[nodiscard]] bool BeginWrite();

  // Ends it with this error line, whatever it does to catch it. The first reason counts.
  void Abort(std::string line);
  std::string stop_line() const;

  // It was stopped though it has written: what it wrote is to be taken back.
  bool half_done() const;

  bool stop_requested() const { return stop_requested_.load(std::memory_order_relaxed); }

 private:
  mutable std::mutex mutex_;
  bool has_written_ = false;  // Guarded by mutex_, as the next one.
  std::string stop_line_ = "ERR Script killed by user with SCRIPT KILL...";
  std::atomic<bool> stop_requested_ = false;  // Set under mutex_, looked at without it.
};

}  // namespace mayfly::server

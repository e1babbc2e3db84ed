// script_run.h - one run of a script, as seen by the threads that may stop it.
// Clients may not stop a script that has written, since they could not tell which of its writes
// stay. So the first write and the request to stop meet under one mutex, and the first wins. The
// thread that runs the script may abort it at any time, and then rolls it back.
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

  // Asks the script to stop. `though_it_wrote`: for a server that shuts down without saving.
  Stop RequestStop(bool though_it_wrote);

  // Call it before the first change; false: the script must not change anything any more.
  [[nodiscard]] bool BeginWrite();

  // Ends it with this error line, even if the script catches it. The first reason counts.
  void Abort(std::string line);
  std::string stop_line() const;

  // It was stopped after it had written: it must be rolled back.
  bool half_done() const;

  bool stop_requested() const { return stop_requested_.load(std::memory_order_relaxed); }

 private:
  mutable std::mutex mutex_;
  bool has_written_ = false;  // Guarded by mutex_, as the next one.
  std::string stop_line_ = "ERR Script killed by user with SCRIPT KILL...";
  std::atomic<bool> stop_requested_ = false;  // Set under mutex_, read without it.
};

}  // namespace mayfly::server

// flush_gate.h - keeps RocksDB's flushes from beginning while it has stopped after an error.
// A flush that begins then gives up, and RocksDB counts it as done: the next resume waits for it,
// for ever. So a flush that is scheduled but has not begun waits at the gate:
//   open      flushes begin
//   closed    from an error until a resume: they wait
//   resuming  they begin, a moment after the resume did
// Safe from any thread.
#pragma once

#include <condition_variable>
#include <cstdint>
#include <mutex>

namespace mayfly::engine {

class FlushGate {
 public:
  // Around a job that may be a flush: waits while the gate is closed. Began() says that the flush
  // has really begun; End() follows in any case.
  void Enter();
  void Began();
  void End();

  // Call it before RocksDB stops. Waits a moment for jobs that are entering.
  void Close();

  // True from Close() until a resume succeeded: RocksDB has stopped, or is about to.
  bool is_closed() const;

  // Call these around RocksDB's resume, and before the database is closed.
  void BeginResume();
  void EndResume(bool succeeded);
  void Open();

 private:
  enum class State { kOpen, kClosed, kResuming };

  void Set(State state);

  mutable std::mutex mutex_;
  std::condition_variable changed_;
  State state_ = State::kOpen;  // Guarded by mutex_.
  std::uint64_t resumes_ = 0;   // Guarded by mutex_.
  int entering_ = 0;            // Guarded by mutex_. Jobs between Enter() and Began() or End().
};

}  // namespace mayfly::engine

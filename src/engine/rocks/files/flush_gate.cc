#include "engine/rocks/files/flush_gate.h"

#include "engine/rocks/files/limits.h"

namespace mayfly::engine {
namespace {

thread_local bool is_entering = false;  // A thread enters one gate at a time.

}  // namespace

void FlushGate::Enter() {
  std::unique_lock lock(mutex_);
  while (state_ != State::kOpen) {
    changed_.wait(lock, [this] { return state_ != State::kClosed; });
    if (state_ != State::kResuming) continue;
    // RocksDB says nowhere that a resume is under way, and the flush must not begin before. Another
    // resume may have begun by the time this thread sees that one has failed.
    const std::uint64_t resume = resumes_;
    const auto is_over = [&] { return state_ != State::kResuming || resumes_ != resume; };
    if (!changed_.wait_for(lock, kResumeBegins, is_over)) break;
  }
  is_entering = true;
  ++entering_;
}

void FlushGate::Began() {
  if (!is_entering) return;
  is_entering = false;
  const std::lock_guard lock(mutex_);
  --entering_;
  changed_.notify_all();
}

void FlushGate::End() { Began(); }

void FlushGate::Close() {
  Began();  // The error may be that of this flush.
  std::unique_lock lock(mutex_);
  if (state_ == State::kOpen) state_ = State::kClosed;
  // Not longer: a job may wait for the caller.
  changed_.wait_for(lock, kResumeBegins, [this] { return entering_ == 0; });
}

bool FlushGate::is_closed() const {
  const std::lock_guard lock(mutex_);
  return state_ != State::kOpen;
}

void FlushGate::BeginResume() { Set(State::kResuming); }
void FlushGate::EndResume(bool succeeded) { Set(succeeded ? State::kOpen : State::kClosed); }
void FlushGate::Open() { Set(State::kOpen); }

void FlushGate::Set(State state) {
  const std::lock_guard lock(mutex_);
  state_ = state;
  if (state == State::kResuming) ++resumes_;
  changed_.notify_all();
}

}  // namespace mayfly::engine

// forked.h - runs functions in children made by fork(), and reports how they ended.
#pragma once

#include <poll.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <csignal>
#include <cstdint>
#include <cstdlib>
#include <functional>
#include <string>

namespace mayfly {

// Returns what went wrong in the child; empty: nothing.
using InChild = std::function<std::string()>;

class Forked {
 public:
  // The child runs `work`, sends its result to the parent, and ends by exit().
  explicit Forked(const InChild& work) {
    int pipe_ends[2];
    if (::pipe(pipe_ends) != 0) std::abort();
    child_ = ::fork();
    if (child_ == 0) {
      ::close(pipe_ends[0]);
      const std::string said = work();
      if (!said.empty() && ::write(pipe_ends[1], said.data(), said.size()) < 0) ::_exit(9);
      std::exit(kEnded);  // NOLINT(concurrency-mt-unsafe): what is tested.
    }
    ::close(pipe_ends[1]);
    from_child_ = pipe_ends[0];
  }
  ~Forked() {
    if (child_ > 0) Wait();
    ::close(from_child_);
  }
  Forked(const Forked&) = delete;
  Forked& operator=(const Forked&) = delete;

  // What went wrong in the child, or how it failed to end; empty: nothing.
  std::string Wait() {
    const int watched = static_cast<int>(::syscall(SYS_pidfd_open, child_, 0));
    pollfd end{.fd = watched, .events = POLLIN, .revents = 0};
    const bool ended = ::poll(&end, 1, kHangsAfterMs) == 1;
    ::close(watched);
    if (!ended) ::kill(child_, SIGKILL);
    int outcome = 0;
    ::waitpid(child_, &outcome, 0);
    child_ = 0;
    if (!ended) return "the child hangs";
    std::string said(4096, '\0');
    const ssize_t size = ::read(from_child_, said.data(), said.size());
    said.resize(size > 0 ? static_cast<std::size_t>(size) : 0);
    if (!WIFEXITED(outcome) || WEXITSTATUS(outcome) != kEnded) {
      said += " and ended with " + std::to_string(outcome);
    }
    return said;
  }

 private:
  static constexpr int kEnded = 42;
  static constexpr int kHangsAfterMs = 20'000;

  pid_t child_ = 0;
  int from_child_ = -1;
};

// Lets another thread or process continue.
class Signal {
 public:
  Signal() {
    if (::pipe(ends_) != 0) std::abort();
  }
  ~Signal() {
    ::close(ends_[0]);
    ::close(ends_[1]);
  }
  Signal(const Signal&) = delete;
  Signal& operator=(const Signal&) = delete;
  void Give() const {
    if (::write(ends_[1], "x", 1) != 1) std::abort();
  }
  void Await() const {
    char byte = 0;
    if (::read(ends_[0], &byte, 1) != 1) std::abort();
  }

 private:
  int ends_[2] = {-1, -1};
};

// Children that are made at once, before this process has threads, and begin their work one by one.
// They end with this process; the caller ends them earlier by kill() and waits for them.
template <std::size_t kChildren>
class WaitingChildren {
 public:
  explicit WaitingChildren(const std::function<void(std::uint64_t child)>& work) {
    for (std::uint64_t i = 0; i < kChildren; ++i) {
      children_[i] = ::fork();
      if (children_[i] != 0) continue;
      ::prctl(PR_SET_PDEATHSIG, SIGKILL);
      turns_[i].Await();
      work(i);
      ::_exit(1);
    }
  }

  static constexpr std::uint64_t size() { return kChildren; }
  pid_t Begin(std::uint64_t child) const {
    turns_[child].Give();
    return children_[child];
  }

 private:
  std::array<Signal, kChildren> turns_;
  std::array<pid_t, kChildren> children_{};
};

}  // namespace mayfly

// owner_process.h - detects that a child made by fork() uses an object of its parent.
// A child made by fork() has a copy of the parent's memory and descriptors and none of its threads:
// a lock that a thread held stays held for ever, a condition it waits on cannot be destroyed, and
// bytes written through a copied descriptor land in the middle of the parent's file. So an object
// with threads, locks or files remembers its owner, refuses calls in another process, and abandons
// its members when it is destroyed there.
// A handler of pthread_atfork() counts forks: a check costs one load, not a system call. A process
// made by clone() without these handlers is not detected.
#pragma once

#include <atomic>
#include <cstdint>
#include <type_traits>
#include <utility>

#include "mayfly/status.h"

namespace mayfly {

class OwnerProcess {
 public:
  OwnerProcess();  // The owner is the calling process.

  bool IsThis() const { return generation_ == current_.load(std::memory_order_relaxed); }

  // The error of calls in another process.
  static Status Refusal();

 private:
  static void InChild() { current_.fetch_add(1, std::memory_order_relaxed); }

  // How many forks lie between the first process and this one.
  inline static std::atomic<std::uint64_t> current_{0};

  std::uint64_t generation_;
};

// Leaks an object on purpose: in a child, its destructor would wait for threads that do not exist.
template <typename T>
void Abandon(T&& thing) {
  static_cast<void>(new std::remove_cvref_t<T>(std::forward<T>(thing)));
}

}  // namespace mayfly

// owner_process.h - whether this is still the process that something belongs to.
// A child made by fork() has a copy of the parent's memory and descriptors and none of its threads:
// a lock that one of those held stays held for ever, a condition they wait on cannot be destroyed,
// and what is written through a copied descriptor lands in the middle of the parent's file. So what
// has threads, locks or files remembers its owner, refuses calls in another process, and leaves
// what it holds where it is when it is destroyed there.
// A fork is noticed by a handler of pthread_atfork(): asking costs one load, not a system call.
// What clone() makes without running such handlers is not noticed.
#pragma once

#include <atomic>
#include <cstdint>
#include <type_traits>
#include <utility>

#include "mayfly/status.h"

namespace mayfly {

class OwnerProcess {
 public:
  OwnerProcess();  // This one.

  bool IsThis() const { return generation_ == current_.load(std::memory_order_relaxed); }

  // What calls in another process answer.
  static Status Refusal();

 private:
  static void InChild() { current_.fetch_add(1, std::memory_order_relaxed); }

  // How many forks lie between the first process and this one.
  inline static std::atomic<std::uint64_t> current_{0};

  std::uint64_t generation_;
};

// Leaves something where it is for as long as the process lives: in a child, its destructor would
// wait for threads that are not there.
template <typename T>
void Abandon(T&& thing) {
  static_cast<void>(new std::remove_cvref_t<T>(std::forward<T>(thing)));
}

}  // namespace mayfly

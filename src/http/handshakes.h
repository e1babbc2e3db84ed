// handshakes.h - bounds the clients that have not agreed on TLS yet.
// A handshake costs a stranger one small message, and the server memory and a signature. So there
// is a number of them at a time; beyond that, clients are closed. When half of it is used, those that
// do not go on are given up soon, so that they do not keep others out for long.
// Safe to call from any thread.
#pragma once

#include <atomic>
#include <cstddef>

namespace mayfly::http {

class Handshakes {
 public:
  explicit Handshakes(std::size_t max) : max_(max) {}
  Handshakes(const Handshakes&) = delete;
  Handshakes& operator=(const Handshakes&) = delete;

  // False: there are too many. Otherwise End() comes later.
  bool Begin() {
    std::size_t count = count_.load(std::memory_order_relaxed);
    while (count < max_) {
      if (count_.compare_exchange_weak(count, count + 1)) return true;
    }
    return false;
  }
  void End() { --count_; }

  std::size_t count() const { return count_.load(std::memory_order_relaxed); }
  bool IsCrowded() const { return count() > max_ / 2; }

 private:
  const std::size_t max_;
  std::atomic<std::size_t> count_{0};
};

}  // namespace mayfly::http

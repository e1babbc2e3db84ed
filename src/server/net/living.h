// living.h - how many objects of a kind there are, from their making until nothing of them is left.
#pragma once

#include <atomic>
#include <cstddef>

namespace mayfly::server {

// The first member of such an object: it goes last.
class Living {
 public:
  explicit Living(std::atomic<std::size_t>& count) : count_(count) { ++count_; }
  ~Living() { --count_; }
  Living(const Living&) = delete;
  Living& operator=(const Living&) = delete;

 private:
  std::atomic<std::size_t>& count_;
};

}  // namespace mayfly::server

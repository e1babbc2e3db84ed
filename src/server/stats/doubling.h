// doubling.h - when something that goes on and on is worth telling again: once it has lasted twice
// as long as the last time it was told. What lasts less than before is another.
// One thread at a time.
#pragma once

#include <algorithm>
#include <chrono>

namespace mayfly::server {

class Doubling {
 public:
  // `least`: what is shorter is never told.
  bool IsNews(std::chrono::nanoseconds lasted, std::chrono::nanoseconds least) {
    if (lasted < told_) told_ = {};
    if (lasted < std::max(least, 2 * told_)) return false;
    told_ = lasted;
    return true;
  }

 private:
  std::chrono::nanoseconds told_{0};
};

}  // namespace mayfly::server

// doubling.h - rate limit for reports of something that lasts: each must have lasted twice as long
// as at the report before. A shorter duration is a new event.
// One thread at a time.
#pragma once

#include <algorithm>
#include <chrono>

namespace mayfly::server {

class Doubling {
 public:
  // `least`: a shorter duration is never reported.
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

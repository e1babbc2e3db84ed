// together.h - runs functions on threads that start at once, and waits for all.
#pragma once

#include <barrier>
#include <cstddef>
#include <functional>
#include <thread>
#include <utility>
#include <vector>

namespace mayfly::engine::suite {

// Runs each of `works` on a thread of its own, all from the same moment on. Returns when all have
// ended.
inline void RunTogether(std::vector<std::function<void()>> works) {
  std::barrier start(static_cast<std::ptrdiff_t>(works.size()));
  std::vector<std::jthread> threads;
  threads.reserve(works.size());
  for (auto& work : works) {
    threads.emplace_back([&start, work = std::move(work)] {
      start.arrive_and_wait();
      work();
    });
  }
}

// Runs the same function `count` times, numbered from 0.
inline void RunTogether(std::size_t count, const std::function<void(std::size_t)>& work) {
  std::vector<std::function<void()>> works;
  for (std::size_t i = 0; i < count; ++i) works.push_back([&work, i] { work(i); });
  RunTogether(std::move(works));
}

}  // namespace mayfly::engine::suite

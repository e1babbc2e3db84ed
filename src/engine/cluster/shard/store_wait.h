// store_wait.h - waits for one reply of the store.
// A store can be silent for a minute. The thread that waits may be one that serves others as well, so
// it is lent for other work in between, and a wait can be given up.
#pragma once

#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <utility>

#include "engine/cluster/shard/limits.h"

namespace mayfly::engine::cluster {

// `send` gets the reply's receiver, which may be called on any thread and after this has returned.
// Nothing: `gives_up` was true after a step without a reply. `meanwhile` may be null: it is called
// after each step from the kStepsAlone-th on, and must not wait for the store itself.
template <typename T, typename Send, typename GivesUp>
std::optional<T> AwaitReply(const Send& send, const GivesUp& gives_up,
                            const std::function<void()>& meanwhile) {
  struct Box {
    std::mutex mutex;
    std::condition_variable came;
    std::optional<T> reply;
  };
  const auto box = std::make_shared<Box>();
  send([box](T reply) {
    {
      const std::lock_guard lock(box->mutex);
      box->reply.emplace(std::move(reply));
    }
    box->came.notify_one();
  });
  for (int step = 1;; ++step) {
    {
      std::unique_lock lock(box->mutex);
      if (box->came.wait_for(lock, kWaitStep, [&] { return box->reply.has_value(); })) {
        return std::move(box->reply);
      }
    }
    if (gives_up()) return std::nullopt;
    if (meanwhile && step >= kStepsAlone) meanwhile();
  }
}

}  // namespace mayfly::engine::cluster

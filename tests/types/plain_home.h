// plain_home.h - a keyspace of plain maps and a clock, for tests of types.
#pragma once

#include <gtest/gtest.h>

#include <memory>

#include "core/testing/plain_transaction.h"
#include "mayfly/database.h"

namespace mayfly::types {

class PlainHome {
 public:
  PlainHome()
      : names_(Database::Open({.clock = &clock_}).value()),
        keyspace_(names_->CreateKeyspace("types").value()) {}

  // Runs `task` on the keyspace and commits its changes.
  template <typename Task>
  void Run(Task task) {
    core::PlainTransaction transaction(state_, clock_.Now());
    task(transaction.In(*keyspace_));
    ASSERT_TRUE(transaction.Commit().ok());
  }

  ManualClock& clock() { return clock_; }

  // The stored rows, dead or not.
  core::PlainRows& rows() { return state_[keyspace_.get()]; }

 private:
  ManualClock clock_{WallTimeFromMs(1'700'000'000'000)};
  std::unique_ptr<Database> names_;  // For the keyspace, which names the map.
  std::shared_ptr<Keyspace> keyspace_;
  core::PlainState state_;
};

}  // namespace mayfly::types

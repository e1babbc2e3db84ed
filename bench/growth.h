// growth.h - the cost of a call at one size, and at ten times it.
// A case fills a database and makes the same call many times; the program measures one call at both
// sizes and compares. CPU of the calling thread, as a rule, so that background compactions and
// other programs count for little; the cheapest of some rounds, since noise only adds.
#pragma once

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "base/temporary_directory.h"
#include "core/transactions/latched_transaction.h"
#include "mayfly/clock.h"
#include "mayfly/database.h"
#include "mayfly/keyspace.h"

namespace mayfly::bench {

// A database on disk with a clock of its own, and one collection.
class GrowthStage {
 public:
  GrowthStage();

  Database& database() { return *database_; }
  Keyspace& rows() { return database_->default_keyspace(); }
  ManualClock& clock() { return clock_; }

  static constexpr Bytes kKey = "collection";
  // Runs one latched transaction on the collection and commits it.
  void Run(const std::function<void(core::TransactionKeyspace&)>& task);

 private:
  TemporaryDirectory directory_;
  ManualClock clock_;
  std::unique_ptr<Database> database_;
};

struct GrowthCase {
  const char* name;
  std::size_t size;   // And ten times as much.
  double growth_max;  // Of the cost of one call between them.
  // Fills a stage; returns the call that is measured, which gets the number of calls before it.
  std::function<std::function<void(int)>(GrowthStage& stage, std::size_t size)> prepare;
  int calls = 500;
  // Measures the CPU of all threads instead of the caller's, for calls that other threads execute.
  bool all_threads = false;
};

// The cases of each family.
std::vector<GrowthCase> SortedSetGrowth();
std::vector<GrowthCase> ListGrowth();
std::vector<GrowthCase> SetAndHashGrowth();
std::vector<GrowthCase> RowGrowth();
std::vector<GrowthCase> EventGrowth();
std::vector<GrowthCase> TableGrowth();
std::vector<GrowthCase> ClientGrowth();

}  // namespace mayfly::bench

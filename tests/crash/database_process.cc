#include "crash/database_process.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <string_view>

#include "base/check.h"
#include "core/new_database.h"
#include "crash/dying_engine.h"
#include "tests/core/database_home.h"
#include "tests/engine/forwarding_engine.h"

namespace mayfly::crash {
namespace {

using engine::Batch;

constexpr std::string_view kFlag = "--crash-database";
constexpr int kArguments = 12;

DatabasePlan FromArguments(int argc, char** argv) {
  MAYFLY_CHECK(argc == kArguments, "the command line is the test's own");
  const auto number = [argv](int i) { return std::strtoull(argv[i], nullptr, 10); };
  return {.work = argv[2],
          .engine = static_cast<StorageEngine>(number(11)),
          .directory = argv[3],
          .seed = number(4),
          .first = number(5),
          .known_events = number(6),
          .clock_ms = static_cast<std::int64_t>(number(7)),
          .die_at_operation = number(8),
          .with_reaper = number(9) != 0,
          .splits_batches = number(10) != 0};
}

// Commits the first half of each batch by itself.
class SplitsBatches final : public engine::suite::ForwardingEngine {
  using ForwardingEngine::ForwardingEngine;

  Status DoCommit(const Batch& batch, Durability durability) override {
    Batch part;
    for (std::size_t i = 0; i < batch.change_count(); ++i) {
      const Batch::Change change = batch.change(i);
      switch (change.kind) {
        case Batch::Kind::kPut: part.Put(change.at, change.key, change.value); break;
        case Batch::Kind::kDelete: part.Delete(change.at, change.key); break;
        case Batch::Kind::kDeleteRange:
          part.DeleteRange(change.at, change.key, change.value);
          break;
      }
      if (i != batch.change_count() / 2) continue;
      MAYFLY_RETURN_IF_ERROR(inner().Commit(part, durability));
      part.Clear();
    }
    return inner().Commit(part, durability);
  }
};

}  // namespace

std::vector<std::string> ToArguments(const DatabasePlan& plan) {
  return {std::string(kFlag),
          plan.work,
          plan.directory,
          std::to_string(plan.seed),
          std::to_string(plan.first),
          std::to_string(plan.known_events),
          std::to_string(plan.clock_ms),
          std::to_string(plan.die_at_operation),
          std::to_string(plan.with_reaper),
          std::to_string(plan.splits_batches),
          std::to_string(static_cast<int>(plan.engine))};
}

void MustBeOk(const Status& status, const char* what) {
  if (status.ok()) return;
  fmt::print(stderr, "the database process: {}: {}\n", what, status.ToString());
  std::_Exit(2);
}

Life LiveAndDie(DatabasePlan plan, Random& random) {
  const bool by_own_hand = random.OneIn(2);
  if (by_own_hand) plan.die_at_operation = random.Between(1, 400);
  const std::uint64_t patience = random.Between(0, 150);
  Life life{.next = plan.first, .last = std::nullopt};
  ChildProcess process(ToArguments(plan));
  for (std::uint64_t seen = 0;; ++seen) {
    if (!by_own_hand && seen == patience) process.Kill();
    const auto told = process.Next<Told>();
    if (!told) break;
    life.next = told->number + 1;
    life.last = told;
  }
  life.was_killed = process.Wait();
  return life;
}

Result<std::unique_ptr<Database>> OpenLeftBehind(StorageEngine engine, const std::string& directory,
                                                 const OneMachine& clock) {
  return Database::Open({.directory = directory,
                         .memory = MemoryProfile::kTiny,
                         .engine = engine,
                         .memory_rows_bytes_max = kMemoryRowsBytes,
                         .clock = &clock});
}

int RunTestsOrDatabase(int argc, char** argv, std::span<const NamedWork> works) {
  if (argc < 2 || argv[1] != kFlag) {
    ::testing::InitGoogleTest(&argc, argv);
    return RUN_ALL_TESTS();
  }
  const DatabasePlan plan = FromArguments(argc, argv);
  engine::FaultyDisk disk;
  const auto horizon = std::make_shared<core::DropHorizon>();
  auto engine = OpenDyingEngine({.engine = plan.engine,
                                 .directory = plan.directory,
                                 .die_at_operation = plan.die_at_operation,
                                 .drop_policy = horizon},
                                disk);
  MustBeOk(engine.status(), "opening the engine");
  std::unique_ptr<engine::Engine> base = *std::move(engine);
  if (plan.splits_batches) base = std::make_unique<SplitsBatches>(std::move(base));
  ManualClock clock(WallTimeFromMs(plan.clock_ms));
  const OneMachine machine(clock);
  auto database = core::NewDatabase(std::move(base), {.horizon = horizon, .clock = &machine});
  MustBeOk(database.status(), "opening the database");
  for (const NamedWork& work : works) {
    if (plan.work == work.name) work.run(**database, clock, plan);
  }
  return 5;  // No work of that name, or one that ended.
}

}  // namespace mayfly::crash

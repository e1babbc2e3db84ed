// Kill -9 at any moment loses no acknowledged batch and leaves no half one.
// Method: a process commits seeded batches and is killed, from outside after some acknowledgements
// or by itself inside a change on disk; reopen and compare with the batches played into a map;
// again on the same database. MAYFLY_SEED repeats a run, MAYFLY_CYCLES lengthens it.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <array>
#include <tuple>

#include "base/random.h"
#include "base/temporary_directory.h"
#include "base/testing/environment.h"
#include "crash/dying_engine.h"
#include "crash/workload.h"
#include "crash/writer_process.h"
#include "engine/hot/fold_marker.h"
#include "engine/hot/log/log_files.h"

namespace mayfly::crash {
namespace {

// What is known of one writer: everything before `next` is on disk and in `rows`.
struct Known {
  std::uint64_t next = 0;
  Rows rows;
};

class Crash {
 public:
  Crash(StorageEngine engine, std::uint64_t seed) : engine_(engine), random_(seed), seed_(seed) {}

  // Runs the writer process until it is killed. Returns what is wrong with what it left, or
  // nothing.
  std::string Cycle(Fault fault = Fault::kNone) {
    WriterPlan plan{.engine = engine_,
                    .directory = directory_.Inside("db"),
                    .seed = seed_,
                    .first = {},
                    .die_at_operation = 0,
                    .fault = fault};
    for (const Known& known : known_) plan.first.push_back(known.next);
    // Half of the kills come from outside, at a number of acknowledgements, half from inside.
    const bool by_own_hand = random_.OneIn(2);
    if (by_own_hand) plan.die_at_operation = random_.Between(1, 600);
    const std::uint64_t patience = random_.Between(0, 150);

    std::array<std::uint64_t, kWriters> acknowledged;
    for (std::size_t w = 0; w < kWriters; ++w) acknowledged[w] = known_[w].next;
    WriterProcess process(plan);
    for (std::uint64_t seen = 0;; ++seen) {
      if (!by_own_hand && seen == patience) process.Kill();
      const auto line = process.Next();
      if (!line) break;
      acknowledged[line->writer] = line->number + 1;
    }
    if (!process.Wait()) return "the writer ended by itself; its message is above";
    return Check(acknowledged);
  }

  std::uint64_t batches() const { return known_[0].next + known_[1].next; }

  // Whether the memory-first engine has written rows to its cold store.
  bool has_folded() const {
    const auto files =
        engine::hot::NewLogFiles(directory_.Inside("db") + "/hot", engine::hot::LogAccess::kRead);
    return engine::hot::ReadFoldMarker(*files).value() > 0;
  }

 private:
  std::string Check(const std::array<std::uint64_t, kWriters>& acknowledged) {
    engine::FaultyDisk disk;
    auto engine = OpenDyingEngine({.engine = engine_, .directory = directory_.Inside("db")}, disk);
    if (!engine) return "it does not open: " + engine.error().ToString();
    for (int writer = 0; writer < kWriters; ++writer) {
      const auto w = static_cast<std::size_t>(writer);
      std::string wrong = CheckWriter(**engine, writer, acknowledged[w], known_[w]);
      if (!wrong.empty()) return wrong;
    }
    const Status closed = (*engine)->Close();
    return closed.ok() ? "" : closed.ToString();
  }

  // Exactly the acknowledged batches, or one more: the one that was under way.
  std::string CheckWriter(const engine::Engine& engine, int writer, std::uint64_t acknowledged,
                          Known& known) const {
    const Workload workload{.seed = seed_, .writer = writer};
    for (; known.next < acknowledged; ++known.next) Apply(workload.BatchOf(known.next), known.rows);
    const Rows found = ReadRows(engine, writer);
    if (found == known.rows) return "";
    Apply(workload.BatchOf(known.next), known.rows);
    ++known.next;
    if (found == known.rows) return "";
    return fmt::format("writer {}: the rows are those of neither {} nor {} batches", writer,
                       acknowledged, acknowledged + 1);
  }

  const StorageEngine engine_;
  TemporaryDirectory directory_;
  Random random_;
  const std::uint64_t seed_;
  std::array<Known, kWriters> known_;
};

class EngineCrash : public EachStoredEngine {};

TEST_P(EngineCrash, LosesNothingAcknowledgedAndLeavesNoHalfBatch) {
  const std::uint64_t seed = NumberFromEnvironment("MAYFLY_SEED", FreshSeed());
  const std::uint64_t cycles = NumberFromEnvironment("MAYFLY_CYCLES", 40);
  fmt::print("MAYFLY_SEED={} MAYFLY_CYCLES={}\n", seed, cycles);
  Crash crash(GetParam(), seed);
  for (std::uint64_t cycle = 0; cycle < cycles; ++cycle) {
    ASSERT_EQ(crash.Cycle(), "") << "in cycle " << cycle << " of MAYFLY_SEED=" << seed;
  }
  EXPECT_GT(crash.batches(), cycles) << "the writers never got anywhere";
  EXPECT_EQ(crash.has_folded(), GetParam() == StorageEngine::kMemoryFirst);
}

INSTANTIATE_TEST_SUITE_P(On, EngineCrash, StoredEngines(), NameOfStored);

// The check must catch a writer that is wrong, or it proves nothing.
class EngineCrashFault : public ::testing::TestWithParam<std::tuple<StorageEngine, Fault>> {};

TEST_P(EngineCrashFault, IsCaughtWithinAFewCycles) {
  const std::uint64_t seed = NumberFromEnvironment("MAYFLY_SEED", FreshSeed());
  const auto [engine, fault] = GetParam();
  Crash crash(engine, seed);
  constexpr int kCyclesMax = 200;
  for (int cycle = 0; cycle < kCyclesMax; ++cycle) {
    if (!crash.Cycle(fault).empty()) return;
  }
  FAIL() << "not caught in " << kCyclesMax << " cycles of MAYFLY_SEED=" << seed;
}

std::string NameOfFault(const ::testing::TestParamInfo<EngineCrashFault::ParamType>& info) {
  const auto [engine, fault] = info.param;
  return NameOf(engine) +
         (fault == Fault::kSplitsBatches ? "SplitsBatches" : "AcknowledgesTooEarly");
}

INSTANTIATE_TEST_SUITE_P(EveryFault, EngineCrashFault,
                         ::testing::Combine(StoredEngines(),
                                            ::testing::Values(Fault::kAcknowledgesTooEarly,
                                                              Fault::kSplitsBatches)),
                         NameOfFault);

}  // namespace
}  // namespace mayfly::crash

int main(int argc, char** argv) {
  if (const auto exit_code = mayfly::crash::RunAsWriter(argc, argv)) return *exit_code;
  ::testing::InitGoogleTest(&argc, argv);
  return RUN_ALL_TESTS();
}

// Kill -9 at any moment leaves whole writes of tables: items with their index entries and stream
// records, transactions, changes of tables and of their ttl, and jobs that continue. Method: a
// process plays operations by a seed and is killed, from outside or by itself inside a change on
// disk; reopen and compare with the same operations on plain maps; again on the same database.
// MAYFLY_SEED repeats a run, MAYFLY_CYCLES lengthens it.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "base/random.h"
#include "base/temporary_directory.h"
#include "base/testing/environment.h"
#include "crash/database_process.h"
#include "crash/dying_engine.h"
#include "crash/left_deadlines.h"
#include "crash/left_tables.h"

namespace mayfly::crash {
namespace {

constexpr const char* kWatchedJob = "posts";

// Writes each item of a transaction by itself, to test that the check catches it.
Status PerformInParts(const TableOperation& operation, Database& database, Tables& tables) {
  if (operation.writes.size() < 2) return Perform(operation, database, tables);
  for (const TableOperation::Write& write : operation.writes) {
    MAYFLY_RETURN_IF_ERROR(Perform({.table = {}, .writes = {write}}, database, tables));
  }
  return {};
}

// The work of the process: operations one after the other. Reports the progress of one table's job.
template <bool kWholeTransactions>
void WorkForever(Database& database, ManualClock& clock, const DatabasePlan& plan) {
  auto tables = Tables::Open(database);
  MustBeOk(tables.status(), "opening the tables");
  for (std::uint64_t number = plan.first;; ++number) {
    clock.Set(InstantOf(number));
    const auto perform = kWholeTransactions ? Perform : PerformInParts;
    MustBeOk(perform(OperationOf(plan.seed, number), database, **tables), "an operation");
    const auto progress = JobProgress(database, kWatchedJob);
    MustBeOk(progress.status(), "looking at a job");
    ChildProcess::Write(Told{.kind = Told::Kind::kDone, .number = number, .row = *progress});
  }
}

Status Clean(Database& database) {
  MAYFLY_TRY(const auto report, database.Check());
  return report.clean() ? Status() : Status::Internal("the check found: " + report.findings.at(0));
}

class Crash {
 public:
  Crash(StorageEngine engine, std::uint64_t seed) : engine_(engine), random_(seed), seed_(seed) {}

  // Runs the process until it is killed. Returns what is wrong with what it left, or nothing.
  std::string Cycle(const char* work = "tables", bool splits_batches = false) {
    const Life life = LiveAndDie({.work = work,
                                  .engine = engine_,
                                  .directory = directory_.Inside("db"),
                                  .seed = seed_,
                                  .first = next_,
                                  .clock_ms = ToMs(InstantOf(next_)),
                                  .splits_batches = splits_batches},
                                 random_);
    if (!life.was_killed) return "the process ended by itself; its message is above";
    while (next_ < life.next) PlayNext();
    if (life.last) progress_ = life.last->row;
    plain_.AdvanceTo(InstantOf(next_));
    const Status checked = Check();
    return checked.ok() ? "" : fmt::format("operation {}: {}", next_, checked.ToString());
  }

  std::uint64_t operations() const { return next_; }
  std::uint64_t jobs_continued() const { return jobs_continued_; }
  std::uint64_t halves() const { return halves_; }

 private:
  void PlayNext() {
    plain_.AdvanceTo(InstantOf(next_));
    plain_.Play(OperationOf(seed_, next_));
    ++next_;
  }

  // Exactly the acknowledged operations, or one more: the one that was under way.
  Status Check() {
    const ManualClock clock(InstantOf(next_));
    const OneMachine machine(clock);
    MAYFLY_TRY(const auto database, OpenLeftBehind(engine_, directory_.Inside("db"), machine));
    MAYFLY_RETURN_IF_ERROR(Clean(*database));
    MAYFLY_TRY(const auto tables, Tables::Open(*database));
    const TableOperation under_way = OperationOf(seed_, next_);
    MAYFLY_RETURN_IF_ERROR(CheckJob(*database, under_way));
    if (!under_way.ChangesTable()) MAYFLY_RETURN_IF_ERROR(AskAgain(*database, *tables));
    if (under_way.kind == TableOperation::Kind::kChangeTtl && random_.OneIn(2)) {
      MAYFLY_TRY(half_done_, IsHalfDone(*database, *tables, under_way));
      if (half_done_) return {};  // The next process finishes it, or is killed in it, too.
    }
    half_done_ = false;
    if (under_way.MayBeRepeated()) {
      MAYFLY_RETURN_IF_ERROR(Perform(under_way, *database, *tables));
      PlayNext();
    }
    // Not always, or no process would find unfinished jobs.
    const bool settled = random_.OneIn(3);
    if (settled) MAYFLY_RETURN_IF_ERROR(Settle(*database, *tables));
    Status compared = Compare(*database, *tables, plain_, settled);
    if (!compared.ok() && !under_way.MayBeRepeated()) {
      PlayNext();
      const Status with = Compare(*database, *tables, plain_, settled);
      if (!with.ok()) {
        return Status::Internal(fmt::format("without the operation under way: {}\nwith it: {}",
                                            compared.ToString(), with.ToString()));
      }
      compared = {};
    }
    MAYFLY_RETURN_IF_ERROR(compared);
    MAYFLY_TRY(progress_, JobProgress(*database, kWatchedJob));
    return Clean(*database);
  }

  // Acknowledged transactions with a token change nothing when they are repeated, as long as their
  // tables are the same.
  Status AskAgain(Database& database, Tables& tables) {
    constexpr std::uint64_t kLookBackMax = 20;
    for (std::uint64_t back = 1; back <= std::min(next_, kLookBackMax); ++back) {
      const TableOperation operation = OperationOf(seed_, next_ - back);
      if (operation.ChangesTable()) break;
      if (operation.token.empty()) continue;
      MAYFLY_RETURN_IF_ERROR(Perform(operation, database, tables));
    }
    return {};
  }

  // Whether a change of a ttl has happened, but not for all items yet. Checks the items.
  Result<bool> IsHalfDone(Database& database, Tables& tables, const TableOperation& under_way) {
    PlainTable* const before = plain_.Find(under_way.table);
    if (before == nullptr) return false;
    MAYFLY_TRY(const TableDescription table, tables.DescribeTable(under_way.table));
    const bool settling =
        table.ttl_status == TtlStatus::kEnabling || table.ttl_status == TtlStatus::kDisabling;
    if (!settling) return false;
    PlainTable after = *before;
    after.ChangeTtl(under_way.ttl_attribute, under_way.ttl_mode);
    if (table.spec != after.spec)
      return Status::Internal("a change of a ttl that nobody asked for");
    MAYFLY_RETURN_IF_ERROR(CheckHalfDone(database, tables, *before, after));
    MAYFLY_TRY(progress_, JobProgress(database, kWatchedJob));
    ++halves_;
    return true;
  }

  // A job must not lose progress, unless a change of the table begins it anew.
  Status CheckJob(Database& database, const TableOperation& under_way) {
    MAYFLY_TRY(const std::uint64_t progress, JobProgress(database, kWatchedJob));
    const bool begins_anew =
        under_way.ChangesTable() && under_way.table == kWatchedJob && !half_done_;
    if (progress == 0 || begins_anew) return {};
    if (progress_ > 1) ++jobs_continued_;
    if (progress >= progress_) return {};
    return Status::Internal(fmt::format("a job is at {} and was at {}", progress, progress_));
  }

  const StorageEngine engine_;
  TemporaryDirectory directory_;
  Random random_;
  const std::uint64_t seed_;
  std::uint64_t next_ = 0;      // Everything before it is on disk and in the maps.
  std::uint64_t progress_ = 0;  // Of the watched job, as last reported.
  std::uint64_t jobs_continued_ = 0;
  bool half_done_ = false;  // The next operation, a change of a ttl, is.
  std::uint64_t halves_ = 0;
  PlainTables plain_{InstantOf(0)};
};

class TablesCrash : public EachStoredEngine {};

TEST_P(TablesCrash, LeavesWholeWritesAndLosesNoneThatWasAcknowledged) {
  const std::uint64_t seed = NumberFromEnvironment("MAYFLY_SEED", FreshSeed());
  const std::uint64_t cycles = NumberFromEnvironment("MAYFLY_CYCLES", 25);
  fmt::print("MAYFLY_SEED={} MAYFLY_CYCLES={}\n", seed, cycles);
  Crash crash(GetParam(), seed);
  for (std::uint64_t cycle = 0; cycle < cycles; ++cycle) {
    ASSERT_EQ(crash.Cycle(), "") << "in cycle " << cycle << " of MAYFLY_SEED=" << seed;
  }
  EXPECT_GT(crash.operations(), cycles) << "the process never got anywhere";
  fmt::print("{} operations survived {} deaths, {} in the middle of a job, {} in that of a ttl's\n",
             crash.operations(), cycles, crash.jobs_continued(), crash.halves());
}

// The check must catch a database that is wrong, or it proves nothing.
void ExpectCaught(StorageEngine engine, const char* work, bool splits_batches) {
  const std::uint64_t seed = NumberFromEnvironment("MAYFLY_SEED", FreshSeed());
  fmt::print("MAYFLY_SEED={}\n", seed);
  Crash crash(engine, seed);
  constexpr int kCyclesMax = 200;
  for (int cycle = 0; cycle < kCyclesMax; ++cycle) {
    const std::string found = crash.Cycle(work, splits_batches);
    if (found.empty()) continue;
    fmt::print("in cycle {}: {}\n", cycle, found);
    return;
  }
  FAIL() << "not caught in " << kCyclesMax << " cycles of MAYFLY_SEED=" << seed;
}

TEST_P(TablesCrash, WouldCatchBatchesThatAreNotAtomic) { ExpectCaught(GetParam(), "tables", true); }

TEST_P(TablesCrash, WouldCatchTransactionsThatAreNotWhole) {
  ExpectCaught(GetParam(), "tables without transactions", false);
}

INSTANTIATE_TEST_SUITE_P(On, TablesCrash, StoredEngines(), NameOfStored);

constexpr NamedWork kWorks[] = {
    {"tables", WorkForever<true>},
    {"tables without transactions", WorkForever<false>},
};

}  // namespace
}  // namespace mayfly::crash

int main(int argc, char** argv) {
  return mayfly::crash::RunTestsOrDatabase(argc, argv, mayfly::crash::kWorks);
}

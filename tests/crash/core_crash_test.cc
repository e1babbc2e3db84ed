// Kill -9 at any moment loses no acknowledged write, deadline or event, and leaves no half
// transaction. Method: a process writes, expires, commits and purges by a seed and is killed, from
// outside or by itself inside a change on disk; reopen and compare with the operations played on
// the plain model of tests/core; again on the same database. MAYFLY_SEED repeats a run,
// MAYFLY_CYCLES lengthens it.
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <unistd.h>

#include "base/checksum.h"
#include "base/random.h"
#include "base/temporary_directory.h"
#include "base/testing/environment.h"
#include "crash/database_process.h"
#include "crash/dying_engine.h"
#include "tests/core/database_home.h"
#include "tests/core/model.h"
#include "tests/core/model_inputs.h"
#include "tests/core/model_player.h"
#include "tests/core/model_transaction.h"

namespace mayfly::crash {
namespace {

using core::suite::Model;
using core::suite::ModelInputs;
using core::suite::ModelRows;
using core::suite::ModelTransaction;
using core::suite::WriteCall;

constexpr const char* kSessions = "sessions";

WallTime InstantOf(std::uint64_t number) {
  return kStart + Millis(static_cast<std::int64_t>(number));
}

Model EmptyModel() {
  Model model;
  model.Create(kSessions, {.default_ttl = Millis(80), .events = EventDetail::kKeyAndValue});
  return model;
}

// An operation derived from its number alone.
struct Operation {
  std::string keyspace;
  std::vector<WriteCall> calls;
  bool in_transaction = false;
  bool purges = false;
};

Operation OperationOf(std::uint64_t seed, std::uint64_t number) {
  Random random(Hash64(std::to_string(number), seed));
  Model scene = EmptyModel();  // Only for its time and its names.
  scene.now = InstantOf(number);
  ModelInputs inputs(random, scene);
  Operation operation{.keyspace = inputs.ExistingKeyspace(), .calls = {}};
  if (random.OneIn(10)) {
    // Purges everything: a purge commits a batch per keyspace, and one that is killed between two
    // of them would have used a part of a smaller bound, which the model could not know.
    operation.purges = true;
    return operation;
  }
  operation.in_transaction = random.OneIn(4);
  const std::uint64_t calls = operation.in_transaction ? random.Between(1, 6) : 1;
  for (std::uint64_t i = 0; i < calls; ++i) operation.calls.push_back(inputs.Write({}, {}));
  return operation;
}

void Play(const Operation& operation, WallTime now, Model& model) {
  model.now = now;
  if (operation.purges) model.Purge();
  if (!operation.in_transaction) {
    for (const WriteCall& call : operation.calls) model.Write(operation.keyspace, call);
    return;
  }
  ModelTransaction transaction(model);
  for (const WriteCall& call : operation.calls) {
    transaction.Write(model.keyspaces.at(operation.keyspace), call);
  }
  EXPECT_EQ(transaction.Commit(model), StatusCode::kOk);
}

// The work of the process: operations one after the other, a millisecond each.
void WriteForever(Database& database, ManualClock& clock, const DatabasePlan& plan) {
  for (std::uint64_t number = plan.first;; ++number) {
    clock.Set(InstantOf(number));
    const Operation operation = OperationOf(plan.seed, number);
    auto keyspace = database.OpenKeyspace(operation.keyspace);
    MustBeOk(keyspace.status(), "opening a keyspace");
    if (operation.purges) MustBeOk(database.Purge().status(), "a purge");
    if (operation.in_transaction) {
      auto transaction = database.Begin();
      MustBeOk(transaction.status(), "beginning");
      for (const WriteCall& call : operation.calls) {
        Perform(call, (*transaction)->In(**keyspace));
      }
      MustBeOk((*transaction)->Commit(), "a commit");
    } else {
      for (const WriteCall& call : operation.calls) Perform(call, **keyspace);
    }
    ChildProcess::Write(Told{.kind = Told::Kind::kDone, .number = number, .row = 0});
  }
}

// Nothing, or how the database differs from the model.
std::string Compare(Database& database, const Model& model) {
  const auto check = database.Check();
  if (!check) return check.status().ToString();
  if (!check->clean()) return "the check found: " + check->findings.at(0);
  for (const auto& [name, keyspace] : model.keyspaces) {
    const auto handle = database.OpenKeyspace(name);
    if (!handle) return handle.status().ToString();
    ModelRows rows;
    const auto cursor = (*handle)->NewCursor();
    for ((*cursor)->SeekToFirst(); (*cursor)->Valid(); (*cursor)->Next()) {
      rows[std::string((*cursor)->key())] = {std::string((*cursor)->value()),
                                             (*cursor)->deadline()};
    }
    if (rows != core::suite::Living(keyspace.stored, model.now)) return "other rows in " + name;
  }
  const auto events = database.ReadEvents(0, SIZE_MAX);
  if (!events) return events.status().ToString();
  if (events->size() != model.events.size()) {
    return fmt::format("{} events, not {}", events->size(), model.events.size());
  }
  for (std::size_t i = 0; i < events->size(); ++i) {
    const std::string found = core::suite::Describe((*events)[i]);
    const std::string expected = core::suite::Describe(model.events[i]);
    if (found != expected) return fmt::format("event {}, not {}", found, expected);
  }
  return "";
}

class Crash {
 public:
  Crash(StorageEngine engine, std::uint64_t seed) : engine_(engine), random_(seed), seed_(seed) {
    const ManualClock clock(kStart);
    const OneMachine machine(clock);
    const auto database = *OpenLeftBehind(engine_, directory_.Inside("db"), machine);
    const KeyspacePolicy& policy = model_.keyspaces.at(kSessions).policy;
    EXPECT_TRUE(database->CreateKeyspace(kSessions, policy).has_value());
  }

  // Runs the process until it is killed. Returns what is wrong with what it left, or nothing.
  std::string Cycle(bool splits_batches = false) {
    const Life life = LiveAndDie({.work = "write",
                                  .engine = engine_,
                                  .directory = directory_.Inside("db"),
                                  .seed = seed_,
                                  .first = next_,
                                  .clock_ms = ToMs(InstantOf(next_)),
                                  .splits_batches = splits_batches},
                                 random_);
    if (!life.was_killed) return "the process ended by itself; its message is above";
    return Check(life.next);
  }

  std::uint64_t operations() const { return next_; }

 private:
  // Exactly the acknowledged operations, or one more: the one that was under way.
  std::string Check(std::uint64_t acknowledged) {
    for (; next_ < acknowledged; ++next_) Play(OperationOf(seed_, next_), InstantOf(next_), model_);
    model_.now = InstantOf(next_);
    const ManualClock clock(model_.now);
    const OneMachine machine(clock);
    const auto database = OpenLeftBehind(engine_, directory_.Inside("db"), machine);
    if (!database) return "it does not open: " + database.error().ToString();
    const std::string without = Compare(**database, model_);
    if (without.empty()) return "";
    Play(OperationOf(seed_, next_), InstantOf(next_), model_);
    ++next_;
    const std::string with = Compare(**database, model_);
    if (with.empty()) return "";
    return fmt::format("after {} operations: {}; after one more: {}", acknowledged, without, with);
  }

  const StorageEngine engine_;
  TemporaryDirectory directory_;
  Random random_;
  const std::uint64_t seed_;
  std::uint64_t next_ = 0;  // Everything before it is on disk and in the model.
  Model model_ = EmptyModel();
};

class CoreCrash : public EachStoredEngine {};

TEST_P(CoreCrash, LosesNothingAcknowledgedAndLeavesNoHalfTransaction) {
  const std::uint64_t seed = NumberFromEnvironment("MAYFLY_SEED", FreshSeed());
  const std::uint64_t cycles = NumberFromEnvironment("MAYFLY_CYCLES", 30);
  fmt::print("MAYFLY_SEED={} MAYFLY_CYCLES={}\n", seed, cycles);
  Crash crash(GetParam(), seed);
  for (std::uint64_t cycle = 0; cycle < cycles; ++cycle) {
    ASSERT_EQ(crash.Cycle(), "") << "in cycle " << cycle << " of MAYFLY_SEED=" << seed;
  }
  EXPECT_GT(crash.operations(), cycles) << "the process never got anywhere";
  fmt::print("{} operations survived {} deaths\n", crash.operations(), cycles);
}

// The check must catch a database that is wrong, or it proves nothing.
TEST_P(CoreCrash, WouldCatchBatchesThatAreNotAtomic) {
  const std::uint64_t seed = NumberFromEnvironment("MAYFLY_SEED", FreshSeed());
  fmt::print("MAYFLY_SEED={}\n", seed);
  Crash crash(GetParam(), seed);
  constexpr int kCyclesMax = 200;
  for (int cycle = 0; cycle < kCyclesMax; ++cycle) {
    if (!crash.Cycle(true).empty()) return;
  }
  FAIL() << "not caught in " << kCyclesMax << " cycles of MAYFLY_SEED=" << seed;
}

// Two transactions that stop at a given point and wait to be killed there.
template <bool kCommits>
void StopAroundTheCommit(Database& database, ManualClock&, const DatabasePlan&) {
  auto transaction = database.Begin();
  MustBeOk(transaction.status(), "beginning");
  KeyspaceWriter& writer = (*transaction)->In(database.default_keyspace());
  MustBeOk(writer.Put("key", "value", Lifetime::For(std::chrono::hours(1))), "a put");
  if (kCommits) MustBeOk((*transaction)->Commit(), "the commit");
  ChildProcess::Write(Told{.kind = Told::Kind::kDone, .number = 0, .row = 0});
  for (;;) ::pause();
}

// Waits until the process stops, kills it there, and returns the ttl of the row it left.
Result<Millis> TtlLeftBy(StorageEngine engine, const char* work) {
  const TemporaryDirectory directory;
  ChildProcess process(ToArguments({.work = work,
                                    .engine = engine,
                                    .directory = directory.Inside("db"),
                                    .clock_ms = ToMs(kStart)}));
  EXPECT_TRUE(process.Next<Told>().has_value());
  process.Kill();
  EXPECT_TRUE(process.Wait());
  const ManualClock clock(kStart + Millis(1));
  const OneMachine machine(clock);
  MAYFLY_TRY(const auto database, OpenLeftBehind(engine, directory.Inside("db"), machine));
  EXPECT_TRUE(database->Check()->clean());
  return database->default_keyspace().Ttl("key");
}

TEST_P(CoreCrash, BeforeTheCommitLeavesNothing) {
  EXPECT_TRUE(TtlLeftBy(GetParam(), "before the commit").status().IsNotFound());
}

TEST_P(CoreCrash, AfterTheCommitLeavesTheRowWithItsTtl) {
  const auto ttl = TtlLeftBy(GetParam(), "after the commit");
  ASSERT_TRUE(ttl.has_value()) << ttl.status().ToString();
  EXPECT_EQ(*ttl, Millis(std::chrono::hours(1)) - Millis(1));
}

INSTANTIATE_TEST_SUITE_P(On, CoreCrash, StoredEngines(), NameOfStored);

// clang-format off
constexpr NamedWork kWorks[] = {
    {"write",             WriteForever},
    {"before the commit", StopAroundTheCommit<false>},
    {"after the commit",  StopAroundTheCommit<true>},
};
// clang-format on

}  // namespace
}  // namespace mayfly::crash

int main(int argc, char** argv) {
  return mayfly::crash::RunTestsOrDatabase(argc, argv, mayfly::crash::kWorks);
}

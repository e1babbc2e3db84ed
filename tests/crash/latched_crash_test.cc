// Kill -9 at any moment leaves whole latched transactions: rows, members, counts and orphans.
// Method: a process runs latched transactions by a seed, with purges between, and is killed, from
// outside or by itself inside a change on disk; reopen and compare with the same transactions on
// plain maps; again on the same database. MAYFLY_SEED repeats a run, MAYFLY_CYCLES lengthens it.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "base/checksum.h"
#include "base/random.h"
#include "base/temporary_directory.h"
#include "base/testing/environment.h"
#include "core/new_database.h"
#include "core/store/store_of.h"
#include "core/testing/plain_transaction.h"
#include "crash/database_process.h"
#include "crash/dying_engine.h"
#include "tests/core/database_home.h"

namespace mayfly::crash {
namespace {

using core::LatchedTransaction;
using core::MemberLifetime;
using core::TransactionKeyspace;

WallTime InstantOf(std::uint64_t number) {
  return kStart + Millis(static_cast<std::int64_t>(number));
}

Random RandomOf(std::uint64_t seed, std::uint64_t number) {
  return Random(Hash64(std::to_string(number), seed));
}

bool IsPurge(std::uint64_t seed, std::uint64_t number) {
  Random random = RandomOf(seed, number);
  return random.OneIn(5);
}

// A call derived from its number alone, on any kind of latched transaction.
void Call(TransactionKeyspace& space, Random& random, WallTime now) {
  const std::string key = std::to_string(random.Below(4));
  const std::string member = std::to_string(random.Below(10));
  const WallTime later = now + Millis(static_cast<std::int64_t>(random.Between(1, 60)));
  core::FoundRow row;
  MustBeOk(space.Find(key, row), "finding");
  switch (random.Below(9)) {
    case 8: {
      const std::string to = std::to_string(random.Below(4));
      if (row.exists) MustBeOk(space.Move(key, space, to), "a move");
      return;
    }
    case 0: return MustBeOk(space.Put(key, member, Lifetime::Until(later)), "a put");
    case 1: return MustBeOk(space.Delete(key).status(), "a delete");
    case 2:
      if (row.exists) MustBeOk(space.Expire(key, Lifetime::Until(later)).status(), "an expire");
      return;
    case 3:
      if (row.is_collection) MustBeOk(space.RemoveMember(key, member).status(), "a removal");
      return;
    default: break;
  }
  if (!row.is_collection) MustBeOk(space.MakeCollection(key, "head"), "making");
  for (std::uint64_t i = random.Between(1, 5); i > 0; --i) {
    const auto lifetime =
        random.OneIn(2) ? MemberLifetime::Until(later) : MemberLifetime::Forever();
    const std::string name = std::to_string(random.Below(10));
    MustBeOk(space.PutMember(key, name, std::to_string(i), lifetime).status(), "a member");
    MustBeOk(space.PutSide(key, name, std::to_string(i)), "a side");
  }
}

void Play(LatchedTransaction& transaction, const Keyspace& keyspace, std::uint64_t seed,
          std::uint64_t number) {
  Random random = RandomOf(seed, number);
  for (std::uint64_t calls = random.Between(1, 4); calls > 0; --calls) {
    Call(transaction.In(keyspace), random, InstantOf(number));
  }
  MustBeOk(transaction.Commit(), "a commit");
}

// The work of the process: latched transactions one after the other, a millisecond each.
void WorkForever(Database& database, ManualClock& clock, const DatabasePlan& plan) {
  // Most collections begin without a row, or with two or three members in it.
  core::StoreOf(database).draft_bounds().parts_max = plan.seed % 2 == 0 ? 2 : 1000;
  core::StoreOf(database).draft_bounds().packed_bytes_max = 24;
  for (std::uint64_t number = plan.first;; ++number) {
    clock.Set(InstantOf(number));
    if (IsPurge(plan.seed, number)) {
      MustBeOk(database.Purge({.rows_max = 20}).status(), "a purge");
    } else {
      auto transaction = core::BeginLatched(database, {.everything = true});
      MustBeOk(transaction.status(), "beginning");
      Play(**transaction, database.default_keyspace(), plan.seed, number);
    }
    ChildProcess::Write(Told{.kind = Told::Kind::kDone, .number = number, .row = 0});
  }
}

// All rows, in words.
std::string Describe(LatchedTransaction& transaction, const Keyspace& keyspace) {
  TransactionKeyspace& space = transaction.In(keyspace);
  std::string all = fmt::format("{} rows\n", space.Count().value());
  const auto walk = *space.NewCursor();
  std::vector<std::string> keys;
  for (walk->SeekToFirst(); walk->Valid(); walk->Next()) keys.emplace_back(walk->key());
  for (const std::string& key : keys) {
    core::FoundRow row;
    MustBeOk(space.Find(key, row), "finding");
    all += fmt::format("{}={} {} {}\n", key, row.value, row.members,
                       ToMs(row.deadline.value_or(WallTime())));
    if (!row.is_collection) continue;
    for (const core::Part part : {core::Part::kMembers, core::Part::kSides}) {
      const auto cursor = *space.NewMemberCursor(key, part);
      for (cursor->SeekToFirst(); cursor->Valid(); cursor->Next()) {
        all += fmt::format("  {}={} {}\n", cursor->member(), cursor->value(),
                           ToMs(cursor->deadline().value_or(WallTime())));
      }
    }
  }
  return all;
}

class Crash {
 public:
  Crash(StorageEngine engine, std::uint64_t seed) : engine_(engine), random_(seed), seed_(seed) {}

  // Runs the process until it is killed. Returns what is wrong with what it left, or nothing.
  std::string Cycle(bool splits_batches = false) {
    const Life life = LiveAndDie({.work = "work",
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

  std::uint64_t transactions() const { return next_; }

 private:
  void PlayOnMaps() {
    if (!IsPurge(seed_, next_)) {
      core::PlainTransaction transaction(state_, InstantOf(next_));
      Play(transaction, name_->default_keyspace(), seed_, next_);
    }
    ++next_;
  }

  // Exactly the acknowledged transactions, or one more: the one that was under way.
  std::string Check(std::uint64_t acknowledged) {
    while (next_ < acknowledged) PlayOnMaps();
    const WallTime now = InstantOf(next_);
    const ManualClock clock(now);
    const OneMachine machine(clock);
    const auto database = OpenLeftBehind(engine_, directory_.Inside("db"), machine);
    if (!database) return "it does not open: " + database.error().ToString();
    const auto check = (*database)->Check();
    if (!check) return check.status().ToString();
    if (!check->clean()) return "the check found: " + check->findings.at(0);
    const auto transaction = *core::BeginLatched(**database, {.everything = true});
    const std::string found = Describe(*transaction, (*database)->default_keyspace());
    const std::string without = OnMaps(now);
    if (found == without) return "";
    PlayOnMaps();
    const std::string with = OnMaps(now);
    if (found == with) return "";
    return fmt::format("found\n{}instead of\n{}or\n{}", found, without, with);
  }

  std::string OnMaps(WallTime now) {
    core::PlainTransaction transaction(state_, now);
    return Describe(transaction, name_->default_keyspace());
  }

  const StorageEngine engine_;
  TemporaryDirectory directory_;
  Random random_;
  const std::uint64_t seed_;
  std::uint64_t next_ = 0;  // Everything before it is on disk and in the maps.
  const std::unique_ptr<Database> name_ = *Database::Open({});  // For its keyspace: a name.
  core::PlainState state_;
};

class LatchedCrash : public EachStoredEngine {};

TEST_P(LatchedCrash, LeavesWholeWorksAndLosesNoneThatWasAcknowledged) {
  const std::uint64_t seed = NumberFromEnvironment("MAYFLY_SEED", FreshSeed());
  const std::uint64_t cycles = NumberFromEnvironment("MAYFLY_CYCLES", 25);
  fmt::print("MAYFLY_SEED={} MAYFLY_CYCLES={}\n", seed, cycles);
  Crash crash(GetParam(), seed);
  for (std::uint64_t cycle = 0; cycle < cycles; ++cycle) {
    ASSERT_EQ(crash.Cycle(), "") << "in cycle " << cycle << " of MAYFLY_SEED=" << seed;
  }
  EXPECT_GT(crash.transactions(), cycles) << "the process never got anywhere";
  fmt::print("{} transactions survived {} deaths\n", crash.transactions(), cycles);
}

// The check must catch a database that is wrong, or it proves nothing.
TEST_P(LatchedCrash, WouldCatchBatchesThatAreNotAtomic) {
  const std::uint64_t seed = NumberFromEnvironment("MAYFLY_SEED", FreshSeed());
  fmt::print("MAYFLY_SEED={}\n", seed);
  Crash crash(GetParam(), seed);
  constexpr int kCyclesMax = 200;
  for (int cycle = 0; cycle < kCyclesMax; ++cycle) {
    if (!crash.Cycle(true).empty()) return;
  }
  FAIL() << "not caught in " << kCyclesMax << " cycles of MAYFLY_SEED=" << seed;
}

INSTANTIATE_TEST_SUITE_P(On, LatchedCrash, StoredEngines(), NameOfStored);

constexpr NamedWork kWorks[] = {
    {"work", WorkForever},
};

}  // namespace
}  // namespace mayfly::crash

int main(int argc, char** argv) {
  return mayfly::crash::RunTestsOrDatabase(argc, argv, mayfly::crash::kWorks);
}

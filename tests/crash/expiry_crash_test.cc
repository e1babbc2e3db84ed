// Every row that expires has exactly one event, also when the process is killed in the midst of
// mass expiry, while files are dropped and rewritten. Method: a process writes rows that die in
// heaps, purges them by hand or with a reaper, reclaims their space, keeps a promise, and reads the
// events; it is killed, from outside or by itself inside a change on disk. Afterwards rows and
// events must add up, so nothing is lost and nothing dead is back, and events that were read before
// must be unchanged. MAYFLY_SEED repeats a run, MAYFLY_CYCLES lengthens it.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <map>

#include "base/checksum.h"
#include "base/random.h"
#include "base/temporary_directory.h"
#include "base/testing/environment.h"
#include "crash/database_process.h"
#include "crash/dying_engine.h"
#include "tests/core/each_engine.h"
#include "tests/core/planted.h"

namespace mayfly::crash {
namespace {

constexpr std::uint64_t kHeap = 40;  // Rows that die together.
constexpr Millis kTtlMax{20};

// A keyspace with a promise, whose values resemble no other bytes.
constexpr const char* kSecrets = "secrets";
constexpr KeyspacePolicy kSecretsPolicy{.purge_within = Millis(1000)};
constexpr Bytes kSecretMark = "\x01\xfe a secret \xfe\x01";

std::string KeyOf(std::uint64_t row) { return fmt::format("row{}", row); }
std::uint64_t RowOf(const std::string& key) { return std::stoull(key.substr(3)); }
std::string ValueOf(std::uint64_t row) { return std::string(row % 50, 'v') + std::to_string(row); }
Millis TtlOf(std::uint64_t seed, std::uint64_t row) {
  return Millis(1 + Hash64(KeyOf(row), seed) % static_cast<std::uint64_t>(kTtlMax.count()));
}

// The work of the process.
class Expiry {
 public:
  Expiry(Database& database, ManualClock& clock, const DatabasePlan& plan)
      : database_(database), clock_(clock), plan_(plan), last_event_(plan.known_events) {
    if (!plan.with_reaper) return;
    auto reaper = database.StartReaper({.step_rows_max = 7});
    MustBeOk(reaper.status(), "starting a reaper");
    reaper_ = *std::move(reaper);
  }

  [[noreturn]] void RunForever() {
    auto secrets = database_.OpenKeyspace(kSecrets);
    MustBeOk(secrets.status(), "opening a keyspace");
    secrets_ = *std::move(secrets);
    for (std::uint64_t row = plan_.first;; ++row) {
      const Lifetime lifetime = Lifetime::For(TtlOf(plan_.seed, row));
      // An older version that would live longer lies beneath some.
      if (row % 3 == 0) {
        MustBeOk(database_.default_keyspace().Put(KeyOf(row), ValueOf(row), Lifetime::For(kTtlMax)),
                 "a put beneath");
      }
      MustBeOk(database_.default_keyspace().Put(KeyOf(row), ValueOf(row), lifetime), "a put");
      ChildProcess::Write(Told{.kind = Told::Kind::kDone, .number = row, .row = 0});
      if (row % kHeap == kHeap - 1) LetThemDie();
    }
  }

 private:
  void LetThemDie() {
    for (Millis passed(0); passed <= kTtlMax; passed += Millis(5)) {
      clock_.Advance(Millis(5));
      ReportEvents();  // The reaper may be purging.
      if (reaper_ != nullptr) reaper_->AwaitIdle();
      if (reaper_ == nullptr) Purge();
      ReportEvents();
    }
    KeepSecrets();
    Reclaim();
    ReportEvents();
  }

  void KeepSecrets() {
    const std::string key = fmt::format("{}{}", kSecretMark, ++secret_);
    MustBeOk(secrets_->Put(key, std::string(500, 's') + std::string(kSecretMark)), "a secret");
    MustBeOk(secrets_->Delete(key).status(), "a delete");
    clock_.Advance(kSecretsPolicy.purge_within.value() / 2);
  }

  // Reclaims by files or everything at once; for some heaps not at all, which leaves it to the
  // reaper.
  void Reclaim() {
    const std::uint64_t choice = Hash64(std::to_string(++reclaims_), plan_.seed) % 3;
    if (choice == 0) return;
    MustBeOk(database_.Reclaim({.dead_percent = 1, .everything = choice == 1}).status(),
             "reclaiming");
  }

  void Purge() {
    for (bool more = true; more;) {
      const auto report = database_.Purge({.rows_max = 7});
      MustBeOk(report.status(), "a purge");
      more = report->more_due;
      ReportEvents();
    }
  }

  void ReportEvents() {
    const auto events = database_.ReadEvents(last_event_, 1000);
    MustBeOk(events.status(), "reading events");
    for (const Event& event : *events) {
      last_event_ = event.sequence;
      ChildProcess::Write(
          Told{.kind = Told::Kind::kEvent, .number = event.sequence, .row = RowOf(event.key)});
    }
  }

  Database& database_;
  ManualClock& clock_;
  const DatabasePlan& plan_;
  std::uint64_t last_event_;
  std::uint64_t secret_ = 0;
  std::uint64_t reclaims_ = 0;
  std::shared_ptr<Keyspace> secrets_;
  std::unique_ptr<Reaper> reaper_;
};

bool SecretsAreLeft(const std::string& directory) {
  return !FileBytes(directory).FilesWith(kSecretMark).empty();
}

void ExpireForever(Database& database, ManualClock& clock, const DatabasePlan& plan) {
  Expiry(database, clock, plan).RunForever();
}

class Crash {
 public:
  Crash(StorageEngine engine, std::uint64_t seed) : engine_(engine), random_(seed), seed_(seed) {
    const ManualClock clock(kStart);
    const OneMachine machine(clock);
    const auto database = *OpenLeftBehind(engine_, directory_.Inside("db"), machine);
    EXPECT_TRUE(database->default_keyspace().SetPolicy({.events = EventDetail::kKeyAndValue}).ok());
    EXPECT_TRUE(database->CreateKeyspace(kSecrets, kSecretsPolicy).has_value());
  }

  // Runs the process until it is killed. Returns what is wrong with what it left, or nothing.
  std::string Cycle(bool splits_batches = false) {
    const bool by_own_hand = random_.OneIn(2);
    DatabasePlan plan{.work = "expire",
                      .engine = engine_,
                      .directory = directory_.Inside("db"),
                      .seed = seed_,
                      .first = rows_,
                      .known_events = events_.empty() ? 0 : events_.rbegin()->first,
                      .clock_ms = ToMs(now_),
                      .with_reaper = random_.OneIn(2),
                      .splits_batches = splits_batches};
    if (by_own_hand) plan.die_at_operation = random_.Between(1, 500);
    const std::uint64_t patience = random_.Between(0, 500);
    ChildProcess process(ToArguments(plan));
    for (std::uint64_t seen = 0;; ++seen) {
      if (!by_own_hand && seen == patience) process.Kill();
      const auto told = process.Next<Told>();
      if (!told) break;
      if (told->kind == Told::Kind::kDone) {
        rows_ = told->number + 1;
      } else if (!events_.emplace(told->number, told->row).second) {
        return fmt::format("event {} was read twice", told->number);
      }
    }
    if (!process.Wait()) return "the process ended by itself; its message is above";
    secrets_seen_ = secrets_seen_ || SecretsAreLeft(directory_.Inside("db"));
    return Check();
  }

  // Lets all rows die, and checks that every row has its one event.
  std::string Finish() {
    // The recorded time lags behind by a second at most, so rows put then may die that much later.
    ManualClock clock(now_ + 2 * kTtlMax + Millis(2000));
    const OneMachine machine(clock);
    const auto database = OpenLeftBehind(engine_, directory_.Inside("db"), machine);
    if (!database) return "it does not open: " + database.error().ToString();
    if (const auto report = (*database)->Purge(); !report || report->stale_entries > 0) {
      return "the last purge went wrong";
    }
    now_ = clock.Now();
    std::string wrong = CheckEvents(**database);
    if (!wrong.empty()) return wrong;
    wrong = CheckSecrets(**database);
    if (!wrong.empty()) return wrong;
    if (events_.size() == rows_) return "";
    return fmt::format("{} rows and {} events", rows_, events_.size());
  }

  std::uint64_t rows() const { return rows_; }
  bool secrets_seen() const { return secrets_seen_; }

 private:
  std::string Check() {
    const ManualClock clock(now_);
    const OneMachine machine(clock);
    const auto database = OpenLeftBehind(engine_, directory_.Inside("db"), machine);
    if (!database) return "it does not open: " + database.error().ToString();
    now_ = (*database)->clock_report().now;
    const auto check = (*database)->Check();
    if (!check) return check.status().ToString();
    if (!check->clean()) return "the check found: " + check->findings.at(0);
    std::string wrong = CheckEvents(**database);
    if (!wrong.empty()) return wrong;
    // Each row is still stored, dead or alive, or has an event. One more may have been under way.
    const std::uint64_t there = StatisticsOf(**database).rows;
    const std::uint64_t accounted = there + events_.size();
    if (accounted != rows_ && accounted != rows_ + 1) {
      return fmt::format("{} rows were put; {} are there and {} have events", rows_, there,
                         events_.size());
    }
    rows_ = accounted;
    return random_.OneIn(4) ? CloseAndFinish(*database) : "";
  }

  std::string CloseAndFinish(const std::unique_ptr<Database>& database) {
    const Status closed = database->Close();
    return closed.ok() ? Finish() : closed.ToString();
  }

  // Whatever the process left unfinished, the next round of promises leaves nothing.
  std::string CheckSecrets(Database& database) {
    const auto secrets = database.OpenKeyspace(kSecrets);
    if (!secrets) return secrets.status().ToString();
    if (const Status cleared = (*secrets)->Clear(); !cleared.ok()) return cleared.ToString();
    // The engine's own compaction of the opened files may hold it up for a moment.
    constexpr int kTriesMax = 100;
    for (int i = 0;; ++i) {
      const auto report = database.Reclaim({.everything = true});
      if (!report) return report.status().ToString();
      if (!report->held_up) break;
      if (i == kTriesMax) return "something is in the way of reclaiming";
    }
    return SecretsAreLeft(directory_.Inside("db")) ? "a secret is left in the files" : "";
  }

  // The log has no gap and one event for each row, and events read before are unchanged.
  std::string CheckEvents(const Database& database) {
    const auto found = database.ReadEvents(0, SIZE_MAX);
    if (!found) return found.status().ToString();
    std::map<std::uint64_t, std::uint64_t> by_row;
    std::uint64_t sequence = 0;
    for (const Event& event : *found) {
      const std::uint64_t row = RowOf(event.key);
      if (event.sequence != ++sequence) return fmt::format("event {} is missing", sequence);
      if (!by_row.emplace(row, sequence).second) return fmt::format("row {} died twice", row);
      if (event.value != ValueOf(row)) return fmt::format("row {} died with another value", row);
      if (event.purged_at < event.deadline) return fmt::format("row {} was purged alive", row);
      const auto [known, fresh] = events_.emplace(sequence, row);
      if (known->second != row) return fmt::format("event {} became another one", sequence);
    }
    if (sequence != events_.size()) return "events that were read are gone";
    return "";
  }

  const StorageEngine engine_;
  TemporaryDirectory directory_;
  Random random_;
  const std::uint64_t seed_;
  std::uint64_t rows_ = 0;                         // Put so far: 0 to rows_ - 1.
  std::map<std::uint64_t, std::uint64_t> events_;  // Known events: rows by sequence.
  WallTime now_ = kStart;
  bool secrets_seen_ = false;  // Otherwise not finding them would prove nothing.
};

class ExpiryCrash : public EachStoredEngine {};

TEST_P(ExpiryCrash, GivesEveryRowThatDiesExactlyOneEvent) {
  const std::uint64_t seed = NumberFromEnvironment("MAYFLY_SEED", FreshSeed());
  const std::uint64_t cycles = NumberFromEnvironment("MAYFLY_CYCLES", 30);
  fmt::print("MAYFLY_SEED={} MAYFLY_CYCLES={}\n", seed, cycles);
  Crash crash(GetParam(), seed);
  for (std::uint64_t cycle = 0; cycle < cycles; ++cycle) {
    ASSERT_EQ(crash.Cycle(), "") << "in cycle " << cycle << " of MAYFLY_SEED=" << seed;
  }
  EXPECT_EQ(crash.Finish(), "");
  EXPECT_GT(crash.rows(), cycles) << "the process never got anywhere";
  EXPECT_TRUE(crash.secrets_seen());
  fmt::print("{} rows died over {} deaths of the process\n", crash.rows(), cycles);
}

// The check must catch a database that is wrong, or it proves nothing.
TEST_P(ExpiryCrash, WouldCatchBatchesThatAreNotAtomic) {
  const std::uint64_t seed = NumberFromEnvironment("MAYFLY_SEED", FreshSeed());
  fmt::print("MAYFLY_SEED={}\n", seed);
  Crash crash(GetParam(), seed);
  constexpr int kCyclesMax = 200;
  for (int cycle = 0; cycle < kCyclesMax; ++cycle) {
    if (!crash.Cycle(true).empty()) return;
  }
  FAIL() << "not caught in " << kCyclesMax << " cycles of MAYFLY_SEED=" << seed;
}

INSTANTIATE_TEST_SUITE_P(On, ExpiryCrash, StoredEngines(), NameOfStored);

constexpr NamedWork kWorks[] = {
    {"expire", ExpireForever},
};

}  // namespace
}  // namespace mayfly::crash

int main(int argc, char** argv) {
  return mayfly::crash::RunTestsOrDatabase(argc, argv, mayfly::crash::kWorks);
}

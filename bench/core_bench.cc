// core_bench - what the calls of a TTL database cost on each engine, in wall and CPU time.
// One store is open at a time: loaded and warm before its reads, which come before its writes. CPU
// is that of the whole process, so that flushes and compactions count. What TTL adds to an engine:
// core_overhead.
#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include <memory>
#include <string>

#include "base/temporary_directory.h"
#include "core_store.h"
#include "dataset.h"
#include "must.h"
#include "settings.h"

namespace mayfly::bench {
namespace {

using namespace std::chrono_literals;

constexpr std::size_t kScanRows = 1000;  // Per cursor, so that its making is a small part.
constexpr std::size_t kTouches = 20;     // Of each session.

// The database that is open. Its clock stands still unless a benchmark moves it.
class Stage {
 public:
  Stage(const Dataset& data, const TemporaryDirectory& directory)
      : data_(data), directory_(directory) {}

  const Dataset& data() const { return data_; }
  const Mortality& mortality() const { return mortality_; }
  ManualClock& clock() { return clock_; }

  // The store of that engine, loaded unless it is open already. Closes any other.
  CoreStore& Enter(const std::string& engine) {
    if (name_ != engine) {
      Leave();
      store_ = Open(engine, engine);
      store_->Load(data_, mortality_);
      Warm();
      name_ = engine;
    }
    return *store_;
  }

  // A database of its own for a benchmark that leaves nothing as it was.
  std::unique_ptr<CoreStore> Open(const std::string& engine, const std::string& name) const {
    const bool memory = engine == "memory";
    return std::make_unique<CoreStore>(memory ? "" : directory_.Inside(name), clock_);
  }

  void Leave() {
    store_.reset();
    name_.clear();
  }

 private:
  void Warm() {
    const auto cursor = Must(store_->rows().NewCursor());
    std::size_t rows = 0;
    for (cursor->SeekToFirst(); cursor->Valid(); cursor->Next()) ++rows;
    Must(rows >= data_.rows() - 1, "a lost row");
  }

  const Dataset& data_;
  const TemporaryDirectory& directory_;
  ManualClock clock_{SystemClock::Process().Now()};
  const Mortality mortality_{data_, clock_.Now()};
  std::string name_;
  std::unique_ptr<CoreStore> store_;
};

using Body = void (*)(benchmark::State&, Stage&, const std::string& engine);

// Runs `body(rows, i)`, which does `step` operations from row i on, until the time is up.
template <typename Work>
void Run(benchmark::State& state, Stage& stage, const std::string& engine, std::size_t step,
         Work work) {
  if (state.thread_index() == 0) stage.Enter(engine);
  Keyspace* rows = nullptr;
  std::size_t i = stage.data().rows() / static_cast<std::size_t>(state.threads()) *
                  static_cast<std::size_t>(state.thread_index());
  while (state.KeepRunningBatch(static_cast<benchmark::IterationCount>(step))) {
    if (rows == nullptr) rows = &stage.Enter(engine).rows();
    work(*rows, i);
    i += step;
  }
}

void Get(benchmark::State& state, Stage& stage, const std::string& engine) {
  PinnedBytes value;
  Run(state, stage, engine, 1, [&](Keyspace& rows, std::size_t i) {
    Must(rows.Get(stage.mortality().plain_key(i), value));
  });
}

void GetTtl(benchmark::State& state, Stage& stage, const std::string& engine) {
  PinnedBytes value;
  Run(state, stage, engine, 1, [&](Keyspace& rows, std::size_t i) {
    Must(rows.Get(stage.mortality().mortal_key(i), value));
  });
}

void Scan(benchmark::State& state, Stage& stage, const std::string& engine) {
  Run(state, stage, engine, kScanRows, [&](Keyspace& rows, std::size_t i) {
    const auto cursor = Must(rows.NewCursor());
    cursor->SeekAtOrAfter(stage.data().key(i));
    for (std::size_t row = 0; row < kScanRows; ++row) {
      if (!cursor->Valid()) cursor->SeekToFirst();
      benchmark::DoNotOptimize(cursor->value());
      cursor->Next();
    }
  });
}

void Put(benchmark::State& state, Stage& stage, const std::string& engine) {
  Run(state, stage, engine, 1, [&](Keyspace& rows, std::size_t i) {
    Must(rows.Put(stage.mortality().plain_key(i), stage.data().value(i + 1)));
  });
}

void PutTtl(benchmark::State& state, Stage& stage, const std::string& engine) {
  Run(state, stage, engine, 1, [&](Keyspace& rows, std::size_t i) {
    // Another deadline each time round, so that every put moves an entry.
    const Millis ttl = 10h + Millis(static_cast<std::int64_t>(i));
    Must(rows.Put(stage.mortality().mortal_key(i), stage.data().value(i + 1), Lifetime::For(ttl)));
  });
}

void Expire(benchmark::State& state, Stage& stage, const std::string& engine) {
  Run(state, stage, engine, 1, [&](Keyspace& rows, std::size_t i) {
    const Millis ttl = 11h + Millis(static_cast<std::int64_t>(i));
    Must(rows.Expire(stage.mortality().mortal_key(i), Lifetime::For(ttl)).status());
  });
}

// One fifth of all rows is dead.
void Purge(benchmark::State& state, Stage& stage, const std::string& engine) {
  stage.Leave();
  ManualClock& clock = stage.clock();
  const auto store = stage.Open(engine, "purge");
  store->Load(stage.data(), stage.mortality());
  clock.Advance(stage.mortality().when_dead() - stage.mortality().start());
  const std::size_t dead = stage.mortality().dead_rows();
  while (state.KeepRunningBatch(static_cast<benchmark::IterationCount>(dead))) {
    Must(Must(store->database().Purge()).rows == dead, "other rows than the dead were purged");
  }
}

// A tenth as many sessions as there are rows.
void SlidingSession(benchmark::State& state, Stage& stage, const std::string& engine) {
  stage.Leave();
  const std::size_t sessions = stage.data().rows() / 10;
  const auto store = stage.Open(engine, "sessions");
  for (std::size_t i = 0; i < sessions; ++i) {
    Must(store->rows().Put(stage.data().key(i), stage.data().value(i), Lifetime::For(30min)));
  }
  while (state.KeepRunningBatch(static_cast<benchmark::IterationCount>(sessions * kTouches))) {
    for (std::size_t touch = 0; touch < kTouches; ++touch) {
      stage.clock().Advance(1min);
      for (std::size_t i = 0; i < sessions; ++i) {
        Must(store->rows().Touch(stage.data().key(i), Lifetime::For(30min)).status());
      }
    }
  }
  Must(Must(store->database().Check()).entries == sessions, "more than one entry for a session");
}

benchmark::internal::Benchmark* Register(const char* engine, const char* operation, Body body,
                                         Stage& stage) {
  auto* benchmark = benchmark::RegisterBenchmark(
      fmt::format("{}/{}", engine, operation).c_str(),
      [body, &stage, engine](benchmark::State& state) { body(state, stage, engine); });
  return benchmark->UseRealTime()->MeasureProcessCPUTime();
}

void RegisterEngine(const char* engine, Stage& stage) {
  // clang-format off
  const std::pair<const char*, Body> on_both_cores[] = {
      {"get",     Get},
      {"get_ttl", GetTtl},
      {"scan",    Scan},
      {"put",     Put},
      {"put_ttl", PutTtl},
      {"expire",  Expire},
  };
  // clang-format on
  for (const auto& [operation, body] : on_both_cores) {
    Register(engine, operation, body, stage)->Threads(1)->Threads(2);
  }
  // Once each: they take long.
  const auto times = [](std::size_t n) { return static_cast<benchmark::IterationCount>(n); };
  Register(engine, "sliding_session", SlidingSession, stage)
      ->Iterations(times(stage.data().rows() / 10 * kTouches));
  Register(engine, "purge", Purge, stage)->Iterations(times(stage.mortality().dead_rows()));
}

int Main(int argc, char** argv) {
  const Settings settings = TakeSettings(argc, argv);
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 2;
  const Dataset data(settings.rows);
  const TemporaryDirectory directory;
  // A stage each: the last benchmarks of an engine close its store and move its clock.
  Stage memory(data, directory);
  Stage rocks(data, directory);
  RegisterEngine("memory", memory);
  RegisterEngine("rocks", rocks);
  benchmark::AddCustomContext("rows", std::to_string(settings.rows));
  benchmark::RunSpecifiedBenchmarks();
  return 0;
}

}  // namespace
}  // namespace mayfly::bench

int main(int argc, char** argv) { return mayfly::bench::Main(argc, argv); }

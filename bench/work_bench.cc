// work_bench - the cost of a latched transaction beside the same call of the library, in CPU of the
// process. A latched transaction with one key is what a server runs for SET and GET: it should cost
// as much as Put() and Get(). Members are measured in a collection of a thousand.
#include <benchmark/benchmark.h>

#include <memory>
#include <string>

#include "base/temporary_directory.h"
#include "core/transactions/latched_transaction.h"
#include "core_store.h"
#include "dataset.h"
#include "must.h"
#include "settings.h"

namespace mayfly::bench {
namespace {

constexpr std::size_t kMembers = 1000;

struct Stage {
  explicit Stage(const Dataset& rows, const std::string& directory)
      : data(rows), store(directory, clock) {
    store.Load(data, Mortality(data, clock.Now()));
    auto transaction = Begin("set");
    core::TransactionKeyspace& space = transaction->In(store.rows());
    Must(space.MakeCollection("set", "head"));
    for (std::size_t i = 0; i < kMembers; ++i) {
      Must(space.PutMember("set", std::to_string(i), data.value(i)).status());
    }
    Must(transaction->Commit());
  }

  std::unique_ptr<core::LatchedTransaction> Begin(Bytes key) {
    return Must(core::BeginLatched(store.database(), {.keys = {{&store.rows(), key}}}));
  }

  const Dataset& data;
  ManualClock clock{SystemClock::Process().Now()};
  CoreStore store;
};

void LibraryPut(benchmark::State& state, Stage& stage) {
  std::size_t i = 0;
  for (auto _ : state) {
    Must(stage.store.rows().Put(stage.data.key(i % stage.data.rows()), stage.data.value(i + 1)));
    ++i;
  }
}

void WorkPut(benchmark::State& state, Stage& stage) {
  std::size_t i = 0;
  for (auto _ : state) {
    const Bytes key = stage.data.key(i % stage.data.rows());
    const auto transaction = stage.Begin(key);
    Must(
        transaction->In(stage.store.rows()).Put(key, stage.data.value(i + 1), Lifetime::Default()));
    Must(transaction->Commit());
    ++i;
  }
}

void LibraryGet(benchmark::State& state, Stage& stage) {
  std::size_t i = 0;
  PinnedBytes value;
  for (auto _ : state) {
    Must(stage.store.rows().Get(stage.data.key(i++ % stage.data.rows()), value));
  }
}

void WorkGet(benchmark::State& state, Stage& stage) {
  std::size_t i = 0;
  core::FoundRow row;
  for (auto _ : state) {
    const Bytes key = stage.data.key(i++ % stage.data.rows());
    const auto transaction = stage.Begin(key);
    Must(transaction->In(stage.store.rows()).Find(key, row));
    Must(row.exists, "a lost row");
    Must(transaction->Commit());
  }
}

void WorkPutMember(benchmark::State& state, Stage& stage) {
  std::size_t i = 0;
  for (auto _ : state) {
    const auto transaction = stage.Begin("set");
    Must(transaction->In(stage.store.rows())
             .PutMember("set", std::to_string(i % kMembers), stage.data.value(i))
             .status());
    Must(transaction->Commit());
    ++i;
  }
}

void WorkFindMember(benchmark::State& state, Stage& stage) {
  std::size_t i = 0;
  core::FoundRow row;
  core::FoundMember member;
  for (auto _ : state) {
    const auto transaction = stage.Begin("set");
    core::TransactionKeyspace& space = transaction->In(stage.store.rows());
    Must(space.Find("set", row));
    Must(space.FindMember("set", std::to_string(i++ % kMembers), member));
    Must(member.exists, "a lost member");
  }
}

}  // namespace
}  // namespace mayfly::bench

int main(int argc, char** argv) {
  using namespace mayfly::bench;
  const Settings settings = TakeSettings(argc, argv);
  const Dataset data(settings.rows);
  const mayfly::TemporaryDirectory directory;
  Stage stage(data, directory.Inside("db"));
  const auto add = [&](const char* name, void (*body)(benchmark::State&, Stage&)) {
    benchmark::RegisterBenchmark(name, [&stage, body](benchmark::State& state) {
      body(state, stage);
    })->MeasureProcessCPUTime();
  };
  add("get/library", LibraryGet);
  add("get/work", WorkGet);
  add("member/find", WorkFindMember);
  add("put/library", LibraryPut);
  add("put/work", WorkPut);
  add("member/put", WorkPutMember);
  benchmark::Initialize(&argc, argv);
  benchmark::RunSpecifiedBenchmarks();
  return 0;
}

// engine_bench - what each engine's calls cost, beside raw RocksDB, in wall and CPU time.
// One store is open at a time: loaded, compacted and warm before its reads, which come before its
// writes. CPU is that of the whole process, so that flushes and compactions count.
#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include <memory>
#include <string>
#include <vector>

#include "base/temporary_directory.h"
#include "dataset.h"
#include "engine_store.h"
#include "load.h"
#include "must.h"
#include "raw_rocks.h"
#include "settings.h"

namespace mayfly::bench {
namespace {

constexpr std::size_t kScanRows = 1000;  // Per cursor, so that its making is a small part.

// The store that is open, of whatever kind.
class Stage {
 public:
  Stage(const Dataset& data, const TemporaryDirectory& directory)
      : data_(data), directory_(directory) {}

  const Dataset& data() const { return data_; }

  // The store, loaded and warm unless it is open already. Closes any other.
  template <typename Store>
  Store& Enter() {
    if (name_ != Store::kName) {
      Leave();
      auto store = std::make_shared<Store>(directory_.Inside(Store::kName));
      Load(*store, data_);
      Warm(*store, data_);
      store_ = std::move(store);
      name_ = Store::kName;
    }
    return *static_cast<Store*>(store_.get());
  }

  void Leave() {
    store_.reset();
    name_.clear();
  }

 private:
  const Dataset& data_;
  const TemporaryDirectory& directory_;
  std::string name_;             // Of the kind of store_.
  std::shared_ptr<void> store_;  // Only for its deleter; not shared.
};

// Where a thread begins in the dataset: apart from the others.
std::size_t Start(const benchmark::State& state, const Dataset& data) {
  return data.rows() / static_cast<std::size_t>(state.threads()) *
         static_cast<std::size_t>(state.thread_index());
}

// Runs `body(store, session, i)`, which does `step` operations from row i on, until the time is up.
template <typename Store, typename Body>
void Run(benchmark::State& state, Stage& stage, std::size_t step, Body body) {
  // Every thread waits at the loop's head for the first, which opens the store meanwhile.
  if (state.thread_index() == 0) stage.Enter<Store>();
  typename Store::Session session;
  Store* store = nullptr;
  std::size_t i = Start(state, stage.data());
  while (state.KeepRunningBatch(static_cast<benchmark::IterationCount>(step))) {
    if (store == nullptr) store = &stage.Enter<Store>();
    body(*store, session, i);
    i += step;
  }
}

template <typename Store>
void GetHit(benchmark::State& state, Stage& stage) {
  Run<Store>(state, stage, 1, [&](const Store& store, auto& session, std::size_t i) {
    Must(store.Get(session, stage.data().key(i)), "a lost row");
  });
}

template <typename Store>
void GetMiss(benchmark::State& state, Stage& stage) {
  Run<Store>(state, stage, 1, [&](const Store& store, auto& session, std::size_t i) {
    Must(!store.Get(session, stage.data().missing_key(i)), "a row nobody wrote");
  });
}

template <typename Store, Direction kDirection>
void ScanRows(benchmark::State& state, Stage& stage) {
  Run<Store>(state, stage, kScanRows, [&](const Store& store, auto&, std::size_t i) {
    benchmark::DoNotOptimize(store.Scan(stage.data().key(i), kScanRows, kDirection));
  });
}

template <typename Store, Durability kDurability>
void Put(benchmark::State& state, Stage& stage) {
  Run<Store>(state, stage, 1, [&](Store& store, auto& session, std::size_t i) {
    store.Put(session, stage.data().key(i), stage.data().value(i + 1), kDurability);
  });
}

template <typename Store, Durability kDurability>
void PutBatch(benchmark::State& state, Stage& stage) {
  Run<Store>(state, stage, kBatchRows, [&](Store& store, auto& session, std::size_t i) {
    store.PutMany(session, stage.data(), i, kBatchRows, 1, kDurability);
  });
}

using Body = void (*)(benchmark::State&, Stage&);

void Register(const char* store, const char* operation, Body body, Stage& stage,
              const std::vector<int>& threads) {
  auto* benchmark =
      benchmark::RegisterBenchmark(fmt::format("{}/{}", store, operation).c_str(),
                                   [body, &stage](benchmark::State& state) { body(state, stage); });
  benchmark->UseRealTime()->MeasureProcessCPUTime();
  for (const int n : threads) benchmark->Threads(n);
}

template <typename Store>
void RegisterStore(Stage& stage) {
  const auto add = [&](const char* operation, Body body, const std::vector<int>& threads = {1, 2}) {
    Register(Store::kName, operation, body, stage, threads);
  };
  add("get_hit", GetHit<Store>);
  add("get_miss", GetMiss<Store>);
  add("scan_forward", ScanRows<Store, Direction::kForward>);
  add("scan_reverse", ScanRows<Store, Direction::kReverse>);
  add("put", Put<Store, Durability::kProcess>);
  add("batch_of_100", PutBatch<Store, Durability::kProcess>);
  add("batch_of_100_none", PutBatch<Store, Durability::kNone>, {1});
  if (Store::kName != std::string_view(MemoryStore::kName)) {
    add("put_disk", Put<Store, Durability::kDisk>, {1, 8});
  }
}

int Main(int argc, char** argv) {
  const Settings settings = TakeSettings(argc, argv);
  benchmark::Initialize(&argc, argv);
  if (benchmark::ReportUnrecognizedArguments(argc, argv)) return 2;
  const Dataset data(settings.rows);
  const TemporaryDirectory directory;
  Stage stage(data, directory);
  RegisterStore<MemoryStore>(stage);
  RegisterStore<RocksStore>(stage);
  RegisterStore<RawRocks>(stage);
  benchmark::AddCustomContext("rows", std::to_string(settings.rows));
  benchmark::RunSpecifiedBenchmarks();
  stage.Leave();
  return 0;
}

}  // namespace
}  // namespace mayfly::bench

int main(int argc, char** argv) { return mayfly::bench::Main(argc, argv); }

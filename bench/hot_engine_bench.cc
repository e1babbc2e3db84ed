// hot_engine_bench - the memory-first engine beside rocks, through the same contract.
// Each kind of operation is made in turns, a part on one engine, then the same part on the other,
// so that a machine that changes its speed changes it for both. Time is CPU of the process, threads
// of the engines included; a last line counts what each does at the end: Flush(). Then a database of
// the same rows is opened without and with the load of its rows into memory.
// --rows=N as in settings.h.
#include <fmt/format.h>
#include <time.h>

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "base/temporary_directory.h"
#include "dataset.h"
#include "engine/hot/hot_engine.h"
#include "engine/rocks/rocks_engine.h"
#include "mayfly/logger.h"
#include "must.h"
#include "settings.h"

namespace mayfly::bench {
namespace {

constexpr std::size_t kTurns = 20;
constexpr engine::Address kRows{.role = engine::Role::kRows};

double CpuNs() {
  timespec now{};
  ::clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) * 1e9 + static_cast<double>(now.tv_nsec);
}

struct Contender {
  std::string name;
  std::unique_ptr<engine::Engine> engine;
  engine::Batch batch = {};
  PinnedBytes value = {};
  std::vector<double> turns = {};  // ns per operation.
};

using Work = std::function<void(Contender&, std::size_t first, std::size_t count)>;

void Compare(const char* what, std::size_t count, std::vector<std::unique_ptr<Contender>>& all,
             const Work& work) {
  const std::size_t part = count / kTurns;
  for (auto& one : all) one->turns.clear();
  for (std::size_t turn = 0; turn < kTurns; ++turn) {
    for (auto& one : all) {
      const double before = CpuNs();
      work(*one, turn * part, part);
      one->turns.push_back((CpuNs() - before) / static_cast<double>(part));
    }
  }
  fmt::print("{:<12}", what);
  for (auto& one : all) {
    std::sort(one->turns.begin(), one->turns.end());
    double sum = 0;
    for (const double turn : one->turns) sum += turn;
    fmt::print(" {:>8.0f} {:>8.0f} {:>8.0f}", one->turns[kTurns / 2], sum / kTurns,
               one->turns.back());
  }
  fmt::print("\n");
  std::fflush(stdout);
}

void Put(Contender& one, Bytes key, Bytes value) {
  one.batch.Clear();
  one.batch.Put(kRows, key, value);
  Must(one.engine->Commit(one.batch));
}

void RunAll(const Dataset& data, std::vector<std::unique_ptr<Contender>>& all) {
  const auto each = [](auto call) {
    return [call](Contender& one, std::size_t first, std::size_t count) {
      for (std::size_t i = first; i < first + count; ++i) call(one, i);
    };
  };
  const std::size_t rows = data.rows();
  fmt::print("ns of CPU: median, mean and longest of {} turns\n{:<12}", kTurns, "");
  for (auto& one : all) fmt::print(" {:>26}", one->name);
  fmt::print("\n");
  Compare("put", rows, all,
          each([&](Contender& one, std::size_t i) { Put(one, data.key(i), data.value(i)); }));
  Compare("put over", rows, all, each([&](Contender& one, std::size_t i) {
            Put(one, data.key(i * 7), data.value(i + 1));
          }));
  Compare("get", rows, all, each([&](Contender& one, std::size_t i) {
            Must(one.engine->Get(kRows, data.key(i * 11), one.value));
          }));
  Compare("get missing", rows, all, each([&](Contender& one, std::size_t i) {
            Must(one.engine->Get(kRows, data.missing_key(i), one.value).IsNotFound(), "a row");
          }));
  Compare("scan", rows, all, [&](Contender& one, std::size_t first, std::size_t count) {
    const auto cursor = Must(one.engine->NewCursor(kRows));
    cursor->SeekAtOrAfter(data.key(first));
    for (std::size_t i = 0; i < count; ++i) {
      if (!cursor->Valid()) cursor->SeekToFirst();
      cursor->Next();
    }
  });
  Compare("delete", rows / 2, all, each([&](Contender& one, std::size_t i) {
            one.batch.Clear();
            one.batch.Delete(kRows, data.key(i));
            Must(one.engine->Commit(one.batch));
          }));
  fmt::print("{:<12}", "flush, all");
  for (auto& one : all) {
    const double before = CpuNs();
    Must(one->engine->Flush());
    fmt::print(" {:>20.0f} us   ", (CpuNs() - before) / 1000);
  }
  fmt::print("\n");
  for (auto& one : all) Must(one->engine->Close());
}

double WallMs() {
  timespec now{};
  ::clock_gettime(CLOCK_MONOTONIC, &now);
  return static_cast<double>(now.tv_sec) * 1e3 + static_cast<double>(now.tv_nsec) / 1e6;
}

// Waits for the message at the end of the load.
class LoadWatch final : public Logger {
 public:
  bool Wants(LogLevel level) const override { return level == LogLevel::kInfo; }
  void Write(LogLevel, std::string_view message) override {
    if (message.find("were loaded") == std::string_view::npos) return;
    is_over_ = true;
    is_over_.notify_all();
  }
  void Wait() { is_over_.wait(false); }

 private:
  std::atomic<bool> is_over_{false};
};

void MeasureReads(const Dataset& data, engine::Engine& engine) {
  const std::size_t count = data.rows() / 5;
  PinnedBytes value;
  const auto measure = [&](const char* what, auto call) {
    const double before = CpuNs();
    for (std::size_t i = 0; i < count; ++i) call(i);
    fmt::print("  {}: {:.0f} ns of CPU\n", what, (CpuNs() - before) / static_cast<double>(count));
  };
  const auto cursor = Must(engine.NewCursor(kRows));
  cursor->SeekToFirst();
  measure("scan, per row", [&](std::size_t) { cursor->Next(); });
  measure("get, missing", [&](std::size_t i) {
    Must(engine.Get(kRows, data.missing_key(i), value).IsNotFound(), "a row");
  });
  measure("get", [&](std::size_t i) { Must(engine.Get(kRows, data.key(i * 11), value)); });
}

void RunOpen(const Dataset& data, const std::string& directory) {
  {
    Contender one{.name = "hot", .engine = Must(engine::OpenHotEngine({.directory = directory}))};
    for (std::size_t i = 0; i < data.rows(); ++i) Put(one, data.key(i), data.value(i));
    Must(one.engine->Flush());
    Must(one.engine->Close());
  }
  for (const bool load : {false, true}) {
    LoadWatch watch;
    const double wall = WallMs();
    const double cpu = CpuNs();
    const auto engine = Must(
        engine::OpenHotEngine({.directory = directory, .logger = &watch}, {.load_at_open = load}));
    PinnedBytes value;
    Must(engine->Get(kRows, data.key(0), value));
    fmt::print("opened {} load: first get after {:.1f} ms\n", load ? "with" : "without",
               WallMs() - wall);
    if (load) {
      watch.Wait();
      fmt::print("  loaded after {:.0f} ms, {:.0f} ms of CPU\n", WallMs() - wall,
                 (CpuNs() - cpu) / 1e6);
    }
    MeasureReads(data, *engine);
    Must(engine->Close());
  }
}

}  // namespace
}  // namespace mayfly::bench

int main(int argc, char** argv) {
  using namespace mayfly::bench;
  Settings settings = TakeSettings(argc, argv);
  const Dataset data(settings.rows);
  const mayfly::TemporaryDirectory directory;
  std::vector<std::unique_ptr<Contender>> all;
  const auto add = [&](const char* name, std::unique_ptr<mayfly::engine::Engine> engine) {
    all.push_back(std::make_unique<Contender>());
    all.back()->name = name;
    all.back()->engine = std::move(engine);
  };
  add("rocks", Must(mayfly::engine::OpenRocksEngine({.directory = directory.Inside("rocks")})));
  add("hot", Must(mayfly::engine::OpenHotEngine({.directory = directory.Inside("hot")})));
  add("hot, no log", mayfly::engine::NewHotMemoryEngine());
  RunAll(data, all);
  RunOpen(data, directory.Inside("opened"));
}

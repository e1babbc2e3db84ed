// cluster_bench.cc - a shard of a cluster beside the engines of one machine.
//   cluster_bench CEPH_CONF [ROWS]
// Prints microseconds per operation of gets, puts and batches, how many commits share a write of
// the store, what a shard takes in memory, and how long opening one takes. A Ceph of
// scripts/cephlab does; its pool is "mayfly". Rows have keys of 16 bytes and values of 100.
#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>
#include <fstream>
#include <functional>
#include <thread>
#include <vector>

#include "base/check.h"
#include "base/random.h"
#include "base/temporary_directory.h"
#include "engine/cluster/objects/await.h"
#include "engine/cluster/objects/testing/memory_objects.h"
#include "engine/cluster/plugin/rados_plugin.h"
#include "engine/cluster/shard/shard_engine.h"
#include "engine/cluster/shard/shard_layout.h"
#include "engine/hot/hot_engine.h"
#include "engine/memory/memory_engine.h"
#include "engine/rocks/rocks_engine.h"
#include "mayfly/clock.h"

namespace mayfly::engine::cluster {
namespace {

constexpr std::size_t kBatchRows = 100;
const std::string kValue(100, 'v');

std::string KeyOf(std::uint64_t number) { return fmt::format("key:{:012}", number); }

double Seconds(const std::function<void()>& work) {
  const SteadyTime began = SystemClock::Process().Passed();
  work();
  return std::chrono::duration<double>(SystemClock::Process().Passed() - began).count();
}

std::uint64_t ResidentBytes() {
  std::FILE* const file = std::fopen("/proc/self/statm", "r");
  std::uint64_t all = 0;
  std::uint64_t resident = 0;
  MAYFLY_CHECK(file != nullptr && std::fscanf(file, "%lu %lu", &all, &resident) == 2, "statm");
  std::fclose(file);
  return resident * static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
}

// Of which a process may have 65,530.
std::uint64_t Mappings() {
  std::ifstream maps("/proc/self/maps");
  std::string line;
  std::uint64_t count = 0;
  while (std::getline(maps, line)) ++count;
  return count;
}

void Must(const Status& status) { MAYFLY_CHECK(status.ok(), status.ToString().c_str()); }

// `count` calls by as many threads; microseconds per call, by the clock on the wall.
double Micros(std::size_t threads, std::size_t count,
              const std::function<void(std::size_t thread, std::size_t i)>& call) {
  const double seconds = Seconds([&] {
    std::vector<std::thread> running;
    for (std::size_t thread = 0; thread < threads; ++thread) {
      running.emplace_back([&, thread] {
        for (std::size_t i = 0; i < count / threads; ++i) call(thread, i);
      });
    }
    for (std::thread& each : running) each.join();
  });
  return seconds * 1e6 / static_cast<double>(count);
}

void Fill(Engine& engine, std::size_t rows, Role role = Role::kRows) {
  for (std::size_t row = 0; row < rows;) {
    Batch batch;
    for (std::size_t i = 0; i < 1000 && row < rows; ++i, ++row) {
      batch.Put({.role = role}, KeyOf(row), role == Role::kRows ? kValue : "");
    }
    Must(engine.Commit(batch));
  }
}

struct Figures {
  double get, put, put_16, put_64, batch;
};

Figures Measure(Engine& engine, std::size_t rows, std::size_t gets, std::size_t puts) {
  Fill(engine, rows);
  const auto put = [&](std::size_t thread, std::size_t i) {
    Batch batch;
    batch.Put({}, KeyOf((i * 64 + thread) % rows), kValue);
    Must(engine.Commit(batch));
  };
  Figures figures{};
  Random random(1);
  figures.get = Micros(1, gets, [&](std::size_t, std::size_t) {
    PinnedBytes value;
    Must(engine.Get({}, KeyOf(random.Below(rows)), value));
  });
  figures.put = Micros(1, puts, put);
  figures.put_16 = Micros(16, puts * 4, put);
  figures.put_64 = Micros(64, puts * 8, put);
  figures.batch = Micros(1, puts / 4,
                         [&](std::size_t, std::size_t i) {
                           Batch batch;
                           for (std::size_t row = 0; row < kBatchRows; ++row) {
                             batch.Put({}, KeyOf((i * kBatchRows + row) % rows), kValue);
                           }
                           Must(engine.Commit(batch));
                         }) /
                  kBatchRows;
  return figures;
}

void Print(const char* name, const Figures& f) {
  fmt::print("{:<28}{:>9.2f}{:>11.2f}{:>11.2f}{:>11.2f}{:>11.2f}\n", name, f.get, f.put, f.put_16,
             f.put_64, f.batch);
  std::fflush(stdout);
}

std::shared_ptr<Shard> OpenShard(const std::shared_ptr<ObjectStore>& store,
                                 const std::string& object, std::uint64_t epoch) {
  const OwnerRecord record{.server = 1, .incarnation = 1, .epoch = epoch};
  MapWrite claim;
  claim.sets = {{OwnerKey(), Encode(record)}};
  Must(AwaitWrite(*store, object, std::make_shared<const MapWrite>(std::move(claim))));
  const auto lease = std::make_shared<ReadLease>(SystemClock::Process());
  lease->SetUntil(SteadyTime::max());
  auto shard = std::make_shared<Shard>(
      store, ShardPlace{.object = object, .name = object, .record = record}, lease, ShardOptions());
  Must(shard->Load());
  return shard;
}

void MeasureShard(const char* name, const std::shared_ptr<ObjectStore>& store, std::size_t rows,
                  std::size_t puts) {
  const std::string object = fmt::format("bench{}.shard.0", FreshSeed());
  const auto shard = OpenShard(store, object, 1);
  const auto engine = NewShardEngine(shard);
  Print(name, Measure(*engine, rows, 200'000, puts));
  for (const std::size_t threads : {1UL, 16UL, 64UL}) {
    const std::uint64_t batches = shard->counts().batches;
    const std::uint64_t groups = shard->counts().groups;
    Micros(threads, threads * puts / 16, [&](std::size_t thread, std::size_t i) {
      Batch batch;
      batch.Put({}, KeyOf((i * 64 + thread) % rows), kValue);
      Must(engine->Commit(batch));
    });
    fmt::print("  {} threads: {:.1f} commits per write of the store\n", threads,
               static_cast<double>(shard->counts().batches - batches) /
                   static_cast<double>(shard->counts().groups - groups));
  }
  Fill(*engine, rows, Role::kExpiry);
  std::shared_ptr<Shard> again;
  const std::uint64_t before = ResidentBytes();
  const double seconds = Seconds([&] { again = OpenShard(store, object, 2); });
  fmt::print("  opening {} rows and as many entries: {:.0f} ms, {:.1f} MiB of memory\n", rows,
             seconds * 1000, static_cast<double>(ResidentBytes() - before) / 1048576.0);
}

// What hundreds of empty states take.
void MeasureEmpty(const char* name, const std::function<std::unique_ptr<Engine>()>& make) {
  constexpr std::size_t kEngines = 200;
  const std::uint64_t before = ResidentBytes();
  const std::uint64_t mappings = Mappings();
  std::vector<std::unique_ptr<Engine>> engines;
  const double seconds = Seconds([&] {
    for (std::size_t i = 0; i < kEngines; ++i) engines.push_back(make());
  });
  fmt::print("{}: {:.1f} KiB, {:.1f} mappings and {:.2f} ms each when empty", name,
             static_cast<double>(ResidentBytes() - before) / 1024.0 / kEngines,
             static_cast<double>(Mappings() - mappings) / kEngines, seconds * 1000 / kEngines);
  const std::uint64_t empty = ResidentBytes();
  const double filling = Seconds([&] {
    Fill(*engines.front(), 50'000);
    Fill(*engines.front(), 50'000, Role::kExpiry);
  });
  fmt::print("; {:.1f} MiB and {:.0f} ms for 50000 rows and entries\n",
             static_cast<double>(ResidentBytes() - empty) / 1048576.0, filling * 1000);
  std::fflush(stdout);
}

void Run(const char* conf_file, std::size_t rows) {
  MeasureEmpty("memory", [] { return NewMemoryEngine(); });
  MeasureEmpty("hot in memory", [] {
    HotOptions options;
    options.reserved_bytes = std::size_t{4} << 30;
    options.huge_pages = false;
    options.has_thread = false;
    return NewHotMemoryEngine(options);
  });
  fmt::print(
      "\nmicroseconds                    get        put     put x16    put x64  batch/row\n");
  const TemporaryDirectory directory;
  {
    RocksOptions rocks;
    rocks.directory = directory.Inside("rocks");
    Print("rocks", Measure(*OpenRocksEngine(rocks).value(), rows, 200'000, 20'000));
    rocks.directory = directory.Inside("hot");
    Print("hot", Measure(*OpenHotEngine(rocks).value(), rows, 200'000, 20'000));
  }
  MeasureShard("shard, objects in memory",
               std::make_shared<MemoryObjectStore>(std::make_shared<MemoryObjects>()), rows, 4'000);
  RadosOptions rados;
  rados.conf_file = conf_file;
  rados.pool = "mayfly";
  const auto store = OpenRados(rados);
  Must(store.status());
  MeasureShard("shard on Ceph", *store, rows, 400);
}

}  // namespace
}  // namespace mayfly::engine::cluster

int main(int argc, char** argv) {
  if (argc < 2) {
    fmt::print(stderr, "cluster_bench CEPH_CONF [ROWS]\n");
    return 2;
  }
  mayfly::engine::cluster::Run(argv[1], argc > 2 ? std::stoull(argv[2]) : 50'000);
  return 0;
}

// Measures the files of the rocks engine: the memory of indexes and filters, and a get with them in
// the block cache or beside it; a flush and a drop of a file at ever more files; and a commit that
// fills a write buffer on a disk with slow syncs.
// CPU time of the calling thread, except for the last, which waits: wall time. Variants take turns.
#include <fmt/format.h>
#include <rocksdb/filter_policy.h>
#include <rocksdb/table.h>
#include <sys/resource.h>

#include <algorithm>
#include <chrono>
#include <filesystem>
#include <functional>
#include <thread>
#include <vector>

#include "base/random.h"
#include "base/temporary_directory.h"
#include "engine/rocks/rocks_engine.h"
#include "engine/rocks/rocks_profile.h"
#include "must.h"

namespace mayfly::bench {
namespace {

using engine::Address;
using engine::Batch;
using engine::Profile;
using engine::Role;

constexpr Address kAt{Role::kRows};
constexpr int kTurns = 5;

std::string KeyOf(std::uint64_t row) {
  return fmt::format("row:{:012}", row * 2654435761 % 1000000007);
}

double ThreadSeconds() {
  timespec now{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) / 1e9;
}

double Median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

// How indexes and filters are kept.
struct Variant {
  const char* name;
  bool in_cache;
  bool partitioned;
  int open_files_max;
};
constexpr Variant kVariants[] = {
    {"beside the cache", false, false, -1},
    {"in the cache", true, false, -1},
    {"in the cache, in parts", true, true, -1},
    {"beside it, at most 4096 files", false, false, 4096},
};

engine::RocksSetup SetupOf(const std::string& directory, const Variant& variant) {
  engine::RocksSetup setup =
      engine::SetupRocks({.directory = directory, .profile = Profile::kServer});
  setup.database.create_if_missing = true;
  setup.database.create_missing_column_families = true;
  setup.database.max_open_files = variant.open_files_max;
  for (auto& family : setup.families) {
    auto* const table = family.options.table_factory->GetOptions<rocksdb::BlockBasedTableOptions>();
    table->cache_index_and_filter_blocks = variant.in_cache;
    table->cache_index_and_filter_blocks_with_high_priority = true;
    table->pin_l0_filter_and_index_blocks_in_cache = variant.in_cache;
    if (variant.partitioned) {
      table->index_type = rocksdb::BlockBasedTableOptions::kTwoLevelIndexSearch;
      table->partition_filters = true;
      table->pin_top_level_index_and_filter = true;
    }
  }
  return setup;
}

struct OpenRocks {
  engine::RocksSetup setup;
  std::unique_ptr<rocksdb::DB> database;
  std::vector<rocksdb::ColumnFamilyHandle*> families;

  OpenRocks(const std::string& directory, const Variant& variant)
      : setup(SetupOf(directory, variant)) {
    rocksdb::DB* opened = nullptr;
    const auto status =
        rocksdb::DB::Open(setup.database, directory, setup.families, &families, &opened);
    if (!status.ok()) fmt::print("{}\n", status.ToString());
    database.reset(opened);
  }
  ~OpenRocks() {
    for (auto* family : families) database->DestroyColumnFamilyHandle(family);
  }
};

void Load(rocksdb::DB& database, std::uint64_t rows) {
  Random random(1);
  for (std::uint64_t row = 0; row < rows;) {
    rocksdb::WriteBatch batch;
    for (int i = 0; i < 100 && row < rows; ++i, ++row) batch.Put(KeyOf(row), random.Bytes(100));
    database.Write({}, &batch);
  }
  database.CompactRange({}, nullptr, nullptr);
}

double GetNanoseconds(rocksdb::DB& database, std::uint64_t rows, std::uint64_t seed) {
  Random random(seed);
  constexpr int kGets = 200'000;
  rocksdb::PinnableSlice value;
  const double began = ThreadSeconds();
  for (int i = 0; i < kGets; ++i) {
    value.Reset();
    database.Get({}, database.DefaultColumnFamily(), KeyOf(random.Below(rows)), &value);
  }
  return (ThreadSeconds() - began) / kGets * 1e9;
}

void MeasureMemory(std::uint64_t rows) {
  TemporaryDirectory directory;
  std::vector<std::unique_ptr<OpenRocks>> open;
  for (const Variant& variant : kVariants) {
    open.push_back(
        std::make_unique<OpenRocks>(directory.Inside(fmt::format("{}", open.size())), variant));
    Load(*open.back()->database, rows);
  }
  rocksdb::TablePropertiesCollection properties;
  open[0]->database->GetPropertiesOfAllTables(&properties);
  std::uint64_t data = 0;
  std::uint64_t index = 0;
  std::uint64_t filter = 0;
  for (const auto& [name, one] : properties) {
    data += one->data_size;
    index += one->index_size;
    filter += one->filter_size;
  }
  fmt::print("{} rows: data {} B, index {} B ({:.2f} %), filters {} B ({:.2f} %)\n", rows, data,
             index, 100.0 * static_cast<double>(index) / static_cast<double>(data), filter,
             100.0 * static_cast<double>(filter) / static_cast<double>(data));
  std::vector<std::vector<double>> gets(open.size());
  for (int turn = -1; turn < kTurns; ++turn) {
    for (std::size_t i = 0; i < open.size(); ++i) {
      const double one =
          GetNanoseconds(*open[i]->database, rows, static_cast<std::uint64_t>(turn) + 2);
      if (turn >= 0) gets[i].push_back(one);
    }
  }
  for (std::size_t i = 0; i < open.size(); ++i) {
    std::uint64_t readers = 0;
    open[i]->database->GetAggregatedIntProperty(rocksdb::DB::Properties::kEstimateTableReadersMem,
                                                &readers);
    fmt::print("  get, warm, {:30} {:6.0f} ns   (readers hold {} B)\n", kVariants[i].name,
               Median(gets[i]), readers);
  }
}

// CPU of the whole process: RocksDB flushes on a thread of its own.
double ProcessSeconds() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  const auto seconds = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) / 1e6;
  };
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

void MeasureFiles(int files) {
  TemporaryDirectory directory;
  auto engine = Must(engine::OpenRocksEngine({.directory = directory.Inside("db"),
                                              .profile = Profile::kServer,
                                              .write_buffer_bytes = 8 << 20}));
  // Files of the last level that do not overlap, each by itself.
  for (int file = 0; file < files; ++file) {
    Batch batch;
    for (int row = 0; row < 100; ++row) {
      batch.Put(kAt, fmt::format("{:06}:{:06}", file, row), std::string(100, 'v'));
    }
    Must(engine->Commit(batch));
    Must(engine->Flush());
    const auto list = Must(engine->Files(Role::kRows));
    for (const auto& one : list) {
      if (one.level == 0) Must(engine->CompactFile(Role::kRows, one.name));
    }
  }
  const auto list = Must(engine->Files(Role::kRows));
  constexpr int kTimes = 20;
  std::vector<double> flushes;
  std::vector<double> drops;
  for (int i = 0; i < kTimes; ++i) {
    Batch batch;
    for (int row = 0; row < 1000; ++row) {
      batch.Put({Role::kMembers}, fmt::format("{:06}:{:06}", i, row), std::string(100, 'v'));
    }
    Must(engine->Commit(batch));
    double began = ProcessSeconds();
    Must(engine->Flush());
    flushes.push_back((ProcessSeconds() - began) * 1e3);
    began = ProcessSeconds();
    if (!Must(engine->DropFile(Role::kRows, list[static_cast<std::size_t>(i)].name))) {
      fmt::print("not dropped\n");
    }
    drops.push_back((ProcessSeconds() - began) * 1e3);
  }
  fmt::print("{:5} files: flush of 1,000 rows {:.2f} ms, drop {:.2f} ms (CPU of the process)\n",
             list.size(), Median(flushes), Median(drops));
}

// Run with a preloaded library that makes fdatasync() slow, to see which calls wait for it.
void MeasureSeal() {
  TemporaryDirectory directory;
  auto engine = Must(
      engine::OpenRocksEngine({.directory = directory.Inside("db"), .profile = Profile::kServer}));
  std::vector<double> commits;
  Random random(7);
  for (int i = 0; i < 60'000; ++i) {
    Batch batch;
    batch.Put(kAt, KeyOf(static_cast<std::uint64_t>(i)), random.Bytes(1000));
    const auto began = std::chrono::steady_clock::now();
    Must(engine->Commit(batch));
    commits.push_back(
        std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - began)
            .count());
  }
  std::sort(commits.begin(), commits.end());
  const auto at = [&](double share) {
    return commits[static_cast<std::size_t>(share * static_cast<double>(commits.size() - 1))];
  };
  fmt::print(
      "60,000 commits of 1 KB: median {:.0f} us, p99 {:.0f} us, p99.9 {:.0f} us, worst {:.0f} us\n",
      at(0.5), at(0.99), at(0.999), at(1));
}

}  // namespace
}  // namespace mayfly::bench

int main(int argc, char** argv) {
  const std::string what = argc > 1 ? argv[1] : "";
  if (what.empty() || what == "memory") {
    mayfly::bench::MeasureMemory(200'000);
    mayfly::bench::MeasureMemory(2'000'000);
  }
  if (what.empty() || what == "files") {
    mayfly::bench::MeasureFiles(100);
    mayfly::bench::MeasureFiles(1000);
  }
  if (what.empty() || what == "seal") mayfly::bench::MeasureSeal();
}

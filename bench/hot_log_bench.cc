// hot_log_bench.cc - what a commit costs in the log of the memory-first engine.
// CPU of the process per record of 150 bytes, written or mapped, by one and two threads, alone and
// in groups of 16; then wall time of commits with kDisk. Variants alternate in one process; medians
// of the rounds. Rotation is counted.
#include <fmt/format.h>
#include <time.h>

#include <algorithm>
#include <chrono>
#include <memory>
#include <string>
#include <thread>
#include <vector>

#include "base/temporary_directory.h"
#include "engine/hot/log/hot_log.h"

namespace mayfly::engine::hot {
namespace {

constexpr std::uint64_t kRecords = 400000;  // Per round, by all threads together.
constexpr std::size_t kRounds = 7;
constexpr std::size_t kPayloadBytes = 150 - kRecordHeaderBytes;

double CpuNanoseconds() {
  timespec now = {};
  ::clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return static_cast<double>(now.tv_sec) * 1e9 + static_cast<double>(now.tv_nsec);
}

double WallNanoseconds() {
  return std::chrono::duration<double, std::nano>(
             std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

void Must(bool ok, const Status& status) {
  if (ok) return;
  fmt::print(stderr, "{}\n", status.ToString());
  std::exit(1);
}

struct Variant {
  const char* name;
  bool mapped;
  std::size_t threads;
  std::size_t group;
  bool disk;
  std::uint64_t records;
};

struct Cost {
  double cpu = 0;
  double wall = 0;
};

void AppendMany(HotLog& log, const Variant& variant) {
  const std::string payload(kPayloadBytes, 'x');
  const std::vector<Bytes> group(variant.group, payload);
  const std::uint64_t calls = variant.records / variant.threads / variant.group;
  for (std::uint64_t i = 0; i < calls; ++i) {
    const auto appended = log.Append(group);
    Must(appended.has_value(), appended.has_value() ? Status() : appended.error());
    if (variant.disk) {
      const Status synced = log.Sync(*appended);
      Must(synced.ok(), synced);
    }
  }
}

Cost Measure(const Variant& variant) {
  const TemporaryDirectory directory;
  const auto files = NewLogFiles(directory.Inside("log"));
  auto log = HotLog::Open({.files = files.get(),
                           .segment_bytes = kSegmentBytesDefault,
                           .mapped = variant.mapped,
                           .replay_from = 1,
                           .key = nullptr},
                          [](const LogRecord&) { return Status(); });
  Must(log.has_value(), log.has_value() ? Status() : log.error());
  const double cpu = CpuNanoseconds();
  const double wall = WallNanoseconds();
  {
    std::vector<std::jthread> threads;
    for (std::size_t i = 1; i < variant.threads; ++i) {
      threads.emplace_back([&] { AppendMany(**log, variant); });
    }
    AppendMany(**log, variant);
  }
  const auto records = static_cast<double>(variant.records);
  return {.cpu = (CpuNanoseconds() - cpu) / records, .wall = (WallNanoseconds() - wall) / records};
}

double Median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

int Run() {
  const Variant variants[] = {
      {"written, 1 thread", false, 1, 1, false, kRecords},
      {"written, 2 threads", false, 2, 1, false, kRecords},
      {"written, groups of 16, 1 thread", false, 1, 16, false, kRecords},
      {"mapped, 1 thread", true, 1, 1, false, kRecords},
      {"mapped, 2 threads", true, 2, 1, false, kRecords},
      {"mapped, groups of 16, 1 thread", true, 1, 16, false, kRecords},
      {"written, kDisk, 1 thread", false, 1, 1, true, 300},
      {"written, kDisk, 8 threads", false, 8, 1, true, 4000},
      {"mapped, kDisk, 1 thread", true, 1, 1, true, 300},
      {"mapped, kDisk, 8 threads", true, 8, 1, true, 4000},
  };
  std::vector<std::vector<double>> cpu(std::size(variants));
  std::vector<std::vector<double>> wall(std::size(variants));
  for (std::size_t round = 0; round < kRounds; ++round) {
    for (std::size_t i = 0; i < std::size(variants); ++i) {
      const Cost cost = Measure(variants[i]);
      cpu[i].push_back(cost.cpu);
      wall[i].push_back(cost.wall);
    }
  }
  fmt::print("{:34} {:>9} {:>9} {:>9} {:>9}\n", "ns per record of 150 bytes", "CPU", "least",
             "most", "wall");
  for (std::size_t i = 0; i < std::size(variants); ++i) {
    fmt::print("{:34} {:9.0f} {:9.0f} {:9.0f} {:9.0f}\n", variants[i].name, Median(cpu[i]),
               *std::min_element(cpu[i].begin(), cpu[i].end()),
               *std::max_element(cpu[i].begin(), cpu[i].end()), Median(wall[i]));
  }
  return 0;
}

}  // namespace
}  // namespace mayfly::engine::hot

int main() { return mayfly::engine::hot::Run(); }

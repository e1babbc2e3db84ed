// expiry_scenario.h - what the scenarios of expiry_bench share: settings, verdicts, databases whose
// time can be moved, and what a directory takes on the disk.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "mayfly/clock.h"
#include "mayfly/database.h"

namespace mayfly::bench {

inline constexpr std::size_t kExpiryKeyBytes = 16;

struct ExpirySettings {
  std::string out = ".";   // --out DIR: where the CSV files go.
  double scale = 1.0;      // --scale X: rows, and rows per second, times this.
  bool quick = false;      // --quick: a smoke run of a minute; its figures mean little.
  ReaperOptions reaper;    // --work-percent N, --step-rows N; the rest as the library has it.
  std::size_t rounds = 3;  // --rounds N: pairs of runs of the burst.
  // --engine memory-first|rocks: of databases on disk; the first if it is not named. The purge is
  // measured on this one alone, and "memory" names one without a directory.
  std::string engine;

  StorageEngine OnDisk() const {
    return engine == "rocks" ? StorageEngine::kRocks : StorageEngine::kMemoryFirst;
  }

  std::size_t Rows(std::size_t rows) const {
    return static_cast<std::size_t>(static_cast<double>(rows) * scale * (quick ? 0.2 : 1.0));
  }
};

// Prints results and remembers whether a bar was missed.
class Verdicts {
 public:
  void AtMost(std::string_view what, double value, double bar);
  void Holds(std::string_view what, bool holds);
  bool missed() const { return missed_; }

 private:
  bool missed_ = false;
};

struct ScenarioContext {
  const ExpirySettings& settings;
  Verdicts& verdicts;
};

// One per source file.
void RunSteady(const ScenarioContext& context);
void RunIdle(const ScenarioContext& context);
void RunBurst(const ScenarioContext& context);
void RunScan(const ScenarioContext& context);
void RunPurge(const ScenarioContext& context);

// The machine's time plus an offset, so that a run can move to a deadline an hour away. The offset
// stays well below DatabaseOptions::clock_jump_max.
class MovedClock final : public Clock {
 public:
  const Clock& clock() const { return *this; }
  void MoveTo(WallTime instant) { ahead_ms_ += (instant - Now()).count(); }

  WallTime Now() const override { return machine_.Now() + ahead(); }
  SteadyTime Steady() const override { return machine_.Steady(); }
  void Sleep(Waker& waker, WallTime until) const override {
    machine_.Sleep(waker, until - ahead());
  }
  std::string BootId() const override { return machine_.BootId(); }
  bool IsSynchronized() const override { return machine_.IsSynchronized(); }

 private:
  Millis ahead() const { return Millis(ahead_ms_.load()); }

  const SystemClock& machine_ = SystemClock::Process();
  std::atomic<std::int64_t> ahead_ms_{0};
};

// Bytes on disk. `sizes` adds up the lengths of the files, `blocks` what the file system has set
// aside for them: RocksDB asks for the space of a log in advance.
struct DiskUse {
  std::uint64_t sizes = 0;
  std::uint64_t blocks = 0;
  std::uint64_t logs = 0;  // Of the sizes, write-ahead logs.
};
DiskUse DiskUseOf(const std::string& directory);

// Seconds since it was made, by the machine's steady clock.
class Stopwatch {
 public:
  double Seconds() const;

 private:
  SteadyTime start_ = SystemClock::Process().Steady();
};

void SleepSeconds(double seconds);

// Waits for compactions that are under way to end: nothing changes on the disk for a second.
void AwaitStillDisk(const std::string& directory);

// Prints the bytes that the reaper rewrote, beside those the user wrote.
void PrintReclaimed(const Statistics& statistics, std::uint64_t user_bytes);

constexpr double MiB(std::uint64_t bytes) { return static_cast<double>(bytes) / (1 << 20); }

}  // namespace mayfly::bench

// database_home.h - a database on each engine, on a clock that stands still.
#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "base/temporary_directory.h"
#include "core/store/store_of.h"
#include "mayfly/database.h"

namespace mayfly {

// kShard: one of a cluster, for which the test says how it is opened.
enum class EngineKind : std::uint8_t { kMemory, kRocks, kMemoryFirst, kShard };

inline std::string NameOf(EngineKind kind) {
  switch (kind) {
    case EngineKind::kMemory: return "Memory";
    case EngineKind::kRocks: return "Rocks";
    case EngineKind::kMemoryFirst: return "MemoryFirst";
    case EngineKind::kShard: return "Shard";
  }
  return {};
}

// So few that rows leave memory during a test.
inline constexpr std::uint64_t kMemoryRowsBytes = 256 << 10;

// A plausible date, far from any edge.
inline constexpr WallTime kStart = WallTimeFromMs(1'700'000'000'000);

class DatabaseHome {
 public:
  // Opens a database in place of Database::Open().
  using Opener = std::function<Result<std::unique_ptr<Database>>(const DatabaseOptions& options)>;

  explicit DatabaseHome(EngineKind kind, DatabaseOptions options = {}, WallTime start = kStart,
                        Opener opener = Database::Open)
      : kind_(kind), clock_(start), options_(std::move(options)), opener_(std::move(opener)) {
    options_.clock = &clock_;
    options_.memory = MemoryProfile::kTiny;
    if (persistent()) options_.directory = directory_.Inside("db");
    if (kind_ == EngineKind::kRocks) options_.engine = StorageEngine::kRocks;
    if (kind_ == EngineKind::kMemoryFirst) {
      options_.engine = StorageEngine::kMemoryFirst;
      options_.memory_rows_bytes_max = kMemoryRowsBytes;
    }
    Open();
  }

  ~DatabaseHome() { database_.reset(); }

  Database& database() { return *database_; }
  Keyspace& keyspace() { return database_->default_keyspace(); }
  ManualClock& clock() { return clock_; }
  bool persistent() const { return kind_ != EngineKind::kMemory; }
  DatabaseOptions& options() { return options_; }

  void Open() {
    auto opened = opener_(options_);
    ASSERT_TRUE(opened.has_value()) << opened.status().ToString();
    database_ = *std::move(opened);
    if (unpacks_) Unpack();
  }

  // From now on small collections, too, have rows of their own for their members.
  void Unpack() {
    unpacks_ = true;
    core::StoreOf(*database_).draft_bounds().packed_bytes_max = 0;
  }

  // Closes and opens again. Keeps everything on a persistent engine; else empty.
  void Reopen() {
    ASSERT_TRUE(database_->Close().ok());
    database_.reset();
    Open();
  }

  // Reclaims until nothing dead or deleted is left. The engine's own compaction may hold it up for
  // a moment.
  void ReclaimEverything() {
    constexpr int kTriesMax = 100;
    for (int i = 0; i < kTriesMax; ++i) {
      const auto report = database_->Reclaim({.everything = true});
      ASSERT_TRUE(report.has_value()) << report.status().ToString();
      if (!report->held_up) return;
    }
    ADD_FAILURE() << "something is in the way of reclaiming";
  }

  // Checks that index, rows and counters agree.
  void ExpectClean() {
    const auto report = database_->Check();
    ASSERT_TRUE(report.has_value()) << report.status().ToString();
    EXPECT_TRUE(report->clean()) << (report->findings.empty() ? "" : report->findings.front());
  }

 private:
  const EngineKind kind_;
  TemporaryDirectory directory_;
  ManualClock clock_;
  DatabaseOptions options_;
  const Opener opener_;
  bool unpacks_ = false;
  std::unique_ptr<Database> database_;
};

}  // namespace mayfly

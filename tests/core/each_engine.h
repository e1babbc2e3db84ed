// each_engine.h - a test of the public calls, on every engine, on a clock that stands still.
#pragma once

#include <gtest/gtest.h>

#include <ostream>
#include <string>

#include "core/database_home.h"
#include "mayfly/database.h"

namespace mayfly {

using enum StatusCode;

// How a call ended, for EXPECT_EQ.
inline StatusCode CodeOf(const Status& status) { return status.code(); }
template <typename T>
StatusCode CodeOf(const Result<T>& result) {
  return result.status().code();
}

// So that a failed comparison names the code.
inline void PrintTo(StatusCode code, std::ostream* out) { *out << StatusCodeName(code); }

inline KeyspaceStatistics StatisticsOf(const Database& database,
                                       const std::string& keyspace = "default") {
  const auto statistics = database.GetStatistics();
  EXPECT_TRUE(statistics.has_value()) << statistics.status().ToString();
  if (!statistics) return {};
  for (const KeyspaceStatistics& one : statistics->keyspaces) {
    if (one.name == keyspace) return one;
  }
  ADD_FAILURE() << "no statistics of " << keyspace;
  return {};
}

class EachEngine : public ::testing::TestWithParam<EngineKind> {
 protected:
  explicit EachEngine(const DatabaseOptions& options = {}) : home_(GetParam(), options) {}

  // Whatever a test did, index, rows and counters agree afterwards.
  void TearDown() override {
    if (const auto report = database().Check()) {
      EXPECT_TRUE(report->clean()) << (report->findings.empty() ? "" : report->findings.front());
    }
  }

  Database& database() { return home_.database(); }
  Keyspace& rows() { return home_.keyspace(); }
  ManualClock& clock() { return home_.clock(); }

  DatabaseHome home_;
};

inline std::string NameOfEngine(const ::testing::TestParamInfo<EngineKind>& info) {
  return NameOf(info.param);
}

inline auto AllEngines() {
  return ::testing::Values(EngineKind::kMemory, EngineKind::kRocks, EngineKind::kMemoryFirst);
}

}  // namespace mayfly

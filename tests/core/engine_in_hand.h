// engine_in_hand.h - a database on RocksDB whose engine the test can call as well.
// For tests that flush and compact at moments of their own choice: the database has no call for
// that, because no caller needs one.
#pragma once

#include <gtest/gtest.h>

#include <functional>
#include <memory>
#include <string>

#include "base/temporary_directory.h"
#include "core/new_database.h"
#include "engine/rocks/rocks_engine.h"
#include "tests/core/each_engine.h"

namespace mayfly {

class EngineInHand {
 public:
  // Puts an engine of the test's own between the database and RocksDB.
  using Wrap = std::function<std::unique_ptr<engine::Engine>(std::unique_ptr<engine::Engine>)>;

  explicit EngineInHand(core::StoreOptions options = {}, Wrap wrap = std::identity())
      : options_(std::move(options)), wrap_(std::move(wrap)) {
    Open();
  }
  ~EngineInHand() { database_.reset(); }

  void Open() {
    options_.horizon = std::make_shared<core::DropHorizon>();
    options_.clock = &clock_;
    auto engine = engine::OpenRocksEngine({.directory = directory(),
                                           .profile = engine::Profile::kTiny,
                                           .write_buffer_bytes = std::size_t{64} << 10,
                                           .drop_policy = options_.horizon});
    ASSERT_TRUE(engine.has_value()) << engine.status().ToString();
    auto wrapped = wrap_(*std::move(engine));
    engine_ = wrapped.get();
    auto opened = core::NewDatabase(std::move(wrapped), options_);
    ASSERT_TRUE(opened.has_value()) << opened.status().ToString();
    database_ = *std::move(opened);
  }

  void Reopen() {
    ASSERT_EQ(CodeOf(database_->Close()), kOk);
    database_.reset();
    Open();
  }

  // Writes memory to files.
  void Flush() { ASSERT_EQ(CodeOf(engine_->Flush()), kOk); }

  // Rewrites every file of every role into the last level, with the present drop policy.
  void Compact() {
    Flush();
    for (std::size_t role = 0; role < engine::kRoleCount; ++role) {
      ASSERT_EQ(CodeOf(engine_->Compact(static_cast<engine::Role>(role))), kOk);
    }
  }

  void ExpectClean() {
    const auto report = database_->Check();
    ASSERT_TRUE(report.has_value()) << report.status().ToString();
    EXPECT_TRUE(report->clean()) << (report->findings.empty() ? "" : report->findings.front());
  }

  std::string directory() const { return directory_.Inside("db"); }
  Database& database() { return *database_; }
  Keyspace& rows() { return database_->default_keyspace(); }
  engine::Engine& engine() { return *engine_; }
  ManualClock& clock() { return clock_; }

 private:
  TemporaryDirectory directory_;
  ManualClock clock_{kStart};
  core::StoreOptions options_;
  const Wrap wrap_;
  std::unique_ptr<Database> database_;
  engine::Engine* engine_ = nullptr;  // The database's own.
};

}  // namespace mayfly

// crashing_home.h - a database in files that can end as a killed process ends it.
// A crash copies the files as they are while the database is open, and goes on with the copy: what
// the operating system has at that moment is what the next process finds.
#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <memory>
#include <string>

#include "base/temporary_directory.h"
#include "core/each_engine.h"

namespace mayfly {

class CrashingHome {
 public:
  explicit CrashingHome(DatabaseOptions options = {}) : options_(std::move(options)) {
    options_.clock = &clock_;
    options_.memory = MemoryProfile::kTiny;
    Open();
  }
  ~CrashingHome() { database_.reset(); }

  void Open() {
    options_.directory = Directory();
    auto opened = Database::Open(options_);
    ASSERT_TRUE(opened.has_value()) << opened.status().ToString();
    database_ = *std::move(opened);
  }

  void Close() {
    ASSERT_EQ(CodeOf(database_->Close()), kOk);
    database_.reset();
  }

  // The next Open() finds what a killed process would have left.
  void Crash() {
    const std::string before = Directory();
    ++crashes_;
    std::filesystem::copy(before, Directory(), std::filesystem::copy_options::recursive);
    database_.reset();
    std::filesystem::remove_all(before);
  }

  Database& database() { return *database_; }
  Keyspace& rows() { return database_->default_keyspace(); }
  ManualClock& clock() { return clock_; }
  DatabaseOptions& options() { return options_; }

 private:
  std::string Directory() const { return directory_.Inside("db" + std::to_string(crashes_)); }

  TemporaryDirectory directory_;
  ManualClock clock_{kStart};
  DatabaseOptions options_;
  int crashes_ = 0;
  std::unique_ptr<Database> database_;
};

}  // namespace mayfly

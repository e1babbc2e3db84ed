// crashing_home.h - a database in files that can end as if its process were killed.
// A crash copies the files as they are while the database is open, and continues with the copy: the
// next process finds what the operating system had at that moment.
#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <memory>
#include <set>
#include <string>
#include <system_error>

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
    ASSERT_TRUE(CopyAtOneMoment(before, Directory()));
    database_.reset();
    std::filesystem::remove_all(before);
  }

  Database& database() { return *database_; }
  Keyspace& rows() { return database_->default_keyspace(); }
  ManualClock& clock() { return clock_; }
  DatabaseOptions& options() { return options_; }

 private:
  static std::set<std::string> NamesIn(const std::string& directory) {
    std::set<std::string> names;
    for (const auto& file : std::filesystem::directory_iterator(directory)) {
      names.insert(file.path().filename());
    }
    return names;
  }

  // The engine makes and removes files in the background: a copy counts if the list of files did
  // not change.
  static bool CopyAtOneMoment(const std::string& from, const std::string& to) {
    constexpr int kTriesMax = 1000;
    for (int i = 0; i < kTriesMax; ++i) {
      const auto names = NamesIn(from);
      std::error_code failed;
      std::filesystem::copy(from, to, std::filesystem::copy_options::recursive, failed);
      if (!failed && NamesIn(from) == names) return true;
      std::filesystem::remove_all(to);
    }
    return false;
  }

  std::string Directory() const { return directory_.Inside("db" + std::to_string(crashes_)); }

  TemporaryDirectory directory_;
  ManualClock clock_{kStart};
  DatabaseOptions options_;
  int crashes_ = 0;
  std::unique_ptr<Database> database_;
};

}  // namespace mayfly

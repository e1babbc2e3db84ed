// fork_fixture.h - shared by the tests of children made by fork().
#pragma once

#include <gtest/gtest.h>

#include <cstdlib>
#include <memory>
#include <string>

#include "mayfly/database.h"

namespace mayfly {

// Collects the calls that were not refused as they should be.
class Refusals {
 public:
  void Expect(const char* call, const Status& status) {
    if (status.code() == StatusCode::kInvalid &&
        status.message().find("fork()") != std::string_view::npos) {
      return;
    }
    said_ += std::string(call) + " answered " + status.ToString() + "; ";
  }
  template <typename T>
  void Expect(const char* call, const Result<T>& result) {
    Expect(call, result.status());
  }
  void Expect(const char* call, bool as_it_should) {
    if (!as_it_should) said_ += std::string(call) + " was not refused; ";
  }
  std::string said() const { return said_; }

 private:
  std::string said_;
};

inline std::unique_ptr<Database> MustOpen(const std::string& directory,
                                          StorageEngine engine = StorageEngine::kAsFound,
                                          bool read_only = false) {
  auto opened = Database::Open({.directory = directory,
                                .read_only = read_only,
                                .memory = MemoryProfile::kTiny,
                                .engine = engine});
  if (!opened) {
    ADD_FAILURE() << opened.error().ToString();
    std::abort();
  }
  return *std::move(opened);
}

}  // namespace mayfly

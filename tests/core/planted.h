// planted.h - rows whose bytes can be recognised in any file.
// Keys and values are random bytes: no compression shortens them, no two are alike, and no other
// bytes resemble them. The search is a plain grep over every file, which knows nothing of the
// database's formats.
#pragma once

#include <gtest/gtest.h>

#include <array>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "base/random.h"
#include "base/testing/environment.h"
#include "mayfly/bytes.h"

namespace mayfly {

struct Planted {
  std::string key;
  std::string value;

  // The bytes to search for. The first bytes of a key may be shared with its neighbour's, and a log
  // cuts long values into pieces.
  Bytes key_mark() const { return Bytes(key).substr(8); }
  std::array<Bytes, 3> value_marks() const {
    constexpr std::size_t kMark = 24;
    const Bytes all(value);
    return {all.substr(0, kMark), all.substr(all.size() / 2, kMark),
            all.substr(all.size() - kMark)};
  }
};

class Planter {
 public:
  Planter() : seed_(NumberFromEnvironment("MAYFLY_SEED", FreshSeed())), random_(seed_) {
    ::testing::Test::RecordProperty("seed", std::to_string(seed_));
    // Shown when a test fails, to repeat it.
    std::printf("MAYFLY_SEED=%llu\n", static_cast<unsigned long long>(seed_));
  }

  Planted New(std::size_t value_bytes = 100) {
    return {.key = Distinct(40), .value = Distinct(value_bytes)};
  }
  std::string Distinct(std::size_t bytes) { return random_.Bytes(bytes); }

  Random& random() { return random_; }

 private:
  const std::uint64_t seed_;
  Random random_;
};

// Every byte of every file below a directory, as it was when this was made.
class FileBytes {
 public:
  explicit FileBytes(const std::string& directory) {
    for (const auto& entry : std::filesystem::recursive_directory_iterator(directory)) {
      if (!entry.is_regular_file()) continue;
      std::ostringstream bytes;
      bytes << std::ifstream(entry.path(), std::ios::binary).rdbuf();
      files_.push_back({entry.path().filename().string(), std::move(bytes).str()});
    }
  }

  // The files that hold the mark; empty: none does.
  std::string FilesWith(Bytes mark) const {
    std::string found;
    for (const File& file : files_) {
      if (file.bytes.find(mark) != std::string::npos) found += file.name + " ";
    }
    return found;
  }

  bool HasKeyOf(const Planted& row) const { return !FilesWith(row.key_mark()).empty(); }
  bool HasValueOf(const Planted& row) const {
    for (const Bytes mark : row.value_marks()) {
      if (!FilesWith(mark).empty()) return true;
    }
    return false;
  }

  void ExpectNoneOf(const Planted& row, const std::string& what) const {
    EXPECT_EQ(FilesWith(row.key_mark()), "") << "the key of " << what;
    for (const Bytes mark : row.value_marks()) {
      EXPECT_EQ(FilesWith(mark), "") << "the value of " << what;
    }
  }

  // Otherwise a search that finds nothing would prove nothing.
  void ExpectBothOf(const Planted& row, const std::string& what) const {
    EXPECT_TRUE(HasKeyOf(row)) << "the key of " << what;
    EXPECT_TRUE(HasValueOf(row)) << "the value of " << what;
  }

 private:
  struct File {
    std::string name;
    std::string bytes;
  };

  std::vector<File> files_;
};

}  // namespace mayfly

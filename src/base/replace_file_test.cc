// A file is replaced whole or not at all, and nothing else is left beside it.
// Method: files in a temporary directory; threads that replace one file at the same time.
#include "base/replace_file.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <thread>
#include <vector>

#include "base/temporary_directory.h"

namespace mayfly {
namespace {

namespace fs = std::filesystem;

std::string ReadFile(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(file), {}};
}

std::vector<std::string> Names(const std::string& directory) {
  std::vector<std::string> names;
  for (const auto& entry : fs::directory_iterator(directory)) {
    names.push_back(entry.path().filename().string());
  }
  return names;
}

TEST(ReplaceFile, TheContentsAreTheNewOnesAlone) {
  const TemporaryDirectory directory;
  const std::string path = directory.Inside("file");
  ASSERT_TRUE(ReplaceFile(path, "something long").ok());
  ASSERT_TRUE(ReplaceFile(path, Bytes("a\0b", 3)).ok());
  EXPECT_EQ(ReadFile(path), std::string("a\0b", 3));
  EXPECT_EQ(Names(directory.path()), std::vector<std::string>{"file"});
}

TEST(ReplaceFile, TheModeStaysAndANewFileIsItsOwnersAlone) {
  const TemporaryDirectory directory;
  const std::string path = directory.Inside("file");
  ASSERT_TRUE(ReplaceFile(path, "1").ok());
  EXPECT_EQ(fs::status(path).permissions(), static_cast<fs::perms>(0600));
  fs::permissions(path, static_cast<fs::perms>(0640));
  ASSERT_TRUE(ReplaceFile(path, "2").ok());
  EXPECT_EQ(fs::status(path).permissions(), static_cast<fs::perms>(0640));
}

TEST(ReplaceFile, WhatFailsLeavesNothing) {
  const TemporaryDirectory directory;
  const std::string path = directory.Inside("taken");
  fs::create_directories(path + "/by a directory");
  const Status replaced = ReplaceFile(path, "1");
  EXPECT_EQ(replaced.code(), StatusCode::kIoError);
  EXPECT_NE(replaced.message().find(path), std::string::npos) << replaced.message();
  EXPECT_EQ(Names(directory.path()), std::vector<std::string>{"taken"});
  EXPECT_EQ(ReplaceFile(directory.Inside("missing/file"), "1").code(), StatusCode::kIoError);
}

TEST(ReplaceFile, ThreadsDoNotMixTheirBytes) {
  const TemporaryDirectory directory;
  const std::string path = directory.Inside("file");
  constexpr std::size_t kBytes = 20'000;
  std::vector<std::thread> threads;
  for (const char letter : {'a', 'b', 'c', 'd'}) {
    threads.emplace_back([&path, letter] {
      for (int i = 0; i < 20; ++i) {
        const Status replaced = ReplaceFile(path, std::string(kBytes, letter));
        EXPECT_TRUE(replaced.ok()) << replaced.message();
        const std::string seen = ReadFile(path);
        EXPECT_EQ(seen, std::string(kBytes, seen.empty() ? '?' : seen.front()));
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(Names(directory.path()), std::vector<std::string>{"file"});
}

}  // namespace
}  // namespace mayfly

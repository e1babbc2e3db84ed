// A temporary directory is its owner's alone and leaves nothing behind.
#include "base/temporary_directory.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>

namespace mayfly {
namespace {

TEST(TemporaryDirectory, GoesWithAllThatIsInIt) {
  std::string path;
  {
    const TemporaryDirectory directory;
    path = directory.path();
    std::filesystem::create_directories(directory.Inside("a/b"));
    std::ofstream(directory.Inside("a/b/file")) << "text";
    EXPECT_TRUE(std::filesystem::exists(path + "/a/b/file"));
  }
  EXPECT_FALSE(std::filesystem::exists(path));
}

TEST(TemporaryDirectory, HasANameOfItsOwn) {
  const TemporaryDirectory one;
  const TemporaryDirectory two;
  EXPECT_NE(one.path(), two.path());
}

}  // namespace
}  // namespace mayfly

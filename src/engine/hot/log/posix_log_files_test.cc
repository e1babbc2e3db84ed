// Files of the operating system behind the interface. Method: each call on a temporary directory;
// a limit on the size of files makes calls fail as a full disk does.
#include <gtest/gtest.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>

#include "base/temporary_directory.h"
#include "engine/hot/log/hot_log.h"
#include "engine/hot/log/log_files.h"

namespace mayfly::engine::hot {
namespace {

class PosixLogFilesTest : public ::testing::Test {
 protected:
  std::unique_ptr<LogFile> Create(const std::string& name) {
    auto file = files_->Create(name);
    EXPECT_TRUE(file.has_value());
    return *std::move(file);
  }

  TemporaryDirectory directory_;
  std::unique_ptr<LogFiles> files_ = NewLogFiles(directory_.Inside("a/log"));
};

TEST_F(PosixLogFilesTest, TheDirectoryIsMadeAndListed) {
  EXPECT_TRUE(files_->List()->empty());
  Create("one");
  Create("two");
  auto names = *files_->List();
  std::sort(names.begin(), names.end());
  EXPECT_EQ(names, (std::vector<std::string>{"one", "two"}));
  EXPECT_FALSE(files_->Create("one").has_value());
  EXPECT_TRUE(files_->Remove("one").ok());
  EXPECT_EQ(files_->Remove("one").code(), StatusCode::kIoError);
  EXPECT_EQ(files_->Open("one").error().code(), StatusCode::kIoError);
  EXPECT_TRUE(files_->SyncDirectory().ok());
  EXPECT_EQ(files_->PathOf("two"), directory_.Inside("a/log/two"));
}

TEST_F(PosixLogFilesTest, BytesWrittenMappedAndReadAreTheSame) {
  ASSERT_TRUE(files_->List().has_value());
  const auto file = Create("f");
  ASSERT_TRUE(file->Allocate(100000).ok());
  EXPECT_EQ(*file->Size(), 100000U);
  ASSERT_TRUE(file->Write(10, "written").ok());
  const auto mapping = file->Map(100000);
  ASSERT_TRUE(mapping.has_value());
  file->Populate(0, 1 << 20);
  EXPECT_EQ(Bytes(*mapping + 10, 7), "written");
  std::memcpy(*mapping + 50000, "mapped", 6);
  EXPECT_EQ(*file->Read(50000, 6), "mapped");
  EXPECT_EQ(file->Read(99999, 100)->size(), 1U);
  EXPECT_TRUE(file->Sync().ok());
  ASSERT_TRUE(file->Allocate(300000).ok());
  const auto longer = file->Map(300000);
  ASSERT_TRUE(longer.has_value());
  EXPECT_EQ(Bytes(*longer + 50000, 6), "mapped");
  ASSERT_TRUE(file->Truncate(20).ok());
  EXPECT_EQ(*file->Size(), 20U);
}

TEST_F(PosixLogFilesTest, AFileWhoseRoomWasNotAllocatedIsNotMapped) {
  ASSERT_TRUE(files_->List().has_value());
  EXPECT_EQ(Create("f")->Map(4096).error().code(), StatusCode::kUnsupported);
}

// No room for a segment is an error, never a SIGBUS of a mapping.
TEST_F(PosixLogFilesTest, WithoutRoomALogRefusesRecordsAndGoesOnLater) {
  auto log = HotLog::Open({.files = files_.get(),
                           .segment_bytes = 64 << 10,
                           .mapped = true,
                           .replay_from = 1,
                           .key = nullptr},
                          [](const LogRecord&) { return Status(); });
  ASSERT_TRUE(log.has_value());
  rlimit old = {};
  ASSERT_EQ(::getrlimit(RLIMIT_FSIZE, &old), 0);
  auto* const handler = ::signal(SIGXFSZ, SIG_IGN);
  const rlimit small = {.rlim_cur = 100 << 10, .rlim_max = old.rlim_max};
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &small), 0);
  const auto refused = (*log)->Append(std::string(200 << 10, 'x'));
  const auto accepted = (*log)->Append("small");
  ASSERT_EQ(::setrlimit(RLIMIT_FSIZE, &old), 0);
  ::signal(SIGXFSZ, handler);
  EXPECT_EQ(refused.error().code(), StatusCode::kIoError);
  EXPECT_TRUE(accepted.has_value());
  EXPECT_TRUE((*log)->Append(std::string(200 << 10, 'x')).has_value());
}

}  // namespace
}  // namespace mayfly::engine::hot

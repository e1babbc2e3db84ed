// One writer or many readers, within a process as between two.
// Method: several locks on one temporary directory.
#include "base/directory_lock.h"

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include "base/temporary_directory.h"
#include "mayfly/bytes.h"

namespace mayfly {
namespace {

using Mode = DirectoryLock::Mode;

Result<DirectoryLock> Take(const TemporaryDirectory& directory, Mode mode) {
  return DirectoryLock::Take(directory.path(), "lock", mode);
}

TEST(DirectoryLock, AWriterExcludesWritersAndReaders) {
  const TemporaryDirectory directory;
  const auto writer = Take(directory, Mode::kExclusive);
  ASSERT_TRUE(writer.has_value());
  for (const Mode mode : {Mode::kExclusive, Mode::kShared}) {
    const auto other = Take(directory, mode);
    ASSERT_FALSE(other.has_value());
    EXPECT_EQ(other.error().code(), StatusCode::kBusy);
    EXPECT_NE(other.error().message().find(directory.path()), Bytes::npos);
  }
}

TEST(DirectoryLock, ReadersShareAndExcludeAWriterUntilTheLastIsGone) {
  const TemporaryDirectory directory;
  auto one = Take(directory, Mode::kShared);
  auto two = Take(directory, Mode::kShared);
  ASSERT_TRUE(one.has_value() && two.has_value());
  one->Release();
  EXPECT_FALSE(Take(directory, Mode::kExclusive).has_value());
  two->Release();
  EXPECT_TRUE(Take(directory, Mode::kExclusive).has_value());
}

TEST(DirectoryLock, GoesWithItsOwnerEvenWhenMoved) {
  const TemporaryDirectory directory;
  {
    DirectoryLock kept;
    {
      auto taken = Take(directory, Mode::kExclusive);
      ASSERT_TRUE(taken.has_value());
      kept = *std::move(taken);
    }
    EXPECT_FALSE(Take(directory, Mode::kExclusive).has_value()) << "the move let go of it";
  }
  EXPECT_TRUE(Take(directory, Mode::kExclusive).has_value());
}

TEST(DirectoryLock, AReaderBesideExcludesNobodyAndIsKnownUntilItGoes) {
  const TemporaryDirectory directory;
  EXPECT_FALSE(DirectoryLock::Beside(directory.path(), "lock").HasReadersBeside())
      << "there is no such file";
  const auto writer = Take(directory, Mode::kExclusive);
  ASSERT_TRUE(writer.has_value());
  EXPECT_FALSE(writer->HasReadersBeside());
  DirectoryLock one = DirectoryLock::Beside(directory.path(), "lock");
  EXPECT_TRUE(writer->HasReadersBeside());
  EXPECT_FALSE(one.HasReadersBeside()) << "it is no other than itself";
  DirectoryLock two = DirectoryLock::Beside(directory.path(), "lock");
  EXPECT_TRUE(one.HasReadersBeside());
  one.Release();
  EXPECT_TRUE(writer->HasReadersBeside());
  two.Release();
  EXPECT_FALSE(writer->HasReadersBeside());
}

TEST(DirectoryLock, AForkedChildHoldsNothing) {
  const TemporaryDirectory directory;
  auto lock = Take(directory, Mode::kExclusive);
  ASSERT_TRUE(lock.has_value());
  int wait[2];
  int ready[2];
  ASSERT_EQ(::pipe(wait), 0);
  ASSERT_EQ(::pipe(ready), 0);
  const pid_t child = ::fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    // Lives until the parent is done. Neither its copy of the lock nor releasing it may matter.
    ::close(wait[1]);
    ::close(ready[1]);
    char byte = 0;
    static_cast<void>(::read(wait[0], &byte, 1) == 0);
    lock->Release();
    ::_exit(0);
  }
  ::close(wait[0]);
  ::close(ready[1]);
  char byte = 0;
  ASSERT_EQ(::read(ready[0], &byte, 1), 0) << "the child runs";
  ::close(ready[0]);
  EXPECT_FALSE(Take(directory, Mode::kExclusive).has_value()) << "the parent holds it";
  lock->Release();
  EXPECT_TRUE(Take(directory, Mode::kExclusive).has_value()) << "the child still holds it";
  ::close(wait[1]);
  int status = -1;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
}

TEST(DirectoryLock, AMissingDirectoryIsAnIoErrorThatNamesIt) {
  const TemporaryDirectory directory;
  const auto lock = DirectoryLock::Take(directory.Inside("none"), "lock", Mode::kExclusive);
  ASSERT_FALSE(lock.has_value());
  EXPECT_EQ(lock.error().code(), StatusCode::kIoError);
  EXPECT_NE(lock.error().message().find("none"), Bytes::npos);
}

}  // namespace
}  // namespace mayfly

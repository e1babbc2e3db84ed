// A change of the password that fails: the store goes on with the old one, and the folder holds
// nothing of the attempt.
// Method: a limit on the size of files stands for a full disk, fails the copy or kills the process
// in it; a file with a hole makes the store too large for the disk.
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <set>
#include <string>

#include "capi/testing/encrypted_home.h"

namespace mayfly::kvstore {
namespace {

using KvstoreFailedChange = EncryptedHomeOnEngine;
INSTANTIATE_TEST_SUITE_P(Engines, KvstoreFailedChange, EachStorageEngine(), NameOfEngine);

// Less than a table of Fill() has: the copy fails.
constexpr rlim_t kNoTable = 100 << 10;
// Enough for the store's own file, too little to open a database.
constexpr rlim_t kNameOnly = 300;

// While it lives, no file grows beyond `bytes`.
class SmallFiles {
 public:
  explicit SmallFiles(rlim_t bytes) {
    ::getrlimit(RLIMIT_FSIZE, &before_);
    rlimit small = before_;
    small.rlim_cur = bytes;
    ::setrlimit(RLIMIT_FSIZE, &small);
  }
  ~SmallFiles() { ::setrlimit(RLIMIT_FSIZE, &before_); }
  SmallFiles(const SmallFiles&) = delete;
  SmallFiles& operator=(const SmallFiles&) = delete;

 private:
  rlimit before_{};
};

// As a full disk: writing fails, the process goes on.
class FullDisk {
 public:
  explicit FullDisk(rlim_t bytes) : small_(bytes) { std::signal(SIGXFSZ, SIG_IGN); }
  ~FullDisk() { std::signal(SIGXFSZ, SIG_DFL); }
  FullDisk(const FullDisk&) = delete;
  FullDisk& operator=(const FullDisk&) = delete;

 private:
  SmallFiles small_;
};

int Change(KVStore* kv, bool reencrypt) {
  return reencrypt ? kvstore_reencrypt(kv, kNew, 12) : kvstore_remove_encryption(kv);
}

TEST_P(KvstoreFailedChange, AChangeThatFailsLeavesTheOldPasswordAndNothingElse) {
  MakeFilled(kOld);
  KVStore* kv = Open(kOld);
  for (const bool reencrypt : {true, false}) {
    {
      const FullDisk full(kNoTable);
      EXPECT_EQ(Change(kv, reencrypt), KVSTORE_ERROR);
    }
    EXPECT_EQ(kvstore_is_encrypted(kv), 1);
    ExpectNoLeftovers();
    EXPECT_EQ(Showing(), std::set<std::string>());
    ExpectFilled(kv);
  }
  kvstore_close(kv);
  ExpectAuthFailed(kNew);
  kv = Open(kOld);
  ExpectFilled(kv);
  kvstore_close(kv);
}

TEST_P(KvstoreFailedChange, AStoreIsReadOnAFullDiskAfterAChangeThatCouldNotBegin) {
  MakeFilled(kOld);
  KVStore* const kv = Open(kOld);
  KVIterator* rows = nullptr;
  ASSERT_EQ(kvstore_iterator_create(kv, &rows), KVSTORE_OK);
  for (const bool reencrypt : {true, false}) {
    const FullDisk full(0);
    EXPECT_EQ(Change(kv, reencrypt), KVSTORE_ERROR);
    ExpectFilled(kv);
    EXPECT_EQ(kvstore_iterator_next(rows), KVSTORE_OK) << kvstore_errmsg(kv);
  }
  kvstore_iterator_close(rows);
  ExpectNoLeftovers();
  EXPECT_EQ(Put(kv, "after", "v"), KVSTORE_OK) << kvstore_errmsg(kv);
  EXPECT_EQ(kvstore_delete(kv, "after", 5), KVSTORE_OK);
  EXPECT_EQ(kvstore_reencrypt(kv, kNew, 12), KVSTORE_OK) << kvstore_errmsg(kv);
  ExpectFilled(kv);
  ExpectNoLeftovers();
  kvstore_close(kv);
}

// The disk fills up while the store is closed for the copy, so that it cannot even be opened again.
TEST_P(KvstoreFailedChange, AStoreOpensAgainWithTheFirstCallThatFindsRoom) {
  MakeFilled(kOld);
  KVStore* kv = Open(kOld);
  KVColumnFamily* users = nullptr;
  ASSERT_EQ(kvstore_cf_open(kv, "users", &users), KVSTORE_OK);
  for (const bool reencrypt : {true, false}) {
    {
      const FullDisk full(kNameOnly);
      EXPECT_EQ(Change(kv, reencrypt), KVSTORE_ERROR);
      EXPECT_EQ(Put(kv, "k", "v"), KVSTORE_ERROR);
      EXPECT_NE(std::string(kvstore_errmsg(kv)).find("the next call tries again"),
                std::string::npos)
          << kvstore_errmsg(kv);
    }
    int there = 0;
    EXPECT_EQ(kvstore_cf_exists(users, kPlantedKey, 10, &there), KVSTORE_OK) << kvstore_errmsg(kv);
    EXPECT_EQ(there, 1);
    ExpectFilled(kv);
    ExpectNoLeftovers();
    EXPECT_EQ(Put(kv, "after", "v"), KVSTORE_OK) << kvstore_errmsg(kv);
    EXPECT_EQ(kvstore_delete(kv, "after", 5), KVSTORE_OK);
  }
  {
    const FullDisk full(kNameOnly);
    EXPECT_EQ(kvstore_reencrypt(kv, kNew, 12), KVSTORE_ERROR);
    EXPECT_EQ(kvstore_close(kv), KVSTORE_OK) << "it holds nothing open";
  }
  kvstore_cf_close(users);
  kv = Open(kOld);
  ExpectFilled(kv);
  ExpectNoLeftovers();
  kvstore_close(kv);
}

TEST_P(KvstoreFailedChange, ACopyThatHasNoRoomIsNotBegun) {
  MakeFilled(kOld);
  KVStore* const kv = Open(kOld);
  std::string hole;
  for (const std::string& name : Beside()) {
    if (name.ends_with(".mayfly")) hole = directory_.Inside(name) + "/hole";
  }
  const auto space = std::filesystem::space(directory_.path());
  std::ofstream(hole).close();
  ASSERT_EQ(::truncate(hole.c_str(), static_cast<off_t>(space.available) + 1), 0);
  {
    const FullDisk full(kNoTable);  // Or a copy that is begun would fill the disk.
    EXPECT_EQ(kvstore_reencrypt(kv, kNew, 12), KVSTORE_ERROR);
  }
  EXPECT_NE(std::string(kvstore_errmsg(kv)).find("bytes are free"), std::string::npos)
      << kvstore_errmsg(kv);
  ExpectFilled(kv);
  ExpectNoLeftovers();
  kvstore_close(kv);
}

TEST_P(KvstoreFailedChange, AProcessKilledInAChangeLeavesNothingOnceItIsOpenedAgain) {
  MakeFilled(kOld);
  for (const char* const change : {"--reencrypt-and-die", "--remove-and-die"}) {
    const pid_t child = ::fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
      ::execl("/proc/self/exe", "kvstore_failed_change_test", change, path().c_str(), nullptr);
      ::_exit(2);
    }
    int status = 0;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    ASSERT_TRUE(WIFSIGNALED(status)) << change << ": " << status;
    EXPECT_EQ(Beside().size(), 3u) << "the copy that was cut off";
    KVStore* const kv = Open(kOld);
    ExpectNoLeftovers();
    EXPECT_EQ(Showing(), std::set<std::string>());
    ExpectFilled(kv);
    kvstore_close(kv);
  }
}

// The part of the process that is killed by the limit, in the middle of the copy.
int ChangeAndDie(const std::string& change, const std::string& path) {
  KVStore* kv = nullptr;
  if (OpenWith(path, kOld, &kv) != KVSTORE_OK) return 2;
  const SmallFiles small(kNoTable);
  return change == "--remove-and-die" ? kvstore_remove_encryption(kv)
                                      : kvstore_reencrypt(kv, kNew, 12);
}

}  // namespace
}  // namespace mayfly::kvstore

int main(int argc, char** argv) {
  if (argc == 3 && std::string(argv[1]).ends_with("-and-die")) {
    return mayfly::kvstore::ChangeAndDie(argv[1], argv[2]);
  }
  ::testing::InitGoogleTest(&argc, argv);
  return RUN_ALL_TESTS();
}

// Stores with a password: what is in their files, which password opens them, and what a change of
// the password leaves behind.
// Method: planted bytes looked for in every file below the folder; states that a crash leaves are
// made by hand.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <set>
#include <string>

#include "capi/kvstore_name_file.h"
#include "capi/testing/encrypted_home.h"
#include "mayfly/encryption.h"

namespace mayfly::kvstore {
namespace {

namespace fs = std::filesystem;

using KvstoreEncryption = EncryptedHome;
using KvstoreReencryption = EncryptedHomeOnEngine;
INSTANTIATE_TEST_SUITE_P(Engines, KvstoreReencryption, EachStorageEngine(), NameOfEngine);

TEST_F(KvstoreEncryption, ShowsNothingInItsFiles) {
  MakeFilled("");
  EXPECT_FALSE(Showing().empty()) << "or it would not be found where it is";
  fs::remove_all(directory_.path());
  fs::create_directory(directory_.path());
  MakeFilled(kOld);
  EXPECT_EQ(Showing(), std::set<std::string>());
  KVStore* const kv = Open(kOld);
  EXPECT_EQ(kvstore_is_encrypted(kv), 1);
  ExpectFilled(kv);
  kvstore_close(kv);
}

TEST_F(KvstoreEncryption, LetsNobodyInWithoutThePassword) {
  MakeFilled(kOld);
  ExpectAuthFailed("mistaken");
  KVStore* kv = nullptr;
  EXPECT_EQ(kvstore_open(path().c_str(), &kv, KVSTORE_JOURNAL_WAL), KVSTORE_AUTH_FAILED);
  EXPECT_EQ(kv, nullptr);
}

TEST_F(KvstoreEncryption, TakesAnyBytesForAPasswordButNone) {
  KVStore* kv = nullptr;
  EXPECT_EQ(kvstore_open_encrypted(path().c_str(), nullptr, 0, &kv, nullptr), KVSTORE_ERROR);
  EXPECT_EQ(kvstore_open_encrypted(path().c_str(), "p", 0, &kv, nullptr), KVSTORE_ERROR);
  EXPECT_EQ(kvstore_open_encrypted(path().c_str(), "p", -1, &kv, nullptr), KVSTORE_ERROR);
  EXPECT_EQ(kvstore_open_encrypted(path().c_str(), "p", 1, nullptr, nullptr), KVSTORE_ERROR);
  EXPECT_FALSE(fs::exists(path()));
  kv = Open(std::string("\0\xff", 2));
  kvstore_close(kv);
  ExpectAuthFailed(std::string("\0", 1));
}

TEST_F(KvstoreEncryption, IsNoMatterInMemory) {
  KVStore* kv = nullptr;
  ASSERT_EQ(kvstore_open_encrypted(nullptr, "p", 1, &kv, nullptr), KVSTORE_OK);
  EXPECT_EQ(kvstore_is_encrypted(kv), 1);
  EXPECT_EQ(kvstore_reencrypt(kv, "q", 1), KVSTORE_OK);
  EXPECT_EQ(Put(kv, "k", "v"), KVSTORE_OK);
  EXPECT_EQ(kvstore_remove_encryption(kv), KVSTORE_OK);
  EXPECT_EQ(kvstore_is_encrypted(kv), 0);
  EXPECT_EQ(Get(kv, "k"), "v");
  kvstore_close(kv);
  EXPECT_EQ(kvstore_is_encrypted(nullptr), 0);
  EXPECT_EQ(kvstore_reencrypt(nullptr, "q", 1), KVSTORE_ERROR);
  EXPECT_EQ(kvstore_remove_encryption(nullptr), KVSTORE_ERROR);
}

TEST_P(KvstoreReencryption, APasswordEncryptsAStoreThatWasNot) {
  MakeFilled("");
  KVStoreConfig reading{};
  reading.readOnly = 1;
  KVStore* kv = nullptr;
  EXPECT_EQ(kvstore_open_encrypted(path().c_str(), "p", 1, &kv, &reading), KVSTORE_READONLY);
  kv = Open(kNew);
  EXPECT_EQ(kvstore_is_encrypted(kv), 1);
  ExpectFilled(kv);
  EXPECT_EQ(Showing(), std::set<std::string>());
  ExpectNoLeftovers();
  kvstore_close(kv);
  ExpectAuthFailed("mistaken");
  kv = Open(kNew);
  ExpectFilled(kv);
  kvstore_close(kv);
}

TEST_P(KvstoreReencryption, ReencryptLeavesNothingOfTheOldPasswordAndKeepsHandles) {
  MakeFilled(kOld);
  KVStore* kv = Open(kOld);
  KVColumnFamily* users = nullptr;
  ASSERT_EQ(kvstore_cf_open(kv, "users", &users), KVSTORE_OK);
  KVIterator* rows = nullptr;
  ASSERT_EQ(kvstore_iterator_create(kv, &rows), KVSTORE_OK);
  ASSERT_EQ(kvstore_iterator_first(rows), KVSTORE_OK);
  const std::set<std::string> before = Beside();

  ASSERT_EQ(kvstore_reencrypt(kv, kNew, 12), KVSTORE_OK) << kvstore_errmsg(kv);
  EXPECT_EQ(kvstore_is_encrypted(kv), 1);
  EXPECT_NE(Beside(), before) << "the files are others";
  ExpectNoLeftovers();
  EXPECT_EQ(Showing(), std::set<std::string>());
  ExpectFilled(kv);
  EXPECT_EQ(kvstore_cf_put(users, "more", 4, "v", 1), KVSTORE_OK);
  EXPECT_EQ(kvstore_iterator_next(rows), KVSTORE_OK);
  EXPECT_EQ(kvstore_iterator_eof(rows), 0);
  kvstore_iterator_close(rows);
  kvstore_cf_close(users);
  EXPECT_EQ(Put(kv, "after", "v"), KVSTORE_OK);
  EXPECT_EQ(kvstore_delete(kv, "after", 5), KVSTORE_OK);
  kvstore_close(kv);

  ExpectAuthFailed(kOld);
  kv = Open(kNew);
  ExpectFilled(kv);
  kvstore_close(kv);
}

TEST_P(KvstoreReencryption, RemoveEncryptionMakesAPlainStore) {
  MakeFilled(kOld);
  KVStore* kv = Open(kOld);
  ASSERT_EQ(kvstore_remove_encryption(kv), KVSTORE_OK) << kvstore_errmsg(kv);
  EXPECT_EQ(kvstore_is_encrypted(kv), 0);
  ExpectFilled(kv);
  ExpectNoLeftovers();
  EXPECT_EQ(kvstore_remove_encryption(kv), KVSTORE_ERROR) << "there is none";
  EXPECT_EQ(kvstore_reencrypt(kv, "p", 1), KVSTORE_ERROR);
  kvstore_close(kv);
  kv = OpenPlain();
  ExpectFilled(kv);
  kvstore_close(kv);
  kv = Open(kNew);
  ExpectFilled(kv);
  kvstore_close(kv);
}

TEST_F(KvstoreEncryption, APasswordIsNotChangedInTransactionsNorByReaders) {
  MakeFilled(kOld);
  KVStore* kv = Open(kOld);
  for (const int write : {0, 1}) {
    ASSERT_EQ(kvstore_begin(kv, write), KVSTORE_OK);
    EXPECT_NE(kvstore_reencrypt(kv, "p", 1), KVSTORE_OK);
    EXPECT_NE(kvstore_remove_encryption(kv), KVSTORE_OK);
    ASSERT_EQ(kvstore_rollback(kv), KVSTORE_OK);
  }
  kvstore_close(kv);
  KVStoreConfig reading{};
  reading.readOnly = 1;
  ASSERT_EQ(kvstore_open_encrypted(path().c_str(), kOld, 12, &kv, &reading), KVSTORE_OK);
  EXPECT_EQ(kvstore_reencrypt(kv, "p", 1), KVSTORE_READONLY);
  ExpectFilled(kv);
  kvstore_close(kv);
}

TEST_P(KvstoreReencryption, ADeathAfterTheCopyIsSettledByTheNextOpen) {
  MakeFilled(kOld);
  std::string old_directory;
  std::string new_directory;
  {
    NameFile file = NameFile::Lock(path(), false).value();
    old_directory = file.directory();
    new_directory = file.FreshDirectory();
    ASSERT_TRUE(Reencrypt({old_directory, kOld, new_directory, kNew}).ok());
    ASSERT_TRUE(file.Replace(new_directory, old_directory).ok());
    fs::remove(old_directory + "/CURRENT");  // The removal has begun.
  }
  KVStoreConfig reading{};
  reading.readOnly = 1;
  KVStore* kv = nullptr;
  ASSERT_EQ(kvstore_open_encrypted(path().c_str(), kNew, 12, &kv, &reading), KVSTORE_OK);
  EXPECT_TRUE(fs::exists(old_directory)) << "a reader changes nothing";
  kvstore_close(kv);
  kv = Open(kNew);
  EXPECT_FALSE(fs::exists(old_directory));
  ExpectFilled(kv);
  kvstore_close(kv);
  std::ifstream file(path());
  std::string first;
  std::getline(file, first);
  EXPECT_EQ(first, "mayfly kvstore 1");
}

// A reader may open the old directory during the copy.
TEST_P(KvstoreReencryption, ADirectoryThatIsReadIsNotRemoved) {
  MakeFilled(kOld);
  std::string old_directory;
  std::string new_directory;
  {
    const NameFile file = NameFile::Lock(path(), false).value();
    old_directory = file.directory();
    new_directory = file.FreshDirectory();
    ASSERT_TRUE(Reencrypt({old_directory, kOld, new_directory, kNew}).ok());
  }
  KVStoreConfig reading{};
  reading.readOnly = 1;
  KVStore* reader = nullptr;
  ASSERT_EQ(kvstore_open_encrypted(path().c_str(), kOld, 12, &reader, &reading), KVSTORE_OK);
  ASSERT_TRUE(NameFile::Lock(path(), false).value().Replace(new_directory, old_directory).ok());

  KVStore* kv = nullptr;
  EXPECT_EQ(OpenWith(path(), kNew, &kv), KVSTORE_BUSY);
  EXPECT_NE(std::string(kvstore_errmsg(nullptr)).find(old_directory), std::string::npos)
      << kvstore_errmsg(nullptr);
  EXPECT_TRUE(fs::exists(old_directory));
  ExpectFilled(reader);
  kvstore_close(reader);

  kv = Open(kNew);
  ExpectFilled(kv);
  EXPECT_FALSE(fs::exists(old_directory));
  ExpectNoLeftovers();
  kvstore_close(kv);
}

TEST_F(KvstoreEncryption, AFileThatRemovesWhatItNamesIsRefused) {
  MakeFilled(kOld);
  const std::string name = fs::path(NameFile::Lock(path(), false).value().directory()).filename();
  for (const std::string& lines : {fmt::format("{0}\n{0}\n", name), name + "\n../x.mayfly\n",
                                   name + "\n", name + "\nx.mayfly"}) {
    std::ofstream(path()) << "mayfly kvstore 2\n" << lines;
    KVStore* kv = nullptr;
    EXPECT_EQ(OpenWith(path(), kOld, &kv), KVSTORE_CORRUPT) << lines;
  }
  EXPECT_TRUE(fs::exists(directory_.Inside(name)));
}

}  // namespace
}  // namespace mayfly::kvstore

// Stores with a password: what is in their files, which password opens them, and what a change of
// the password leaves behind, also when it is interrupted.
// Method: planted bytes looked for in every file below the folder; a limit on the size of files
// fails a copy or kills the process in it; states that a crash leaves are made by hand.
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>
#include <string>

#include "base/temporary_directory.h"
#include "capi/kvstore_name_file.h"
#include "mayfly/encryption.h"
#include "mayfly/kvstore.h"

namespace mayfly::kvstore {
namespace {

namespace fs = std::filesystem;

constexpr const char* kPlanted = "plantedvalue";
constexpr const char* kPlantedKey = "plantedkey";
constexpr const char* kOld = "old password";
constexpr const char* kNew = "new password";

int Size(const std::string& bytes) { return static_cast<int>(bytes.size()); }

int OpenWith(const std::string& path, const std::string& password, KVStore** kv) {
  KVStoreConfig config{};
  config.journalMode = KVSTORE_JOURNAL_WAL;
  config.cacheSize = 100;  // The smallest profile.
  return kvstore_open_encrypted(path.c_str(), password.data(), Size(password), kv, &config);
}

int Put(KVStore* kv, const std::string& key, const std::string& value) {
  return kvstore_put(kv, key.data(), Size(key), value.data(), Size(value));
}

class KvstoreEncryption : public ::testing::Test {
 protected:
  std::string path() const { return directory_.Inside("store.db"); }

  KVStore* Open(const std::string& password) {
    KVStore* kv = nullptr;
    EXPECT_EQ(OpenWith(path(), password, &kv), KVSTORE_OK) << kvstore_errmsg(nullptr);
    return kv;
  }

  KVStore* OpenPlain() {
    KVStore* kv = nullptr;
    EXPECT_EQ(kvstore_open(path().c_str(), &kv, KVSTORE_JOURNAL_WAL), KVSTORE_OK)
        << kvstore_errmsg(nullptr);
    return kv;
  }

  static std::string Get(KVStore* kv, const std::string& key) {
    void* value = nullptr;
    int size = 0;
    if (kvstore_get(kv, key.data(), Size(key), &value, &size) != KVSTORE_OK) return "none";
    std::string copy(static_cast<char*>(value), static_cast<std::size_t>(size));
    snkv_free(value);
    return copy;
  }

  // Rows of two families, enough for a table.
  static void Fill(KVStore* kv) {
    KVColumnFamily* users = nullptr;
    ASSERT_EQ(kvstore_cf_create(kv, "users", &users), KVSTORE_OK);
    ASSERT_EQ(kvstore_cf_put(users, kPlantedKey, 10, kPlanted, 12), KVSTORE_OK);
    kvstore_cf_close(users);
    for (int i = 0; i < 3000; ++i) {
      ASSERT_EQ(Put(kv, kPlantedKey + std::to_string(i), kPlanted + std::string(100, 'x')),
                KVSTORE_OK);
    }
    ASSERT_EQ(kvstore_put_ttl(kv, "mortal", 6, "v", 1, kvstore_now_ms() + 3'600'000), KVSTORE_OK);
  }

  static void ExpectFilled(KVStore* kv) {
    ASSERT_NE(kv, nullptr);
    std::int64_t count = 0;
    EXPECT_EQ(kvstore_count(kv, &count), KVSTORE_OK);
    EXPECT_EQ(count, 3001);
    EXPECT_EQ(Get(kv, std::string(kPlantedKey) + "2999"), kPlanted + std::string(100, 'x'));
    std::int64_t remaining = 0;
    EXPECT_EQ(kvstore_ttl_remaining(kv, "mortal", 6, &remaining), KVSTORE_OK);
    EXPECT_GT(remaining, 0);
    KVColumnFamily* users = nullptr;
    ASSERT_EQ(kvstore_cf_open(kv, "users", &users), KVSTORE_OK);
    int there = 0;
    EXPECT_EQ(kvstore_cf_exists(users, kPlantedKey, 10, &there), KVSTORE_OK);
    EXPECT_EQ(there, 1);
    kvstore_cf_close(users);
  }

  void MakeFilled(const std::string& password) {
    KVStore* const kv = password.empty() ? OpenPlain() : Open(password);
    Fill(kv);
    ASSERT_EQ(kvstore_close(kv), KVSTORE_OK);
  }

  // Files below the folder that show something planted.
  std::set<std::string> Showing() const {
    std::set<std::string> showing;
    for (const auto& entry : fs::recursive_directory_iterator(directory_.path())) {
      if (!entry.is_regular_file()) continue;
      std::ifstream file(entry.path(), std::ios::binary);
      std::ostringstream text;
      text << file.rdbuf();
      for (const char* const planted : {kPlanted, kPlantedKey, "users", kOld, kNew}) {
        if (text.str().find(planted) != std::string::npos) showing.insert(entry.path().filename());
      }
    }
    return showing;
  }

  std::set<std::string> Beside() const {
    std::set<std::string> names;
    for (const auto& entry : fs::directory_iterator(directory_.path())) {
      names.insert(entry.path().filename());
    }
    return names;
  }

  // The store's file and one directory, and nothing else.
  void ExpectNoLeftovers() const { EXPECT_EQ(Beside().size(), 2u); }

  void ExpectAuthFailed(const std::string& password) {
    KVStore* kv = nullptr;
    EXPECT_EQ(OpenWith(path(), password, &kv), KVSTORE_AUTH_FAILED);
    EXPECT_EQ(kv, nullptr);
    EXPECT_EQ(std::string(kvstore_errmsg(nullptr)).find(password), std::string::npos)
        << kvstore_errmsg(nullptr);
  }

  TemporaryDirectory directory_;
};

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

TEST_F(KvstoreEncryption, APasswordEncryptsAStoreThatWasNot) {
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

TEST_F(KvstoreEncryption, ReencryptLeavesNothingOfTheOldPasswordAndKeepsHandles) {
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

TEST_F(KvstoreEncryption, RemoveEncryptionMakesAPlainStore) {
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

// While it lives, no file grows beyond this, which is less than a table of Fill() has.
class SmallFiles {
 public:
  SmallFiles() {
    ::getrlimit(RLIMIT_FSIZE, &before_);
    rlimit small = before_;
    small.rlim_cur = 100 << 10;
    ::setrlimit(RLIMIT_FSIZE, &small);
  }
  ~SmallFiles() { ::setrlimit(RLIMIT_FSIZE, &before_); }
  SmallFiles(const SmallFiles&) = delete;
  SmallFiles& operator=(const SmallFiles&) = delete;

 private:
  rlimit before_{};
};

TEST_F(KvstoreEncryption, AChangeThatFailsLeavesTheOldPasswordAndNothingElse) {
  MakeFilled(kOld);
  KVStore* kv = Open(kOld);
  for (const bool reencrypt : {true, false}) {
    std::signal(SIGXFSZ, SIG_IGN);
    {
      const SmallFiles small;
      EXPECT_EQ(reencrypt ? kvstore_reencrypt(kv, kNew, 12) : kvstore_remove_encryption(kv),
                KVSTORE_ERROR);
    }
    std::signal(SIGXFSZ, SIG_DFL);
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

TEST_F(KvstoreEncryption, AProcessKilledInAChangeLeavesNothingOnceItIsOpenedAgain) {
  MakeFilled(kOld);
  for (const char* const change : {"--reencrypt-and-die", "--remove-and-die"}) {
    const pid_t child = ::fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
      ::execl("/proc/self/exe", "kvstore_encryption_test", change, path().c_str(), nullptr);
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

TEST_F(KvstoreEncryption, ADeathAfterTheCopyIsSettledByTheNextOpen) {
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
TEST_F(KvstoreEncryption, ADirectoryThatIsReadIsNotRemoved) {
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
  for (const std::string& lines :
       {name + "\n" + name + "\n", name + "\n../x.mayfly\n", name + "\n", name + "\nx.mayfly"}) {
    std::ofstream(path()) << "mayfly kvstore 2\n" << lines;
    KVStore* kv = nullptr;
    EXPECT_EQ(OpenWith(path(), kOld, &kv), KVSTORE_CORRUPT) << lines;
  }
  EXPECT_TRUE(fs::exists(directory_.Inside(name)));
}

// The part of the process that is killed by the limit, in the middle of the copy.
int ChangeAndDie(const std::string& change, const std::string& path) {
  KVStore* kv = nullptr;
  if (OpenWith(path, kOld, &kv) != KVSTORE_OK) return 2;
  const SmallFiles small;
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

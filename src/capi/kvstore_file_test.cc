// The path of a store: a small file that names a directory. Method: what programs do to such files
// (remove, move, copy, truncate, open twice), and what must then be found or refused.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <filesystem>
#include <fstream>
#include <system_error>
#include <thread>

#include "capi/testing/kvstore_home.h"

namespace mayfly::kvstore {
namespace {

namespace fs = std::filesystem;

std::string ReadAll(const std::string& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

void WriteAll(const std::string& path, const std::string& text) {
  std::ofstream(path, std::ios::binary) << text;
}

int DirectoriesIn(const std::string& folder) {
  int count = 0;
  for (const auto& entry : fs::directory_iterator(folder)) count += entry.is_directory() ? 1 : 0;
  return count;
}

class KvstoreFile : public ::testing::Test {
 protected:
  std::string file() const { return home_.path(); }

  // Opens and closes; tells the code.
  int Try(const std::string& path, int read_only = 0) {
    KVStoreConfig config{};
    config.readOnly = read_only;
    config.cacheSize = 100;
    KVStore* other = nullptr;
    const int code = kvstore_open_v2(path.c_str(), &other, &config);
    EXPECT_EQ(other != nullptr, code == KVSTORE_OK);
    if (other != nullptr) {
      EXPECT_EQ(kvstore_close(other), KVSTORE_OK);
    }
    return code;
  }

  KvstoreHome home_{Place::kFile};
};

// Encrypting removes the directory that the reader reads.
TEST_F(KvstoreFile, IsNotEncryptedBesideAReader) {
  const std::string path = home_.folder() + "/plain.db";
  KVStoreConfig config{};
  config.cacheSize = 100;
  KVStore* writer = nullptr;
  ASSERT_EQ(kvstore_open_v2(path.c_str(), &writer, &config), KVSTORE_OK);
  ASSERT_EQ(kvstore_put(writer, "key", 3, "value", 5), KVSTORE_OK);
  ASSERT_EQ(kvstore_close(writer), KVSTORE_OK);
  const std::string named = ReadAll(path);

  KVStoreConfig reading = config;
  reading.readOnly = 1;
  KVStore* reader = nullptr;
  ASSERT_EQ(kvstore_open_v2(path.c_str(), &reader, &reading), KVSTORE_OK);
  EXPECT_EQ(kvstore_open_encrypted(path.c_str(), "password", 8, &writer, &config), KVSTORE_BUSY);
  EXPECT_EQ(writer, nullptr);
  EXPECT_EQ(ReadAll(path), named) << "as it was";
  void* value = nullptr;
  int size = 0;
  EXPECT_EQ(kvstore_get(reader, "key", 3, &value, &size), KVSTORE_OK);
  snkv_free(value);
  EXPECT_EQ(kvstore_close(reader), KVSTORE_OK);

  ASSERT_EQ(kvstore_open_encrypted(path.c_str(), "password", 8, &writer, &config), KVSTORE_OK);
  EXPECT_EQ(kvstore_is_encrypted(writer), 1);
  EXPECT_EQ(kvstore_close(writer), KVSTORE_OK);
}

std::uint64_t BytesIn(const std::string& folder) {
  std::uint64_t bytes = 0;
  for (const auto& entry : fs::recursive_directory_iterator(folder)) {
    std::error_code gone;  // A file may be removed meanwhile.
    const std::uint64_t size = entry.is_regular_file(gone) ? entry.file_size(gone) : 0;
    bytes += gone ? 0 : size;
  }
  return bytes;
}

TEST_F(KvstoreFile, AVacuumGivesTheDiskWhatWasCleared) {
  const std::string value(10'000, 'v');
  for (int i = 0; i < 1000; ++i) {
    const std::string key = "key " + std::to_string(i);
    ASSERT_EQ(kvstore_put(home_.kv(), key.data(), static_cast<int>(key.size()), value.data(),
                          static_cast<int>(value.size())),
              KVSTORE_OK);
  }
  ASSERT_GT(BytesIn(home_.folder()), 1'000'000u);
  ASSERT_EQ(kvstore_clear(home_.kv()), KVSTORE_OK);
  ASSERT_EQ(kvstore_incremental_vacuum(home_.kv(), 0), KVSTORE_OK);
  EXPECT_LT(BytesIn(home_.folder()), 500'000u);
}

TEST_F(KvstoreFile, IsASmallRegularFileThatNamesADirectoryBesideIt) {
  ASSERT_TRUE(fs::is_regular_file(file()));
  const std::string text = ReadAll(file());
  EXPECT_LT(text.size(), 200U);
  const std::string name = text.substr(text.find('\n') + 1, text.rfind('\n') - text.find('\n') - 1);
  EXPECT_TRUE(name.starts_with("store.db-") && name.ends_with(".mayfly")) << name;
  EXPECT_TRUE(fs::is_directory(home_.folder() + "/" + name));
  EXPECT_EQ(std::distance(fs::directory_iterator(home_.folder()), {}), 2);  // No draft is left.
}

TEST_F(KvstoreFile, RemovedMeansANewDatabase) {
  home_.Put("key");
  home_.Close();
  ASSERT_TRUE(fs::remove(file()));
  home_.Open();
  EXPECT_FALSE(home_.Get("key"));
  EXPECT_EQ(DirectoriesIn(home_.folder()), 2);  // The old one is left, and not opened.
}

TEST_F(KvstoreFile, RemovedWhileOpenMeansANewDatabaseBesideTheOldOne) {
  home_.Put("key");
  ASSERT_TRUE(fs::remove(file()));
  KVStore* fresh = nullptr;
  ASSERT_EQ(kvstore_open(file().c_str(), &fresh, KVSTORE_JOURNAL_WAL), KVSTORE_OK);
  int exists = 1;
  EXPECT_EQ(kvstore_exists(fresh, "key", 3, &exists), KVSTORE_OK);
  EXPECT_EQ(exists, 0);
  EXPECT_TRUE(home_.Get("key"));
  EXPECT_EQ(kvstore_close(fresh), KVSTORE_OK);
}

TEST_F(KvstoreFile, PutBackBringsTheRowsBack) {
  home_.Put("key");
  home_.Close();
  const std::string text = ReadAll(file());
  fs::remove(file());
  EXPECT_EQ(Try(file()), KVSTORE_OK);
  fs::remove(file());
  WriteAll(file(), text);
  home_.Open();
  EXPECT_TRUE(home_.Get("key"));
}

TEST_F(KvstoreFile, MovesWithinItsFolderAndWithIt) {
  home_.Put("key");
  home_.Close();
  const TemporaryDirectory elsewhere;
  fs::copy(home_.folder(), elsewhere.path(), fs::copy_options::recursive);
  fs::rename(elsewhere.Inside("store.db"), elsewhere.Inside("renamed"));
  KVStore* moved = nullptr;
  ASSERT_EQ(kvstore_open(elsewhere.Inside("renamed").c_str(), &moved, KVSTORE_JOURNAL_WAL),
            KVSTORE_OK);
  int exists = 0;
  EXPECT_EQ(kvstore_exists(moved, "key", 3, &exists), KVSTORE_OK);
  EXPECT_EQ(exists, 1);
  EXPECT_EQ(kvstore_close(moved), KVSTORE_OK);
  home_.Open();
}

TEST_F(KvstoreFile, IsFoundThroughALink) {
  home_.Put("key");
  home_.Close();
  const TemporaryDirectory elsewhere;
  fs::create_symlink(file(), elsewhere.Inside("link"));
  EXPECT_EQ(Try(elsewhere.Inside("link")), KVSTORE_OK);
  EXPECT_EQ(DirectoriesIn(elsewhere.path()), 0);
  home_.Open();
  EXPECT_TRUE(home_.Get("key"));
}

TEST_F(KvstoreFile, TwiceInOneProcessIsBusy) {
  EXPECT_EQ(Try(file()), KVSTORE_BUSY);
  EXPECT_NE(std::string(kvstore_errmsg(nullptr)).find("open elsewhere"), std::string::npos);
  EXPECT_EQ(Try(file(), 1), KVSTORE_OK) << "readers are let in";
  home_.Put("still works");
  EXPECT_TRUE(home_.Get("still works"));
}

TEST_F(KvstoreFile, InAnotherProcessIsBusy) {
  const pid_t child = ::fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    KVStore* other = nullptr;
    ::_exit(kvstore_open(file().c_str(), &other, KVSTORE_JOURNAL_WAL));
  }
  int outcome = 0;
  ASSERT_EQ(::waitpid(child, &outcome, 0), child);
  ASSERT_TRUE(WIFEXITED(outcome));
  EXPECT_EQ(WEXITSTATUS(outcome), KVSTORE_BUSY);
}

TEST_F(KvstoreFile, BusyTimeoutWaitsForTheOtherToClose) {
  KVStoreConfig config{};
  config.busyTimeout = 60'000;
  KVStore* second = nullptr;
  int code = -1;
  std::thread waiting([&] { code = kvstore_open_v2(file().c_str(), &second, &config); });
  home_.Close();
  waiting.join();
  EXPECT_EQ(code, KVSTORE_OK);
  EXPECT_EQ(kvstore_close(second), KVSTORE_OK);
  home_.Open();
}

TEST_F(KvstoreFile, BusyTimeoutEnds) {
  KVStoreConfig config{};
  config.busyTimeout = 3'600'000;
  KVStore* second = nullptr;
  std::atomic<int> code = -1;
  std::thread waiting([&] { code = kvstore_open_v2(file().c_str(), &second, &config); });
  while (code == -1) {
    home_.clock().Advance(Millis(config.busyTimeout));
    std::this_thread::yield();
  }
  waiting.join();
  EXPECT_EQ(code, KVSTORE_BUSY);
  EXPECT_EQ(second, nullptr);
}

TEST_F(KvstoreFile, ReadersShareAndChangeNothing) {
  home_.Put("key");
  home_.Put("mortal", home_.In(1));
  home_.Close();
  KVStoreConfig config{};
  config.readOnly = 1;
  KVStore* first = nullptr;
  ASSERT_EQ(kvstore_open_v2(file().c_str(), &first, &config), KVSTORE_OK)
      << kvstore_errmsg(nullptr);
  EXPECT_EQ(Try(file(), 1), KVSTORE_OK);
  EXPECT_EQ(Try(file()), KVSTORE_OK) << "readers do not keep a writer out";
  home_.clock().Advance(Millis(1));
  int exists = 1;
  int deleted = 1;
  EXPECT_EQ(kvstore_exists(first, "mortal", 6, &exists), KVSTORE_OK);
  EXPECT_EQ(exists, 0);
  EXPECT_EQ(kvstore_exists(first, "key", 3, &exists), KVSTORE_OK);
  EXPECT_EQ(exists, 1);
  EXPECT_EQ(kvstore_put(first, "k", 1, "v", 1), KVSTORE_READONLY);
  EXPECT_EQ(kvstore_put_ttl(first, "k", 1, "v", 1, home_.In(5)), KVSTORE_READONLY);
  EXPECT_EQ(kvstore_delete(first, "key", 3), KVSTORE_READONLY);
  EXPECT_EQ(kvstore_clear(first), KVSTORE_READONLY);
  EXPECT_EQ(kvstore_purge_expired(first, &deleted), KVSTORE_READONLY);
  EXPECT_EQ(deleted, 0);
  EXPECT_EQ(kvstore_begin(first, 1), KVSTORE_READONLY);
  EXPECT_EQ(kvstore_begin(first, 0), KVSTORE_OK);
  EXPECT_EQ(kvstore_commit(first), KVSTORE_OK);
  KVColumnFamily* family = nullptr;
  EXPECT_EQ(kvstore_cf_create(first, "new", &family), KVSTORE_READONLY);
  EXPECT_EQ(family, nullptr);
  EXPECT_EQ(kvstore_cf_drop(first, "new"), KVSTORE_READONLY);
  EXPECT_EQ(kvstore_sync(first), KVSTORE_OK);
  EXPECT_EQ(kvstore_close(first), KVSTORE_OK);
  home_.Open();
  EXPECT_EQ(home_.Purge(), 1);
}

TEST_F(KvstoreFile, ReadingAloneMakesNothing) {
  EXPECT_EQ(Try(home_.folder() + "/other.db", 1), KVSTORE_ERROR);
  EXPECT_FALSE(fs::exists(home_.folder() + "/other.db"));
  EXPECT_EQ(DirectoriesIn(home_.folder()), 1);
}

TEST_F(KvstoreFile, AnEmptyFileBecomesAStore) {
  const std::string path = home_.folder() + "/empty.db";
  WriteAll(path, "");
  EXPECT_EQ(Try(path, 1), KVSTORE_ERROR);
  EXPECT_EQ(Try(path), KVSTORE_OK);
  EXPECT_GT(fs::file_size(path), 0U);
  EXPECT_EQ(Try(path), KVSTORE_OK);
}

TEST_F(KvstoreFile, SomebodyElsesFileIsLeftAlone) {
  const std::string path = home_.folder() + "/other.db";
  for (const std::string& text :
       {std::string("SQLite format 3"), std::string("mayfly kvstore 1\n"),
        std::string("mayfly kvstore 1\nx.mayfly"), std::string("mayfly kvstore 2\nx-1.mayfly\n"),
        std::string("mayfly kvstore 1\n../x-1.mayfly\n"),
        std::string("mayfly kvstore 1\n/x.mayfly\n"), std::string(5000, 'x')}) {
    SCOPED_TRACE(text.substr(0, 60));
    WriteAll(path, text);
    EXPECT_EQ(Try(path), KVSTORE_CORRUPT);
    EXPECT_EQ(ReadAll(path), text);
  }
}

TEST_F(KvstoreFile, WithoutItsDirectoryIsDamageAndNotAnEmptyStore) {
  home_.Put("key");
  home_.Close();
  const std::string text = ReadAll(file());
  const std::string name = text.substr(text.find('\n') + 1, text.rfind('\n') - text.find('\n') - 1);
  const std::string directory = home_.folder() + "/" + name;
  fs::rename(directory, directory + ".away");
  EXPECT_EQ(Try(file()), KVSTORE_CORRUPT);
  EXPECT_FALSE(fs::exists(directory));
  fs::rename(directory + ".away", directory);
  home_.Open();
  EXPECT_TRUE(home_.Get("key"));
}

TEST_F(KvstoreFile, BadPathsAreRefusedAndMakeNothing) {
  EXPECT_EQ(Try(""), KVSTORE_ERROR);
  EXPECT_EQ(Try(home_.folder()), KVSTORE_ERROR);
  EXPECT_EQ(Try(home_.folder() + "/no/such/folder/x.db"), KVSTORE_ERROR);
  EXPECT_FALSE(fs::exists(home_.folder() + "/no"));
  EXPECT_EQ(DirectoriesIn(home_.folder()), 1);
  EXPECT_EQ(kvstore_open(file().c_str(), nullptr, KVSTORE_JOURNAL_WAL), KVSTORE_ERROR);
}

TEST_F(KvstoreFile, BadConfigurationsAreRefusedAndMakeNothing) {
  const std::string path = home_.folder() + "/other.db";
  KVStore* other = nullptr;
  EXPECT_EQ(kvstore_open(path.c_str(), &other, 2), KVSTORE_ERROR);
  EXPECT_EQ(kvstore_open(path.c_str(), &other, -1), KVSTORE_ERROR);
  for (int KVStoreConfig::*const field :
       {&KVStoreConfig::syncLevel, &KVStoreConfig::cacheSize, &KVStoreConfig::pageSize,
        &KVStoreConfig::busyTimeout, &KVStoreConfig::walSizeLimit}) {
    KVStoreConfig config{};
    config.*field = -1;
    EXPECT_EQ(kvstore_open_v2(path.c_str(), &other, &config), KVSTORE_ERROR);
    EXPECT_EQ(other, nullptr);
  }
  KVStoreConfig reads{};
  reads.readOnly = 1;
  EXPECT_EQ(kvstore_open_v2(nullptr, &other, &reads), KVSTORE_ERROR);
  EXPECT_FALSE(fs::exists(path));
}

}  // namespace
}  // namespace mayfly::kvstore

// encrypted_home.h - a file for a store with a password, what it is filled with, and what lies in
// the folder around it. For tests.
#pragma once

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <set>
#include <sstream>
#include <string>

#include "base/temporary_directory.h"
#include "mayfly/database.h"
#include "mayfly/kvstore.h"

namespace mayfly::kvstore {

inline constexpr const char* kPlanted = "plantedvalue";
inline constexpr const char* kPlantedKey = "plantedkey";
inline constexpr const char* kOld = "old password";
inline constexpr const char* kNew = "new password";

inline int Size(const std::string& bytes) { return static_cast<int>(bytes.size()); }

inline int OpenWith(const std::string& path, const std::string& password, KVStore** kv) {
  KVStoreConfig config{};
  config.journalMode = KVSTORE_JOURNAL_WAL;
  config.cacheSize = 100;  // The smallest profile.
  return kvstore_open_encrypted(path.c_str(), password.data(), Size(password), kv, &config);
}

inline int Put(KVStore* kv, const std::string& key, const std::string& value) {
  return kvstore_put(kv, key.data(), Size(key), value.data(), Size(value));
}

class EncryptedHome : public ::testing::Test {
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
    const auto open = [&] { return password.empty() ? OpenPlain() : Open(password); };
    if (engine_ != StorageEngine::kAsFound) {
      ASSERT_EQ(kvstore_close(open()), KVSTORE_OK);
      for (const std::string& name : Beside()) {
        if (!name.ends_with(".mayfly")) continue;
        ASSERT_TRUE(Database::Open({.directory = directory_.Inside(name),
                                    .password = password,
                                    .memory = MemoryProfile::kTiny,
                                    .engine = engine_})
                        .has_value());
      }
    }
    KVStore* const kv = open();
    Fill(kv);
    ASSERT_EQ(kvstore_close(kv), KVSTORE_OK);
  }

  // Files below the folder that show something planted.
  std::set<std::string> Showing() const {
    std::set<std::string> showing;
    for (const auto& entry : std::filesystem::recursive_directory_iterator(directory_.path())) {
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
    for (const auto& entry : std::filesystem::directory_iterator(directory_.path())) {
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

  // Of stores that are filled; a new store has the default.
  StorageEngine engine_ = StorageEngine::kAsFound;
  TemporaryDirectory directory_;
};

// The same on each engine.
class EncryptedHomeOnEngine : public EncryptedHome,
                              public ::testing::WithParamInterface<StorageEngine> {
 protected:
  EncryptedHomeOnEngine() { engine_ = GetParam(); }
};

inline auto EachStorageEngine() {
  return ::testing::Values(StorageEngine::kRocks, StorageEngine::kMemoryFirst);
}
inline std::string NameOfEngine(const ::testing::TestParamInfo<StorageEngine>& engine) {
  return engine.param == StorageEngine::kRocks ? "Rocks" : "MemoryFirst";
}

}  // namespace mayfly::kvstore

// Goal: an encrypted database stays encrypted through every call of the library: backups, restores,
// a search for bytes, and other passwords.
// Method: a search for planted bytes in the files on disk; every byte of a backup changed.
#include "mayfly/encryption.h"

#include <gtest/gtest.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "base/temporary_directory.h"
#include "mayfly/database.h"

namespace mayfly {
namespace {

using namespace std::chrono_literals;
namespace fs = std::filesystem;

constexpr Bytes kPassword = "correct horse";
constexpr Bytes kOther = "battery staple";
constexpr const char* kPlanted = "plantedvalue";

std::string Contents(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

class Encryption : public ::testing::TestWithParam<StorageEngine> {
 protected:
  std::string Inside(const std::string& name) const { return directory_.Inside(name); }

  std::unique_ptr<Database> Open(const std::string& name, Bytes password) {
    auto opened = Database::Open({.directory = Inside(name),
                                  .password = password,
                                  .memory = MemoryProfile::kTiny,
                                  .engine = GetParam()});
    EXPECT_TRUE(opened.has_value()) << opened.status().ToString();
    return opened ? *std::move(opened) : nullptr;
  }

  static void Fill(Database& database) {
    for (int i = 0; i < 100; ++i) {
      ASSERT_TRUE(database.default_keyspace()
                      .Put("planted" + std::to_string(i), kPlanted, Lifetime::For(1h))
                      .ok());
    }
  }

  static void ExpectFilled(Database& database) {
    EXPECT_EQ(database.default_keyspace().Count().value(), 100u);
    EXPECT_EQ(database.default_keyspace().Get("planted99").value(), kPlanted);
    EXPECT_TRUE(database.Check().value().clean());
  }

  StatusCode Restored(const std::string& backup, Bytes password, Bytes database_password = "") {
    const std::string name = "restored" + std::to_string(++restores_);
    const auto fresh = Open(name, database_password);
    const auto report = fresh->Restore(Inside(backup), {.password = password});
    if (report) {
      ExpectFilled(*fresh);
    } else {
      EXPECT_EQ(fresh->default_keyspace().Count().value(), 0u);
      if (!password.empty()) {
        EXPECT_EQ(report.error().message().find(password), Bytes::npos);
      }
    }
    return report.status().code();
  }

  TemporaryDirectory directory_;
  int restores_ = 0;
};

INSTANTIATE_TEST_SUITE_P(Engines, Encryption,
                         ::testing::Values(StorageEngine::kRocks, StorageEngine::kMemoryFirst),
                         [](const auto& engine) {
                           return engine.param == StorageEngine::kRocks ? "Rocks" : "MemoryFirst";
                         });

TEST_P(Encryption, IsAnOptionOfOpen) {
  Fill(*Open("db", kPassword));
  ExpectFilled(*Open("db", kPassword));
  EXPECT_TRUE(IsEncrypted(Inside("db")).value());
  const auto code = [this](Bytes password) {
    return Database::Open({.directory = Inside("db"), .password = password}).status().code();
  };
  EXPECT_EQ(code("mistaken"), StatusCode::kWrongPassword);
  EXPECT_EQ(code(""), StatusCode::kWrongPassword);
  EXPECT_EQ(Database::Open({.password = kPassword}).status().code(), StatusCode::kInvalid)
      << "nothing to encrypt in memory";
}

TEST_P(Encryption, ABackupIsEncryptedAsItsDatabaseIs) {
  {
    const auto plain = Open("plain", "");
    Fill(*plain);
    ASSERT_TRUE(plain->Backup(Inside("plain backup")).has_value());
    const auto database = Open("db", kPassword);
    Fill(*database);
    ASSERT_TRUE(database->Backup(Inside("backup")).has_value());
  }
  EXPECT_NE(Contents(Inside("plain backup")).find(kPlanted), std::string::npos);
  EXPECT_EQ(Contents(Inside("backup")).find("planted"), std::string::npos);

  EXPECT_EQ(Restored("backup", kPassword), StatusCode::kOk);
  EXPECT_EQ(Restored("backup", kPassword, kOther), StatusCode::kOk);
  EXPECT_EQ(Restored("plain backup", "", kOther), StatusCode::kOk);
  EXPECT_EQ(Restored("plain backup", kPassword), StatusCode::kOk) << "it needs none";
  EXPECT_EQ(Restored("backup", ""), StatusCode::kWrongPassword);
  EXPECT_EQ(Restored("backup", "mistaken"), StatusCode::kWrongPassword);
  EXPECT_EQ(Restored("backup", "", kOther), StatusCode::kWrongPassword) << "another key";
}

TEST_P(Encryption, ADatabaseTakesItsOwnBackupWithoutItsPassword) {
  const auto database = Open("db", kPassword);
  Fill(*database);
  ASSERT_TRUE(database->Backup(Inside("backup")).has_value());
  ASSERT_TRUE(database->default_keyspace().Clear().ok());
  ASSERT_TRUE(database->Restore(Inside("backup")).has_value());
  ExpectFilled(*database);
}

TEST_P(Encryption, ABackupTellsEveryChange) {
  {
    const auto database = Open("db", kPassword);
    ASSERT_TRUE(database->default_keyspace().Put("k", "v").ok());
    ASSERT_TRUE(database->Backup(Inside("backup")).has_value());
    ASSERT_TRUE(database->default_keyspace().Delete("k").has_value());
  }
  const std::string good = Contents(Inside("backup"));
  const auto database = Open("db", kPassword);
  const auto restored = [&](const std::string& bytes) {
    std::ofstream(Inside("changed"), std::ios::binary) << bytes;
    return database->Restore(Inside("changed")).status();
  };
  for (std::size_t i = 0; i < good.size(); ++i) {
    std::string bad = good;
    bad[i] = static_cast<char>(bad[i] ^ 1);
    // The encrypted key in it is not read: this database has the key. Nor are the first words of
    // the header.
    const std::size_t key_begin = 20;
    const std::size_t header_end = good.find("mayflye1") + 8;
    if (i >= key_begin && i < header_end) continue;
    const Status refused = restored(bad);
    EXPECT_FALSE(refused.ok()) << "byte " << i;
    EXPECT_EQ(database->default_keyspace().Count().value(), 0u);
    EXPECT_FALSE(restored(good.substr(0, i)).ok()) << "cut to " << i;
  }
  EXPECT_EQ(restored(good + "x").code(), StatusCode::kCorruption);
  EXPECT_TRUE(restored(good).ok());
}

TEST_P(Encryption, ProveLooksAtWhatTheFilesSay) {
  const auto database = Open("db", kPassword);
  Fill(*database);
  EXPECT_FALSE(database->Prove({.find = kPlanted}).value().traces.empty());
  ASSERT_TRUE(database->default_keyspace().Clear().ok());
  ASSERT_TRUE(database->Reclaim({.everything = true}).has_value());
  EXPECT_TRUE(database->Prove({.find = kPlanted}).value().traces.empty());
}

// Only RocksDB reads encrypted logs of its own, so that readers cannot follow.
TEST_P(Encryption, AReaderAndAWriterExcludeEachOtherAndSaySo) {
  const auto open = [this](bool read_only) {
    return Database::Open(
        {.directory = Inside("db"), .read_only = read_only, .password = kPassword});
  };
  {
    const auto writer = Open("db", kPassword);
    Fill(*writer);
    const auto reader = open(/*read_only=*/true);
    ASSERT_EQ(reader.status().code(), StatusCode::kBusy) << reader.status().ToString();
    EXPECT_NE(reader.status().message().find(Inside("db")), std::string::npos);
  }
  const auto reader = open(/*read_only=*/true);
  ASSERT_TRUE(reader.has_value()) << reader.status().ToString();
  ExpectFilled(**reader);
  EXPECT_EQ(open(/*read_only=*/false).status().code(), StatusCode::kBusy);
  EXPECT_TRUE(open(/*read_only=*/true).has_value()) << "readers do not exclude each other";
  EXPECT_FALSE((*reader)->Prove({.find = kPlanted}).value().traces.empty());
  ASSERT_TRUE((*reader)->Backup(Inside("backup of a reader")).has_value());
  EXPECT_EQ(Restored("backup of a reader", kPassword), StatusCode::kOk);
}

TEST_P(Encryption, PasswordsChangeWithTheKeyOrWithoutIt) {
  Fill(*Open("db", kPassword));
  ASSERT_TRUE(ChangePassword(Inside("db"), kPassword, kOther).ok());
  ExpectFilled(*Open("db", kOther));
  ASSERT_TRUE(Reencrypt({Inside("db"), kOther, Inside("new"), kPassword}).ok());
  EXPECT_EQ(fs::exists(Inside("new/hot")), GetParam() == StorageEngine::kMemoryFirst);
  ExpectFilled(*Open("new", kPassword));
  ASSERT_TRUE(Reencrypt({Inside("new"), kPassword, Inside("plain"), ""}).ok());
  ExpectFilled(*Open("plain", ""));
  EXPECT_FALSE(IsEncrypted(Inside("plain")).value());
  EXPECT_EQ(IsEncrypted(Inside("nowhere")).status().code(), StatusCode::kNotFound);
}

}  // namespace
}  // namespace mayfly

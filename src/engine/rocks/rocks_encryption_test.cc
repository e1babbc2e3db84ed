// The files of an encrypted database contain no key or value in plain, and only its password opens
// it. Method: planted bytes in every role, searched for in every raw file, with a database that is
// not encrypted as the proof that they would be found; the process killed; the disk full or dead in
// the middle of a copy.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <filesystem>
#include <fstream>
#include <map>
#include <set>
#include <sstream>

#include "base/random.h"
#include "base/temporary_directory.h"
#include "engine/rocks/files/encrypted_files.h"
#include "engine/rocks/files/key_file.h"
#include "engine/rocks/rocks_engine.h"
#include "engine/rocks/rocks_reencrypt.h"
#include "engine/rocks/testing/faulty_disk.h"

namespace mayfly::engine {
namespace {

namespace fs = std::filesystem;

constexpr Bytes kPassword = "correct horse";
constexpr Bytes kNewPassword = "battery staple";
constexpr const char* kPlantedKey = "plantedkey";
constexpr const char* kPlantedValue = "plantedvalue";

std::string Contents(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

std::map<std::string, std::string> FilesIn(const std::string& directory) {
  std::map<std::string, std::string> files;
  for (const auto& entry : fs::directory_iterator(directory)) {
    files[entry.path().filename()] = Contents(entry.path());
  }
  return files;
}

// Files that show something planted.
std::set<std::string> Showing(const std::string& directory) {
  std::set<std::string> showing;
  for (const auto& [name, text] : FilesIn(directory)) {
    for (const char* const planted : {kPlantedKey, kPlantedValue}) {
      if (text.find(planted) != std::string::npos) showing.insert(name);
    }
  }
  return showing;
}

RocksOptions Options(const std::string& directory, Bytes password) {
  return {.directory = directory,
          .password = password,
          .profile = Profile::kTiny,
          .write_buffer_bytes = 64 << 10};
}

Status Put(Engine& engine, const std::string& key, const std::string& value) {
  Batch batch;
  for (std::size_t role = 0; role < kRoleCount; ++role) {
    batch.Put({static_cast<Role>(role)}, key, value);
  }
  return engine.Commit(batch);
}

// Makes tables on two levels, and a log, with planted bytes of each role.
void Plant(Engine& engine) {
  for (int i = 0; i < 2000; ++i) {
    ASSERT_TRUE(Put(engine, kPlantedKey + std::to_string(i),
                    kPlantedValue + std::to_string(i) + std::string(100, 'x'))
                    .ok());
  }
  ASSERT_TRUE(engine.Flush().ok());
  ASSERT_TRUE(engine.Compact(Role::kRows).ok());
  ASSERT_TRUE(Put(engine, kPlantedKey, kPlantedValue).ok());
}

class RocksEncryption : public ::testing::Test {
 protected:
  RocksOptions At(const std::string& name, Bytes password = kPassword) const {
    return Options(directory_.Inside(name), password);
  }

  static std::unique_ptr<Engine> MustOpen(const RocksOptions& options) {
    auto engine = OpenRocksEngine(options);
    EXPECT_TRUE(engine.has_value()) << engine.status().ToString();
    return engine ? *std::move(engine) : nullptr;
  }

  static void ExpectPlanted(const Engine& engine) {
    PinnedBytes value;
    for (std::size_t role = 0; role < kRoleCount; ++role) {
      EXPECT_TRUE(engine.Get({static_cast<Role>(role)}, kPlantedKey, value).ok());
      EXPECT_EQ(value.view(), kPlantedValue);
    }
    EXPECT_TRUE(engine.Get({Role::kRows}, std::string(kPlantedKey) + "1999", value).ok());
  }

  void MakePlanted(const std::string& name, Bytes password = kPassword) {
    const auto engine = MustOpen(At(name, password));
    Plant(*engine);
    ASSERT_TRUE(engine->Close().ok());
  }

  static void ExpectRefused(const RocksOptions& options, StatusCode code, const std::string& said) {
    const auto engine = OpenRocksEngine(options);
    ASSERT_FALSE(engine.has_value());
    EXPECT_EQ(engine.error().code(), code) << engine.error().ToString();
    EXPECT_NE(engine.error().message().find(said), Bytes::npos) << engine.error().ToString();
    EXPECT_NE(engine.error().message().find(options.directory), Bytes::npos);
    if (!options.password.empty()) {
      EXPECT_EQ(engine.error().message().find(options.password), Bytes::npos)
          << "the password is told: " << engine.error().ToString();
    }
  }

  TemporaryDirectory directory_;
};

TEST_F(RocksEncryption, NoFileShowsAKeyOrValue) {
  MakePlanted("plain", "");
  EXPECT_GE(Showing(directory_.Inside("plain")).size(), 3u) << "log, tables, manifest";
  MakePlanted("db");
  EXPECT_EQ(Showing(directory_.Inside("db")), std::set<std::string>());
  const auto again = MustOpen(At("db"));
  ExpectPlanted(*again);
}

TEST_F(RocksEncryption, NoFileShowsAnythingAfterAKill) {
  const std::string db = directory_.Inside("db");
  const pid_t child = ::fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    // A process of its own, which has RocksDB's threads.
    ::execl("/proc/self/exe", "rocks_encryption_test", "--plant-and-die", db.c_str(), nullptr);
    ::_exit(1);
  }
  int status = 0;
  ASSERT_EQ(::waitpid(child, &status, 0), child);
  ASSERT_TRUE(WIFSIGNALED(status));
  EXPECT_GT(FilesIn(db).size(), 5u);
  EXPECT_EQ(Showing(db), std::set<std::string>());
  ExpectPlanted(*MustOpen(At("db")));
}

TEST_F(RocksEncryption, OnlyItsPasswordOpensIt) {
  MustOpen(At("db"));
  ExpectRefused(At("db", "mistaken"), StatusCode::kWrongPassword, "wrong password");
  ExpectRefused(At("db", ""), StatusCode::kWrongPassword, "it is encrypted; give its password");
  RocksOptions reader = At("db", "mistaken");
  reader.read_only = true;
  ExpectRefused(reader, StatusCode::kWrongPassword, "wrong password");
  reader.password = kPassword;
  MustOpen(reader);
  MustOpen(At("plain", ""));
  ExpectRefused(At("plain"), StatusCode::kInvalid, "it is not encrypted");
}

TEST_F(RocksEncryption, TheKeyFileIsItsOwnersAlone) {
  MakePlanted("db");
  EXPECT_EQ(fs::status(directory_.Inside("db") + "/" + kKeyFileName).permissions(),
            fs::perms::owner_read | fs::perms::owner_write);
}

TEST_F(RocksEncryption, ADamagedKeyFileIsToldFromAWrongPassword) {
  MustOpen(At("db"));
  const std::string file = directory_.Inside("db") + "/" + kKeyFileName;
  const std::string good = Contents(file);
  EXPECT_EQ(good.find(kPassword), std::string::npos);
  std::ofstream(file) << good.substr(0, good.size() / 2);
  ExpectRefused(At("db"), StatusCode::kCorruption, "its key is damaged");
  fs::remove(file);
  ExpectRefused(At("db"), StatusCode::kCorruption, "MAYFLY.key is missing");
  std::ofstream(file) << good;
  MustOpen(At("db"));
}

TEST_F(RocksEncryption, NoTwoFilesShareANonce) {
  MakePlanted("db");
  std::set<std::string> files;
  std::set<std::string> nonces;
  for (int round = 0; round < 2; ++round) {  // CURRENT, say, is written again and again.
    for (const auto& [name, text] : FilesIn(directory_.Inside("db"))) {
      if (IsPlainFile(name) || name == "LOCK") continue;
      ASSERT_TRUE(text.size() >= 8192 && text.starts_with("mayflye1")) << name;
      files.insert(name + text.substr(8, 32));
      nonces.insert(text.substr(8, 32));
    }
    const auto engine = MustOpen(At("db"));
    ASSERT_TRUE(Put(*engine, "more", "rows").ok());
    ASSERT_TRUE(engine->Close().ok());
  }
  EXPECT_EQ(nonces.size(), files.size());
  EXPECT_GT(nonces.size(), 10u);
}

TEST_F(RocksEncryption, AFileOfAnotherDatabaseOrADamagedHeaderIsCorruption) {
  MakePlanted("db");
  MakePlanted("other");
  std::string path;
  for (const auto& [name, text] : FilesIn(directory_.Inside("db"))) {
    if (name.ends_with(".log")) path = directory_.Inside("db") + "/" + name;
  }
  const std::string good = Contents(path);
  std::string bad = good;
  bad[20] = static_cast<char>(bad[20] ^ 1);
  std::ofstream(path, std::ios::binary) << bad;
  ExpectPlanted(*MustOpen([&] {
    RocksOptions options = At("db");
    options.read_only = true;
    return options;
  }()));
  bad[4096 + 20] = static_cast<char>(bad[4096 + 20] ^ 1);
  std::ofstream(path, std::ios::binary) << bad;
  ExpectRefused(At("db"), StatusCode::kCorruption, "not encrypted with the key");
  std::ofstream(path, std::ios::binary) << good;
  MustOpen(At("db"));
  fs::copy_file(directory_.Inside("other") + "/CURRENT", directory_.Inside("db") + "/CURRENT",
                fs::copy_options::overwrite_existing);
  ExpectRefused(At("db"), StatusCode::kCorruption, "not encrypted with the key");
}

TEST_F(RocksEncryption, ACreationThatWasInterruptedIsBegunAgainUnderAnyPassword) {
  MakePlanted("db");
  std::ofstream(directory_.Inside("db") + "/MAYFLY")
      << EncodeFormat({DirectoryState::kCreating, true});
  const auto engine = MustOpen(At("db", "another"));
  PinnedBytes value;
  EXPECT_TRUE(engine->Get({Role::kRows}, kPlantedKey, value).IsNotFound());
  ASSERT_TRUE(Put(*engine, "key", "value").ok());
  ASSERT_TRUE(engine->Close().ok());
  MustOpen(At("db", "another"));
}

TEST_F(RocksEncryption, FindLooksThroughTheCipher) {
  const auto engine = MustOpen(At("db"));
  Plant(*engine);
  EXPECT_GE(engine->Find(kPlantedValue).value().size(), 3u);
  for (std::size_t role = 0; role < kRoleCount; ++role) {
    Batch all;
    all.DeleteRange({static_cast<Role>(role)}, "a", "z");
    ASSERT_TRUE(engine->Commit(all).ok());
  }
  ASSERT_TRUE(engine->Flush().ok());
  for (std::size_t role = 0; role < kRoleCount; ++role) {
    ASSERT_TRUE(engine->Compact(static_cast<Role>(role)).ok());
  }
  ASSERT_TRUE(engine->Flush().ok());
  EXPECT_TRUE(engine->Find(kPlantedValue).value().empty());
}

TEST_F(RocksEncryption, AChangedPasswordLeavesTheFilesAsTheyAre) {
  MakePlanted("db");
  const std::string db = directory_.Inside("db");
  const auto before = FilesIn(db);
  EXPECT_EQ(ChangeRocksPassword(db, "wrong", kNewPassword).code(), StatusCode::kWrongPassword);
  EXPECT_EQ(ChangeRocksPassword(db, kPassword, "").code(), StatusCode::kInvalid);
  EXPECT_EQ(FilesIn(db), before);
  ASSERT_TRUE(ChangeRocksPassword(db, kPassword, kNewPassword).ok());
  auto after = FilesIn(db);
  EXPECT_NE(after[kKeyFileName], before.at(kKeyFileName));
  after[kKeyFileName] = before.at(kKeyFileName);
  EXPECT_EQ(after, before);
  ExpectRefused(At("db"), StatusCode::kWrongPassword, "wrong password");
  const auto engine = MustOpen(At("db", kNewPassword));
  ExpectPlanted(*engine);
  EXPECT_EQ(ChangeRocksPassword(db, kNewPassword, kPassword).code(), StatusCode::kBusy);
  MustOpen(At("plain", ""));
  EXPECT_EQ(ChangeRocksPassword(directory_.Inside("plain"), "", kPassword).code(),
            StatusCode::kInvalid);
  EXPECT_EQ(ChangeRocksPassword(directory_.Inside("nowhere"), "a", "b").code(),
            StatusCode::kNotFound);
}

TEST_F(RocksEncryption, ReencryptGoesEveryWay) {
  MakePlanted("plain", "");
  const std::string plain = directory_.Inside("plain");
  const std::string one = directory_.Inside("one");
  const std::string two = directory_.Inside("two");
  const std::string three = directory_.Inside("three");
  EXPECT_FALSE(IsRocksEncrypted(plain).value());
  ASSERT_TRUE(ReencryptRocks({plain, "", one, kPassword}).ok());
  EXPECT_TRUE(IsRocksEncrypted(one).value());
  EXPECT_EQ(Showing(one), std::set<std::string>());
  ExpectPlanted(*MustOpen(At("one")));

  ASSERT_TRUE(ReencryptRocks({one, kPassword, two, kNewPassword}).ok());
  ExpectRefused(At("two"), StatusCode::kWrongPassword, "wrong password");
  ExpectPlanted(*MustOpen(At("two", kNewPassword)));
  // Another key, so the old key file opens nothing of it.
  fs::copy_file(one + "/MAYFLY.key", two + "/MAYFLY.key", fs::copy_options::overwrite_existing);
  ExpectRefused(At("two"), StatusCode::kCorruption, "not encrypted with the key");

  ASSERT_TRUE(ReencryptRocks({one, kPassword, three, ""}).ok());
  EXPECT_FALSE(fs::exists(three + "/MAYFLY.key"));
  EXPECT_FALSE(Showing(three).empty());
  ExpectPlanted(*MustOpen(At("three", "")));
}

TEST_F(RocksEncryption, ReencryptRefusesWhatItShould) {
  MakePlanted("db");
  const std::string db = directory_.Inside("db");
  const std::string target = directory_.Inside("target");
  EXPECT_EQ(ReencryptRocks({db, "wrong", target, ""}).code(), StatusCode::kWrongPassword);
  EXPECT_EQ(ReencryptRocks({db, "", target, ""}).code(), StatusCode::kWrongPassword);
  EXPECT_EQ(ReencryptRocks({db, kPassword, db + "/within", ""}).code(), StatusCode::kInvalid);
  EXPECT_FALSE(fs::exists(db + "/within"));
  EXPECT_FALSE(fs::exists(target));
  EXPECT_EQ(ReencryptRocks({target, "", db, ""}).code(), StatusCode::kNotFound);
  MustOpen(At("other"));
  EXPECT_EQ(ReencryptRocks({db, kPassword, directory_.Inside("other"), ""}).code(),
            StatusCode::kInvalid);
  MustOpen(At("other"));
  const auto engine = MustOpen(At("db"));
  EXPECT_EQ(ReencryptRocks({db, kPassword, target, ""}).code(), StatusCode::kBusy);
}

TEST_F(RocksEncryption, AReencryptThatFailsLeavesNothing) {
  MakePlanted("db");
  const std::string target = directory_.Inside("target");
  FaultyDisk disk;
  disk.SetFull(true);
  EXPECT_EQ(ReencryptRocks({directory_.Inside("db"), kPassword, target, ""}, disk.env()).code(),
            StatusCode::kIoError);
  EXPECT_FALSE(fs::exists(target));
  ExpectPlanted(*MustOpen(At("db")));
}

TEST_F(RocksEncryption, AReencryptThatIsKilledLeavesTheOldAndNoHalfOfTheNew) {
  MakePlanted("db");
  const std::uint64_t seed = FreshSeed();
  SCOPED_TRACE(seed);
  Random random(seed);
  int killed = 0;
  for (int round = 0; round < 10; ++round) {
    const std::string name = "target" + std::to_string(round);
    const std::uint64_t at = random.Between(1, 120);
    const pid_t child = ::fork();
    ASSERT_GE(child, 0);
    if (child == 0) {
      FaultyDisk disk;
      disk.KillProcessAt(at);
      const Status done = ReencryptRocks(
          {directory_.Inside("db"), kPassword, directory_.Inside(name), kNewPassword}, disk.env());
      ::_exit(done.ok() ? 0 : 1);
    }
    int status = 0;
    ASSERT_EQ(::waitpid(child, &status, 0), child);
    const bool finished = WIFEXITED(status) && WEXITSTATUS(status) == 0;
    ASSERT_TRUE(finished || WIFSIGNALED(status)) << "round " << round << ": " << status;
    killed += !finished;
    RocksOptions existing = At(name, kNewPassword);
    existing.create_if_missing = false;
    const auto opened = OpenRocksEngine(existing);
    if (opened) {
      ExpectPlanted(**opened);
      continue;
    }
    EXPECT_FALSE(finished);
    // Without its MAYFLY file, which is written last, it is no database, whatever lies there.
    if (FilesIn(directory_.Inside(name)).contains("CURRENT")) {
      // Invalid if it was the first file, which is up to the file system: alone it may be anybody's.
      const Status refused = OpenRocksEngine(At(name, kNewPassword)).status();
      EXPECT_TRUE(refused.code() == StatusCode::kCorruption ||
                  refused.code() == StatusCode::kInvalid)
          << refused.ToString();
    } else {
      EXPECT_TRUE(opened.error().IsNotFound() || opened.error().code() == StatusCode::kCorruption)
          << opened.error().ToString();
    }
  }
  EXPECT_GT(killed, 0);
  ExpectPlanted(*MustOpen(At("db")));
}

TEST_F(RocksEncryption, PasswordsAreInNoLogLine) {
  class Lines final : public Logger {
   public:
    bool Wants(LogLevel /*level*/) const override { return true; }
    void Write(LogLevel /*level*/, std::string_view line) override { text.append(line); }
    std::string text;
  };
  Lines lines;
  RocksOptions options = At("db");
  options.logger = &lines;
  MustOpen(options);
  MustOpen(options);
  EXPECT_FALSE(lines.text.empty());
  EXPECT_EQ(lines.text.find(kPassword), std::string::npos);
}

// The part of the process that is killed.
void PlantAndDie(const std::string& directory) {
  const auto engine = OpenRocksEngine(Options(directory, kPassword));
  if (!engine) return;
  Plant(**engine);
  ::kill(::getpid(), SIGKILL);
}

}  // namespace
}  // namespace mayfly::engine

int main(int argc, char** argv) {
  if (argc == 3 && std::string_view(argv[1]) == "--plant-and-die") {
    mayfly::engine::PlantAndDie(argv[2]);
    return 1;
  }
  ::testing::InitGoogleTest(&argc, argv);
  return RUN_ALL_TESTS();
}

// Goal: a backup or restore that fails or is killed leaves nothing unrecorded: no bytes of rows in
// a forgotten file, no half of a database that passes for a whole one.
// Method: a limit on the size of files, which fails a write or kills the process in the middle of
// one; and an engine that kills the process, or fails, at its n-th commit.
#include <gtest/gtest.h>
#include <sys/resource.h>
#include <unistd.h>

#include <csignal>
#include <cstdlib>
#include <filesystem>
#include <fstream>

#include "base/random.h"
#include "core/each_engine.h"
#include "core/new_database.h"
#include "core/proof_fixture.h"
#include "crash/child_process.h"
#include "engine/hot/hot_engine.h"
#include "engine/rocks/rocks_engine.h"
#include "tests/engine/forwarding_engine.h"

namespace mayfly {
namespace {

using namespace std::chrono_literals;
using crash::ChildProcess;

void Die(int /*signal*/) { ::kill(::getpid(), SIGKILL); }

// No file may grow beyond so many bytes while this lives. `kills`: a write beyond that kills the
// process.
class FileLimit {
 public:
  FileLimit(std::uint64_t bytes, bool kills) {
    std::signal(SIGXFSZ, kills ? Die : SIG_IGN);
    EXPECT_EQ(::getrlimit(RLIMIT_FSIZE, &before_), 0);
    struct rlimit limit = before_;
    limit.rlim_cur = bytes;
    EXPECT_EQ(::setrlimit(RLIMIT_FSIZE, &limit), 0);
  }
  ~FileLimit() {
    EXPECT_EQ(::setrlimit(RLIMIT_FSIZE, &before_), 0);
    std::signal(SIGXFSZ, SIG_DFL);
  }
  FileLimit(const FileLimit&) = delete;
  FileLimit& operator=(const FileLimit&) = delete;

 private:
  struct rlimit before_ = {};
};

constexpr std::uint64_t kRows = 6;
constexpr std::uint64_t kRowBytes = std::uint64_t{1} << 20;
constexpr std::uint64_t kLimit = 3 * kRowBytes;  // In the middle of a backup of them.

class InterruptedBackup : public EachEngine {
 protected:
  void Fill() {
    Random random(20261116);
    for (std::uint64_t i = 0; i < kRows; ++i) {
      ASSERT_EQ(CodeOf(rows().Put("TOPSECRET" + std::to_string(i), random.Bytes(kRowBytes))), kOk);
    }
    home_.ReclaimEverything();  // So that the log has room.
  }

  std::string Path() const { return directory_.Inside("backup"); }
  std::string Partial() const { return Path() + ".partial"; }
  bool NothingIsLeft() const { return std::filesystem::is_empty(directory_.path()); }

  std::vector<ProofHolder> Holders() {
    auto proof = database().Prove();
    EXPECT_TRUE(proof.has_value());
    return proof ? proof->holders : std::vector<ProofHolder>();
  }

  TemporaryDirectory directory_;
};

TEST_P(InterruptedBackup, LeavesNothingWhenTheDiskRefuses) {
  Fill();
  {
    const FileLimit limit(kLimit, /*kills=*/false);
    const auto report = database().Backup(Path());
    ASSERT_EQ(CodeOf(report), kIoError);
    EXPECT_NE(report.status().ToString().find("File too large"), std::string::npos);
  }
  EXPECT_TRUE(NothingIsLeft());
  EXPECT_TRUE(Holders().empty());
  EXPECT_EQ(CodeOf(database().Backup(Path())), kOk) << "the name is free again";
  EXPECT_EQ(Holders().size(), 1U);
}

TEST_P(InterruptedBackup, TakesNoNameThatIsBeingWritten) {
  Fill();
  std::ofstream(Partial()) << "somebody's";
  EXPECT_EQ(CodeOf(database().Backup(Path())), kBusy);
  EXPECT_TRUE(std::filesystem::exists(Partial()));
  EXPECT_TRUE(Holders().empty()) << "it is not ours";
}

TEST_P(InterruptedBackup, IsKnownAndRemovedWhenItWasKilled) {
  if (!home_.persistent()) return;
  Fill();
  ASSERT_EQ(CodeOf(database().Close()), kOk);
  ChildProcess child({"backup", home_.options().directory, Path()});
  ASSERT_TRUE(child.Wait());
  ASSERT_TRUE(std::filesystem::exists(Partial())) << "nothing was killed half way";
  {
    auto options = home_.options();
    options.read_only = true;
    const auto looked_at = Database::Open(options);
    ASSERT_TRUE(looked_at.has_value()) << looked_at.status().ToString();
    const auto proof = *(*looked_at)->Prove();
    EXPECT_TRUE(Names(proof, ProofHolder::Kind::kBackup, Partial())) << "mayfly prove tells";
  }
  home_.Open();
  EXPECT_TRUE(NothingIsLeft());
  EXPECT_TRUE(Holders().empty());
  EXPECT_EQ(CodeOf(database().Backup(Path())), kOk);
  EXPECT_TRUE(Names(*database().Prove(), ProofHolder::Kind::kBackup, Path()));
}

INSTANTIATE_TEST_SUITE_P(On, InterruptedBackup, AllEngines(), NameOfEngine);

// Kills the process, or fails, at a commit of its own choice.
class EndsAtCommit final : public engine::suite::ForwardingEngine {
 public:
  EndsAtCommit(std::unique_ptr<engine::Engine> inner, int commits, bool kills)
      : ForwardingEngine(std::move(inner)), left_(commits), kills_(kills) {}

 private:
  Status DoCommit(const engine::Batch& batch, Durability durability) override {
    if (left_-- > 0) return ForwardingEngine::DoCommit(batch, durability);
    if (kills_) Die(SIGKILL);
    if (left_ < -1) return ForwardingEngine::DoCommit(batch, durability);  // Once is enough.
    return Status::IoError("no space left on device");
  }

  int left_;
  const bool kills_;
};

std::unique_ptr<Database> OpenThatEnds(const std::string& directory, int commits, bool kills,
                                       const Clock& clock) {
  // As it was made.
  const engine::RocksOptions rocks = {.directory = directory, .profile = engine::Profile::kTiny};
  auto engine = engine::HasHotLog(directory)
                    ? engine::OpenHotEngine(rocks, {.segment_bytes = engine::hot::kSegmentBytesMin,
                                                    .log_bytes_max = 64 << 10})
                    : engine::OpenRocksEngine(rocks);
  EXPECT_TRUE(engine.has_value());
  return *core::NewDatabase(std::make_unique<EndsAtCommit>(*std::move(engine), commits, kills),
                            {.clock = &clock});
}

class InterruptedRestore : public ::testing::TestWithParam<StorageEngine> {
 protected:
  void SetUp() override {
    const auto source = *Database::Open({.clock = &clock_});
    const auto other = *source->CreateKeyspace("other", {.default_ttl = 1h});
    for (int i = 0; i < 2000; ++i) {
      ASSERT_TRUE(source->default_keyspace().Put(std::to_string(i), "value").ok());
      ASSERT_TRUE(other->Put(std::to_string(i), "value").ok());
    }
    ASSERT_TRUE(source->default_keyspace().SetPolicy({.max_ttl = 500h}).ok());
    ASSERT_TRUE(source->Backup(directory_.Inside("backup")).has_value());
  }

  DatabaseOptions Options() const {
    return {.directory = directory_.Inside("db"),
            .memory = MemoryProfile::kTiny,
            .engine = GetParam(),
            .clock = &clock_};
  }

  // An empty database whose default keyspace has a policy.
  void MakeEmpty() const {
    std::filesystem::remove_all(directory_.Inside("db"));
    const auto database = *Database::Open(Options());
    ASSERT_TRUE(database->default_keyspace().SetPolicy({.default_ttl = 7h}).ok());
  }

  // True when it was killed before it was done.
  bool RestoreAndDie(int commits) const {
    ChildProcess child(
        {"restore", directory_.Inside("db"), directory_.Inside("backup"), std::to_string(commits)});
    return child.Wait();
  }

  static void ExpectEmpty(Database& database) {
    EXPECT_EQ(database.ListKeyspaces()->size(), 1U);
    EXPECT_EQ(database.default_keyspace().Count().value(), 0U);
    EXPECT_EQ(database.default_keyspace().policy(), (KeyspacePolicy{.default_ttl = 7h}));
  }

  ManualClock clock_{kStart};
  TemporaryDirectory directory_;
};

INSTANTIATE_TEST_SUITE_P(On, InterruptedRestore,
                         ::testing::Values(StorageEngine::kRocks, StorageEngine::kMemoryFirst),
                         [](const auto& engine) {
                           return engine.param == StorageEngine::kRocks ? "Rocks" : "MemoryFirst";
                         });

TEST_P(InterruptedRestore, ThatIsKilledLeavesAnEmptyDatabaseOrAWholeOne) {
  int killed = 0;
  // From the first commit of the restore to beyond the last.
  for (int commits = 2; commits < 40; commits += 3) {
    MakeEmpty();
    const bool died = RestoreAndDie(commits);
    const auto database = Database::Open(Options());
    ASSERT_TRUE(database.has_value()) << database.status().ToString();
    if (died) {
      ++killed;
      ExpectEmpty(**database);
      EXPECT_TRUE((*database)->Restore(directory_.Inside("backup")).has_value());
    }
    EXPECT_EQ((*database)->default_keyspace().Count().value(), 2000U) << commits;
    EXPECT_EQ((*(*database)->OpenKeyspace("other"))->Count().value(), 2000U) << commits;
  }
  EXPECT_GT(killed, 5);
}

TEST_P(InterruptedRestore, ThatIsKilledIsNotShownToReaders) {
  MakeEmpty();
  ASSERT_TRUE(RestoreAndDie(15));
  auto options = Options();
  options.read_only = true;
  const auto database = Database::Open(options);
  ASSERT_EQ(CodeOf(database), kCorruption);
  EXPECT_NE(database.status().ToString().find("restore again"), std::string::npos);
}

TEST_P(InterruptedRestore, ThatFailsLeavesAnEmptyDatabase) {
  for (const int commits : {4, 12}) {
    MakeEmpty();
    const auto database = OpenThatEnds(directory_.Inside("db"), commits, /*kills=*/false, clock_);
    EXPECT_EQ(CodeOf(database->Restore(directory_.Inside("backup"))), kIoError) << commits;
    ExpectEmpty(*database);
    EXPECT_TRUE(database->Restore(directory_.Inside("backup")).has_value()) << commits;
    EXPECT_EQ(database->default_keyspace().Count().value(), 2000U);
  }
}

// In the child: writes a backup until it is killed.
int BackUp(const std::string& directory, const std::string& file) {
  const auto database = *Database::Open({.directory = directory, .memory = MemoryProfile::kTiny});
  const FileLimit limit(kLimit, /*kills=*/true);
  return database->Backup(file).has_value() ? 0 : 1;
}

int Restore(const std::string& directory, const std::string& file, int commits) {
  const ManualClock clock(kStart);
  const auto database = OpenThatEnds(directory, commits, /*kills=*/true, clock);
  // Without closing it, which commits the time: a kill there would come after a whole restore.
  std::_Exit(database->Restore(file).has_value() ? 0 : 1);
}

}  // namespace
}  // namespace mayfly

int main(int argc, char** argv) {
  const std::vector<std::string> words(argv + 1, argv + argc);
  if (words.size() == 3 && words[0] == "backup") return mayfly::BackUp(words[1], words[2]);
  if (words.size() == 4 && words[0] == "restore") {
    return mayfly::Restore(words[1], words[2], std::stoi(words[3]));
  }
  ::testing::InitGoogleTest(&argc, argv);
  return RUN_ALL_TESTS();
}

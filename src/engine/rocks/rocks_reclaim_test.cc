// Goal: what CompactFile(), DropFile() and Flush() promise beyond the contract's cases: nothing is
// left in logs and manifests, files in use are left alone, in every family.
// Method: the engine on a real directory, whose files are inspected from outside.
#include <gtest/gtest.h>

#include <atomic>
#include <filesystem>
#include <fstream>
#include <mutex>
#include <thread>

#include "base/temporary_directory.h"
#include "engine/rocks/compaction_pace.h"
#include "engine/rocks/files/rocks_directory.h"
#include "engine/rocks/rocks_engine.h"

namespace mayfly::engine {
namespace {

// Values that begin with "dead" are dead. On request, judges wait, and so do writers of a file of
// members.
class WaitingPolicy final : public DropPolicy {
 public:
  class WaitingJudge final : public Judge {
   public:
    explicit WaitingJudge(const WaitingPolicy& policy) : policy_(policy) {}
    bool IsDead(Bytes, Bytes value) override {
      policy_.paced_ = CompactionPace::OfThisThread() != nullptr;
      if (policy_.wait_) {
        ++policy_.waiting_;
        policy_.waiting_.notify_all();
        policy_.wait_.wait(true);
      }
      return value.starts_with("dead");
    }

   private:
    const WaitingPolicy& policy_;
  };

  std::unique_ptr<Judge> NewJudge(Role) const override {
    return std::make_unique<WaitingJudge>(*this);
  }
  std::optional<WallTime> DeadlineOf(Role role, Bytes, Bytes) const override {
    if (role == Role::kMembers) hold_members_.wait(true);
    return std::nullopt;
  }

  // True if the last pair was judged on a thread with a pace.
  bool paced() const { return paced_; }

  void HoldFlushesOfMembers() { hold_members_ = true; }
  void LetFlushesGo() {
    hold_members_ = false;
    hold_members_.notify_all();
  }

  void Wait() { wait_ = true; }
  void AwaitAJudge() const { waiting_.wait(0); }
  void LetGo() {
    wait_ = false;
    wait_.notify_all();
  }

 private:
  std::atomic<bool> hold_members_{false};
  mutable std::atomic<bool> wait_{false};
  mutable std::atomic<int> waiting_{0};
  mutable std::atomic<bool> paced_{false};
};

// Keeps warnings and errors.
class KeepingLogger final : public Logger {
 public:
  bool Wants(LogLevel level) const override { return level >= LogLevel::kWarning; }
  void Write(LogLevel, std::string_view line) override {
    const std::lock_guard lock(mutex_);
    lines_.emplace_back(line);
  }
  std::vector<std::string> lines() {
    const std::lock_guard lock(mutex_);
    return lines_;
  }

 private:
  std::mutex mutex_;
  std::vector<std::string> lines_;
};

class RocksReclaim : public testing::Test {
 protected:
  RocksReclaim() : policy_(std::make_shared<WaitingPolicy>()) {
    auto engine = OpenRocksEngine({.directory = Path(),
                                   .profile = Profile::kTiny,
                                   .drop_policy = policy_,
                                   .logger = &logger_});
    EXPECT_TRUE(engine.has_value()) << engine.status().ToString();
    engine_ = *std::move(engine);
  }
  std::string Path() const { return directory_.Inside("db"); }

  void Put(Role role, Bytes key, Bytes value) {
    Batch batch;
    batch.Put({role}, key, value);
    ASSERT_TRUE(engine_->Commit(batch).ok());
  }
  void Delete(Role role, Bytes key) {
    Batch batch;
    batch.Delete({role}, key);
    ASSERT_TRUE(engine_->Commit(batch).ok());
  }
  void Flush() {
    const Status status = engine_->Flush();
    ASSERT_TRUE(status.ok()) << status.ToString();
  }
  bool Has(Role role, Bytes key) {
    PinnedBytes value;
    return engine_->Get({role}, key, value).ok();
  }
  std::vector<FileInfo> Files(Role role) { return *engine_->Files(role); }
  bool CompactFile(Role role, const std::string& name, std::uint64_t bytes_per_second = 0) {
    const auto done = engine_->CompactFile(role, name, bytes_per_second);
    EXPECT_TRUE(done.has_value()) << done.status().ToString();
    return done.has_value() && *done;
  }
  bool DropFile(Role role, const std::string& name) {
    const auto done = engine_->DropFile(role, name);
    EXPECT_TRUE(done.has_value()) << done.status().ToString();
    return done.has_value() && *done;
  }

  std::vector<DirectoryFile> OnDisk(FileKind kind) const {
    std::vector<DirectoryFile> files;
    EXPECT_TRUE(ListDirectory(*rocksdb::Env::Default(), Path(), files).ok());
    std::erase_if(files, [kind](const DirectoryFile& file) { return file.kind != kind; });
    return files;
  }
  std::uint64_t LogBytes() const {
    std::uint64_t bytes = 0;
    for (const DirectoryFile& file : OnDisk(FileKind::kLog)) bytes += file.bytes;
    return bytes;
  }
  bool ManifestHolds(Bytes needle) const {
    for (const DirectoryFile& file : OnDisk(FileKind::kManifest)) {
      std::ifstream in(Path() + "/" + file.name, std::ios::binary);
      const std::string bytes(std::istreambuf_iterator<char>(in), {});
      if (bytes.find(needle) != std::string::npos) return true;
    }
    return false;
  }

  static Role RoleAt(std::size_t i) { return static_cast<Role>(i); }

  KeepingLogger logger_;
  TemporaryDirectory directory_;
  std::shared_ptr<WaitingPolicy> policy_;
  std::unique_ptr<Engine> engine_;
};

TEST_F(RocksReclaim, FlushLeavesNoBytesInAnyLogWhicheverFamiliesWereWritten) {
  for (unsigned families = 0; families < (1u << kRoleCount); ++families) {
    for (std::size_t i = 0; i < kRoleCount; ++i) {
      if ((families >> i & 1) != 0) Put(RoleAt(i), "key" + std::to_string(families), "value");
    }
    EXPECT_EQ(LogBytes() > 0, families != 0);
    Flush();
    EXPECT_EQ(LogBytes(), 0u) << families;
    EXPECT_EQ(OnDisk(FileKind::kLog).size(), 1u);
  }
  Flush();
  EXPECT_EQ(LogBytes(), 0u);
  EXPECT_EQ(engine_->Stats()->obsolete_files, 0u);
}

TEST_F(RocksReclaim, FlushAfterNothingButDeletesLeavesNoBytesInTheLog) {
  Delete(Role::kRows, "never written");
  Flush();
  EXPECT_EQ(LogBytes(), 0u);
  Batch batch;
  batch.DeleteRange({Role::kMeta}, "empty range", "empty range");
  ASSERT_TRUE(engine_->Commit(batch).ok());
  Flush();
  EXPECT_EQ(engine_->Find("empty range")->size(), 0u);
  EXPECT_EQ(LogBytes(), 0u);
}

TEST_F(RocksReclaim, FlushWorksAfterReopening) {
  Put(Role::kRows, "key", "value");
  engine_.reset();
  engine_ = *OpenRocksEngine({.directory = Path(), .profile = Profile::kTiny});
  Flush();
  EXPECT_EQ(LogBytes(), 0u);
  EXPECT_TRUE(Has(Role::kRows, "key"));
}

// RocksDB keeps logs from the one on in which a family began its newest buffer. A family whose
// flush ends after another family began a new log, and that is empty since, would keep the log
// between.
TEST_F(RocksReclaim, AFamilyThatIsStillBeingFlushedKeepsNoLogAfterwards) {
  engine_.reset();
  constexpr std::size_t kBufferBytes = 64 << 10;
  engine_ = *OpenRocksEngine({.directory = Path(),
                              .profile = Profile::kTiny,
                              .write_buffer_bytes = kBufferBytes,
                              .drop_policy = policy_});
  policy_->HoldFlushesOfMembers();
  Put(Role::kMembers, "key", std::string(2 * kBufferBytes, 'v'));
  Put(Role::kRows, "key", "value");  // Seals the buffer of members, and lies in a log after theirs.
  const std::size_t logs = OnDisk(FileKind::kLog).size();
  std::thread flush([&] { Flush(); });
  while (OnDisk(FileKind::kLog).size() == logs) std::this_thread::yield();
  policy_->LetFlushesGo();
  flush.join();
  EXPECT_EQ(LogBytes(), 0u);
  EXPECT_TRUE(Has(Role::kMembers, "key"));
  EXPECT_TRUE(Has(Role::kRows, "key"));
}

TEST_F(RocksReclaim, TheManifestForgetsKeysWithTheChangeThatFollows) {
  for (std::size_t i = 0; i < kRoleCount; ++i) {
    const std::string first = "first of " + std::to_string(i);
    const std::string last = "last of " + std::to_string(i);
    Put(RoleAt(i), first, "dead");
    Put(RoleAt(i), "key", "alive");
    Put(RoleAt(i), last, "dead");
    Flush();
    EXPECT_TRUE(ManifestHolds(first));
    EXPECT_TRUE(CompactFile(RoleAt(i), Files(RoleAt(i))[0].name));
    EXPECT_TRUE(ManifestHolds(first)) << "if not, Flush() need not renew the manifest";
    Put(RoleAt(i), "key", "alive again");
    Flush();
    EXPECT_FALSE(ManifestHolds(first));
    EXPECT_FALSE(ManifestHolds(last));
  }
}

TEST_F(RocksReclaim, FlushMakesTheManifestForgetEvenWhenThereIsNothingToFlush) {
  Put(Role::kRows, "the first key", "dead");
  Put(Role::kRows, "the middle", "alive");
  Put(Role::kRows, "the other key", "dead");
  Flush();
  ASSERT_TRUE(CompactFile(Role::kRows, Files(Role::kRows)[0].name));
  Flush();
  EXPECT_FALSE(ManifestHolds("the first key"));
  EXPECT_FALSE(ManifestHolds("the other key"));
  EXPECT_EQ(OnDisk(FileKind::kManifest).size(), 1u);
  ASSERT_TRUE(DropFile(Role::kRows, Files(Role::kRows)[0].name));
  Flush();
  EXPECT_FALSE(ManifestHolds("the middle"));

  const std::string manifest = OnDisk(FileKind::kManifest)[0].name;
  Flush();
  EXPECT_EQ(OnDisk(FileKind::kManifest)[0].name, manifest) << "nothing to forget, nothing written";
}

TEST_F(RocksReclaim, EveryFamilyCompactsAndDropsItsFiles) {
  for (std::size_t i = 0; i < kRoleCount; ++i) {
    const Role role = RoleAt(i);
    Put(role, "a", "alive");
    Flush();
    Put(role, "b", "dead");
    Flush();
    Put(role, "c", "alive");
    Flush();
    auto files = Files(role);
    ASSERT_EQ(files.size(), 3u);
    EXPECT_EQ(files[0].level, 0);
    EXPECT_FALSE(DropFile(role, files[0].name)) << "older files lie beneath in level 0";
    EXPECT_FALSE(DropFile(RoleAt((i + 1) % kRoleCount), files[2].name)) << "another role's file";
    EXPECT_FALSE(CompactFile(RoleAt((i + 1) % kRoleCount), files[2].name));

    // Newest first: the one in the middle takes the older one with it and leaves the newer.
    EXPECT_TRUE(CompactFile(role, files[1].name));
    EXPECT_TRUE(Has(role, "a"));
    EXPECT_FALSE(Has(role, "b"));
    files = Files(role);
    ASSERT_EQ(files.size(), 2u);
    EXPECT_EQ(files[0].level, 0);
    EXPECT_EQ(files[1].level, 6);
    EXPECT_FALSE(DropFile(role, files[0].name));
    EXPECT_TRUE(CompactFile(role, files[1].name)) << "in its place";
    const std::string rewritten = Files(role)[1].name;
    EXPECT_NE(rewritten, files[1].name);
    EXPECT_FALSE(CompactFile(role, files[1].name)) << "gone";
    EXPECT_TRUE(DropFile(role, rewritten));
    EXPECT_FALSE(std::filesystem::exists(Path() + "/" + rewritten));
    EXPECT_FALSE(DropFile(role, rewritten)) << "gone";
    EXPECT_FALSE(Has(role, "a"));
    EXPECT_TRUE(Has(role, "c"));
  }
  EXPECT_EQ(logger_.lines(), std::vector<std::string>()) << "nothing was tried that cannot be";
}

// RocksDB moves files of level 0 down as they are if it takes them for disjoint, and files that hold
// versions of one key count as such.
TEST_F(RocksReclaim, AFileBesideAnotherVersionOfItsKeyIsNotDropped) {
  Put(Role::kRows, "key", "deleted");
  Flush();
  Delete(Role::kRows, "key");
  Flush();
  for (const char* const key : {"x", "y", "z"}) {
    Put(Role::kRows, key, "alive");
    Flush();
  }
  const auto is_moved = [&] {
    const std::vector<FileInfo> files = Files(Role::kRows);
    return std::count_if(files.begin(), files.end(), [](const FileInfo& file) {
             return file.level > 0 && file.first_key == "key";
           }) == 2;
  };
  Waker pause;
  for (int i = 0; i < 1000 && !is_moved(); ++i) pause.WaitFor(std::chrono::milliseconds(10));
  ASSERT_TRUE(is_moved()) << "RocksDB no longer moves such files";
  for (const FileInfo& file : Files(Role::kRows)) {
    if (file.first_key != "key") continue;
    EXPECT_FALSE(DropFile(Role::kRows, file.name));
    EXPECT_FALSE(Has(Role::kRows, "key"));
  }
  for (const FileInfo& file : Files(Role::kRows)) {
    if (file.first_key == "z" && file.level > 0) {
      EXPECT_TRUE(DropFile(Role::kRows, file.name)) << "it has no neighbour of that key";
    }
  }
}

TEST_F(RocksReclaim, AFileThatIsBeingCompactedIsLetAlone) {
  Put(Role::kRows, "key", "alive");
  Flush();
  const std::string name = Files(Role::kRows)[0].name;
  policy_->Wait();
  std::thread compaction([&] { EXPECT_TRUE(CompactFile(Role::kRows, name)); });
  policy_->AwaitAJudge();
  EXPECT_FALSE(CompactFile(Role::kRows, name));
  EXPECT_FALSE(DropFile(Role::kRows, name));
  EXPECT_EQ(engine_->Stats()->obsolete_files, 0u) << "what is being written is not obsolete";
  policy_->LetGo();
  compaction.join();
  EXPECT_TRUE(Has(Role::kRows, "key"));
}

TEST_F(RocksReclaim, AFileOfNothingButARangeTombstoneCountsItAsADeletion) {
  Batch batch;
  batch.DeleteRange({Role::kRows}, "a", "b");
  ASSERT_TRUE(engine_->Commit(batch).ok());
  Flush();
  const auto files = Files(Role::kRows);
  ASSERT_EQ(files.size(), 1u);
  EXPECT_EQ(files[0].deletions, 1u);
  EXPECT_EQ(files[0].entries, 1u);
}

TEST_F(RocksReclaim, CompactFileWritesFilesOfTheFamilysSize) {
  constexpr std::size_t kReclaimRows = 50;
  const std::string value(100 << 10, 'v');
  for (std::size_t i = 0; i < kReclaimRows; ++i) Put(Role::kRows, "key" + std::to_string(i), value);
  ASSERT_TRUE(engine_->Compact(Role::kRows).ok());
  int compacted = 0;  // A file may go as another's neighbour before its turn.
  for (const FileInfo& file : Files(Role::kRows)) compacted += CompactFile(Role::kRows, file.name);
  EXPECT_GT(compacted, 0);
  for (const FileInfo& file : Files(Role::kRows)) EXPECT_LT(file.bytes, 2u << 20);
  for (std::size_t i = 0; i < kReclaimRows; ++i)
    EXPECT_TRUE(Has(Role::kRows, "key" + std::to_string(i)));
}

TEST_F(RocksReclaim, APaceIsHeldByTheCompactionThatHasItAndByNoOther) {
  Put(Role::kRows, "alive", "alive");
  Put(Role::kRows, "dead", "dead");
  Flush();
  EXPECT_TRUE(CompactFile(Role::kRows, Files(Role::kRows)[0].name, std::uint64_t{1} << 40));
  EXPECT_TRUE(policy_->paced());
  EXPECT_TRUE(Has(Role::kRows, "alive"));
  EXPECT_FALSE(Has(Role::kRows, "dead"));
  EXPECT_TRUE(CompactFile(Role::kRows, Files(Role::kRows)[0].name));
  EXPECT_FALSE(policy_->paced());
  ASSERT_TRUE(engine_->Compact(Role::kRows).ok());
  EXPECT_FALSE(policy_->paced());
}

TEST_F(RocksReclaim, StatsTellWhenCommitsAreHeldBack) {
  EXPECT_FALSE(engine_->Stats()->commits_held_back);
  policy_->Wait();
  int files = 0;
  constexpr int kFilesMax = 19;  // RocksDB slows down at 20.
  for (; files < kFilesMax && !engine_->Stats()->commits_held_back; ++files) {
    // Two keys, so that each file overlaps the others; RocksDB would move such that do not.
    Put(Role::kMembers, "key", std::to_string(files));
    Put(Role::kMembers, "key of more", std::to_string(files));
    Flush();
  }
  EXPECT_TRUE(engine_->Stats()->commits_held_back);
  EXPECT_GE(files, 15);
  policy_->LetGo();
  ASSERT_TRUE(engine_->Compact(Role::kMembers).ok());
  EXPECT_FALSE(engine_->Stats()->commits_held_back);
}

}  // namespace
}  // namespace mayfly::engine

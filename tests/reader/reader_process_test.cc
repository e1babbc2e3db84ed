// Goal: a process that reads beside the one that writes sees whole commits in their order, all that
// were acknowledged before its read, and nothing dead. Method: a writer in a process of its own,
// which plays at random by a seed and publishes its acknowledged commits in shared memory; it is
// stopped, started again and killed while readers read.
#include <gtest/gtest.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include <atomic>
#include <chrono>
#include <filesystem>
#include <fstream>
#include <map>
#include <thread>

#include "base/random.h"
#include "base/temporary_directory.h"
#include "fork/forked.h"
#include "mayfly/database.h"
#include "mayfly/kvstore.h"

namespace mayfly {
namespace {

constexpr int kKeys = 8;
constexpr WallTime kStart = WallTimeFromMs(1'700'000'000'000);

// Writers have the engine of the test; readers take a directory as they find it.
class ReaderProcess : public ::testing::TestWithParam<StorageEngine> {};
INSTANTIATE_TEST_SUITE_P(Engines, ReaderProcess,
                         ::testing::Values(StorageEngine::kRocks, StorageEngine::kMemoryFirst),
                         [](const auto& engine) {
                           return engine.param == StorageEngine::kRocks ? "Rocks" : "MemoryFirst";
                         });

DatabaseOptions At(const std::string& directory, bool read_only = false) {
  return {.directory = directory,
          .read_only = read_only,
          .memory = MemoryProfile::kTiny,
          .engine = read_only ? StorageEngine::kAsFound : ReaderProcess::GetParam(),
          .memory_rows_bytes_max = 4 << 20};
}

std::unique_ptr<Database> MustOpen(const DatabaseOptions& options) {
  auto opened = Database::Open(options);
  if (!opened) {
    ADD_FAILURE() << opened.error().ToString();
    std::abort();
  }
  return *std::move(opened);
}

// The shared memory of the processes.
struct Board {
  std::atomic<std::uint64_t> acknowledged{0};
  std::atomic<bool> stop{false};
};
class SharedBoard {
 public:
  SharedBoard()
      : board_(new (::mmap(nullptr, sizeof(Board), PROT_READ | PROT_WRITE,
                           MAP_SHARED | MAP_ANONYMOUS, -1, 0)) Board) {}
  ~SharedBoard() { ::munmap(board_, sizeof(Board)); }
  SharedBoard(const SharedBoard&) = delete;
  SharedBoard& operator=(const SharedBoard&) = delete;
  Board* operator->() const { return board_; }

 private:
  Board* const board_;
};

std::string KeyOf(int i) { return "key " + std::to_string(i); }

// Each transaction writes its number to all keys; one of them is written with a large value, some
// rows die at once, and now and then files are rewritten.
std::string Write(const std::string& directory, Board& board, std::uint64_t seed) {
  Random random(seed);
  auto opened = Database::Open(At(directory));
  if (!opened) return opened.error().ToString();
  Database& database = **opened;
  auto& keyspace = database.default_keyspace();
  std::uint64_t number = board.acknowledged;
  while (!board.stop) {
    ++number;
    const Status committed = database.Transact([&](Transaction& transaction) {
      auto& rows = transaction.In(keyspace);
      for (int i = 0; i < kKeys; ++i) {
        MAYFLY_RETURN_IF_ERROR(rows.Put(KeyOf(i), std::to_string(number)));
      }
      const std::string filler(random.OneIn(8) ? 50'000 : 100, 'f');
      return rows.Put(
          "filler " + std::to_string(random.Below(50)), filler,
          random.OneIn(2) ? Lifetime::For(Millis(1 + random.Below(20))) : Lifetime::Forever());
    });
    if (!committed.ok()) return committed.ToString();
    board.acknowledged = number;
    if (random.OneIn(60)) static_cast<void>(database.Reclaim({.everything = true}));
    if (random.OneIn(40)) static_cast<void>(database.Purge());
    if (random.OneIn(90)) {
      auto made = database.CreateKeyspace("dropped");
      if (made) static_cast<void>((*made)->Put("a", "b"));
      static_cast<void>(database.DropKeyspace("dropped"));
    }
    if (random.OneIn(150)) {
      if (const Status closed = database.Close(); !closed.ok()) return closed.ToString();
      return "again";
    }
  }
  return {};
}

std::string WriteUntilStopped(const std::string& directory, Board& board, std::uint64_t seed) {
  for (;;) {
    std::string said = Write(directory, board, seed++);
    if (said != "again") return said;
  }
}

// Makes the database in a process of its own: this one still has no thread afterwards, so its
// children may have some.
std::string MakeElsewhere(const std::string& directory) {
  return Forked([&] {
           auto opened = Database::Open(At(directory));
           if (!opened) return opened.error().ToString();
           const Status put = (*opened)->default_keyspace().Put("made", "elsewhere");
           return put.ok() ? std::string() : put.ToString();
         })
      .Wait();
}

// One read: at most what was begun, at least what was acknowledged, whole, never back.
std::string Look(Database& reader, const Board& board, std::uint64_t& seen) {
  const std::uint64_t acknowledged = board.acknowledged;
  auto snapshot = reader.NewSnapshot();
  if (!snapshot) return snapshot.error().ToString();
  auto& keyspace = reader.default_keyspace();
  const auto& rows = (*snapshot)->In(keyspace);
  std::string first;
  for (int i = 0; i < kKeys; ++i) {
    const auto value = rows.Get(KeyOf(i));
    if (!value) return KeyOf(i) + ": " + value.error().ToString();
    if (i == 0) first = *value;
    if (*value != first) return "torn: " + first + " and " + *value;
  }
  const std::uint64_t number = std::stoull(first);
  if (number < acknowledged) return "late: " + first + " of " + std::to_string(acknowledged);
  if (number < seen) return "back: " + first + " after " + std::to_string(seen);
  seen = number;
  const auto now = (*snapshot)->now();
  auto cursor = *rows.NewCursor({});
  std::uint64_t count = 0;
  for (cursor->SeekToFirst(); cursor->Valid(); cursor->Next(), ++count) {
    if (cursor->deadline() && *cursor->deadline() <= now) return "a dead row is shown";
  }
  if (!cursor->status().ok()) return cursor->status().ToString();
  if (const auto told = rows.Count(); !told || *told != count) return "a wrong count";
  const auto one = keyspace.Get(KeyOf(0));
  if (!one) return "outside the snapshot: " + one.error().ToString();
  if (std::stoull(*one) < number) return "the newest is older than the snapshot";
  return {};
}

TEST_P(ReaderProcess, SeesWholeCommitsInTheirOrderAndAllThatWereAcknowledged) {
  const std::uint64_t seed = FreshSeed();
  SCOPED_TRACE("seed " + std::to_string(seed));
  const TemporaryDirectory directory;
  const std::string home = directory.Inside("db");
  const SharedBoard board;
  ASSERT_EQ(MakeElsewhere(home), "");
  Forked writer([&] { return WriteUntilStopped(home, *board.operator->(), seed); });
  while (board->acknowledged < 3) std::this_thread::yield();
  Forked second([&] {  // Another reader, in a process of its own.
    auto reader = Database::Open(At(home, true));
    if (!reader) return reader.error().ToString();
    std::uint64_t seen = 0;
    std::string said;
    while (!board->stop && said.empty()) said = Look(**reader, *board.operator->(), seen);
    return said;
  });
  const auto reader = MustOpen(At(home, true));
  std::uint64_t seen = 0;
  std::uint64_t looks = 0;
  const auto end = std::chrono::steady_clock::now() + std::chrono::seconds(4);
  while (std::chrono::steady_clock::now() < end) {
    ASSERT_EQ(Look(*reader, *board.operator->(), seen), "") << "look " << looks;
    ++looks;
  }
  board->stop = true;
  EXPECT_EQ(second.Wait(), "");
  EXPECT_EQ(writer.Wait(), "");
  EXPECT_EQ(Look(*reader, *board.operator->(), seen), "") << "after the writer";
  RecordProperty("looks", static_cast<int>(looks));
  std::printf("%lu looks, %lu commits\n", looks, board->acknowledged.load());
}

TEST_P(ReaderProcess, OutlivesWritersThatAreKilled) {
  const std::uint64_t seed = FreshSeed();
  SCOPED_TRACE("seed " + std::to_string(seed));
  const TemporaryDirectory directory;
  const std::string home = directory.Inside("db");
  const SharedBoard board;
  ASSERT_EQ(MakeElsewhere(home), "");
  WaitingChildren<6> writers([&](std::uint64_t life) {
    static_cast<void>(WriteUntilStopped(home, *board.operator->(), seed + 100 * life));
  });
  std::unique_ptr<Database> reader;
  std::uint64_t seen = 0;
  for (std::uint64_t life = 0; life < writers.size(); ++life) {
    const pid_t child = writers.Begin(life);
    const std::uint64_t wanted = board->acknowledged + 40;
    while (board->acknowledged < wanted) {
      ASSERT_EQ(::waitpid(child, nullptr, WNOHANG), 0) << "the writer ended";
      std::this_thread::yield();
    }
    if (reader == nullptr) reader = MustOpen(At(home, true));
    for (int i = 0; i < 20; ++i) ASSERT_EQ(Look(*reader, *board.operator->(), seen), "");
    ::kill(child, SIGKILL);
    ::waitpid(child, nullptr, 0);
    ASSERT_EQ(Look(*reader, *board.operator->(), seen), "") << "without a writer";
    board->acknowledged = seen;  // It may have committed one more than it published.
  }
}

// The lag is none once the reader has looked: its number is the writer's.
TEST_P(ReaderProcess, ShowsWhichCommitItHasReached) {
  const TemporaryDirectory directory;
  const std::string home = directory.Inside("db");
  auto writer = MustOpen(At(home));
  const auto reader = MustOpen(At(home, true));
  std::uint64_t last = 0;
  for (int i = 0; i < 40; ++i) {
    ASSERT_TRUE(writer->default_keyspace().Put(std::to_string(i), std::string(20'000, 'v')).ok());
    if (i % 10 == 5) {
      ASSERT_TRUE(writer->Reclaim({.everything = true}).has_value());
    }
    if (i % 10 == 8) {
      writer.reset();
      writer = MustOpen(At(home));
    }
    const std::uint64_t written = writer->GetStatistics()->last_commit;
    EXPECT_GT(written, last);
    last = written;
    EXPECT_GE(reader->GetStatistics()->last_commit, written) << "commit " << i;
    EXPECT_EQ(reader->GetStatistics()->last_commit, writer->GetStatistics()->last_commit);
  }
}

TEST_P(ReaderProcess, FollowsKeyspacesEventsAndTheDeadOfItsWriter) {
  const TemporaryDirectory directory;
  const std::string home = directory.Inside("db");
  ManualClock clock(kStart);
  DatabaseOptions options = At(home);
  options.clock = &clock;
  auto writer = MustOpen(options);
  options.read_only = true;
  const auto reader = MustOpen(options);
  auto made = *writer->CreateKeyspace("made", {.events = EventDetail::kKey});
  ASSERT_TRUE(made->Put("mortal", "1", Lifetime::For(Millis(10))).ok());
  const auto theirs = *reader->OpenKeyspace("made");
  EXPECT_EQ(*theirs->Get("mortal"), "1");
  EXPECT_EQ(*theirs->Count(), 1U);
  clock.Advance(Millis(9));
  EXPECT_TRUE(*theirs->Exists("mortal"));
  clock.Advance(Millis(1));
  EXPECT_FALSE(*theirs->Exists("mortal"));
  EXPECT_EQ(*theirs->Count(), 0U);
  EXPECT_EQ(reader->LastEventSequence(), 0U);
  ASSERT_EQ(writer->Purge()->rows, 1U);
  EXPECT_EQ(reader->LastEventSequence(), 1U);
  EXPECT_EQ(reader->ReadEvents(0, 10)->size(), 1U);
  ASSERT_TRUE(made->SetPolicy({.default_ttl = Millis(7)}).ok());
  EXPECT_EQ(reader->ListKeyspaces()->size(), 2U);
  EXPECT_EQ(theirs->policy().default_ttl, Millis(7));
  ASSERT_TRUE(writer->DropKeyspace("made").ok());
  EXPECT_EQ(reader->ListKeyspaces()->size(), 1U);
  EXPECT_EQ(theirs->Get("mortal").error().code(), StatusCode::kInvalid);
  EXPECT_TRUE(reader->Check()->clean());
}

TEST_P(ReaderProcess, FollowsTheTimeOfItsWriter) {
  const TemporaryDirectory directory;
  ManualClock clock(kStart);
  DatabaseOptions options = At(directory.Inside("db"));
  options.clock = &clock;
  const auto writer = MustOpen(options);
  options.read_only = true;
  const auto reader = MustOpen(options);
  auto& rows = writer->default_keyspace();
  auto& seen = reader->default_keyspace();
  ASSERT_TRUE(rows.Put("row", "1", Lifetime::For(std::chrono::minutes(30))).ok());
  EXPECT_TRUE(*seen.Exists("row"));
  // The clock is an hour ahead for a moment, and only the writer reads it then.
  clock.Set(kStart + std::chrono::hours(1));
  EXPECT_FALSE(*rows.Exists("row"));
  clock.Set(kStart + Millis(1));
  EXPECT_FALSE(*rows.Exists("row"));
  EXPECT_FALSE(*seen.Exists("row")) << "dead by the writer's time";
}

TEST_P(ReaderProcess, WritesNothingAndRefusesToByName) {
  const TemporaryDirectory directory;
  const std::string home = directory.Inside("db");
  EXPECT_EQ(Database::Open(At(directory.Inside("none"), true)).error().code(),
            StatusCode::kNotFound);
  EXPECT_FALSE(std::filesystem::exists(directory.Inside("none")));
  const auto writer = MustOpen(At(home));
  ASSERT_TRUE(writer->default_keyspace().Put("a", "1").ok());
  const auto reader = MustOpen(At(home, true));
  auto& rows = reader->default_keyspace();
  EXPECT_EQ(rows.Put("a", "2").code(), StatusCode::kReadOnly);
  EXPECT_EQ(rows.Clear().code(), StatusCode::kReadOnly);
  EXPECT_EQ(reader->CreateKeyspace("b").error().code(), StatusCode::kReadOnly);
  EXPECT_EQ(reader->Reclaim().error().code(), StatusCode::kReadOnly);
  EXPECT_EQ(reader->StartReaper().error().code(), StatusCode::kReadOnly);
  EXPECT_EQ(reader->Subscribe([](const Event&) {}).error().code(), StatusCode::kReadOnly);
  EXPECT_EQ(reader->Prove().error().code(), StatusCode::kBusy) << "a question to the writer";
  EXPECT_EQ(*rows.Get("a"), "1");
}

bool ReportsAReader(const Database& database) {
  const auto proof = database.Prove();
  EXPECT_TRUE(proof.has_value()) << proof.status().ToString();
  return std::any_of(proof->holders.begin(), proof->holders.end(),
                     [](const auto& holder) { return holder.kind == ProofHolder::Kind::kReader; });
}

TEST_P(ReaderProcess, AProofTellsOfReadersThatMayHoldDeletedFiles) {
  const TemporaryDirectory directory;
  const std::string home = directory.Inside("db");
  const Signal made;
  const Signal opened;
  const Signal proven;
  Forked child([&] {  // Before there are threads.
    made.Await();
    auto reader = Database::Open(At(home, true));
    opened.Give();
    proven.Await();
    return reader.status().ok() ? "" : reader.status().ToString();
  });
  auto writer = MustOpen(At(home));
  EXPECT_FALSE(ReportsAReader(*writer));
  made.Give();
  opened.Await();
  EXPECT_TRUE(ReportsAReader(*writer));
  {
    const auto own = MustOpen(At(home, true));
    proven.Give();
    ASSERT_EQ(child.Wait(), "");
    EXPECT_TRUE(ReportsAReader(*writer)) << "of this process";
    ASSERT_TRUE(writer->Close().ok());
    EXPECT_FALSE(ReportsAReader(*own)) << "it is no other than itself";
    const auto other = MustOpen(At(home, true));
    EXPECT_TRUE(ReportsAReader(*own));
  }
  writer = MustOpen(At(home));
  EXPECT_FALSE(ReportsAReader(*writer));
}

std::map<std::string, std::uintmax_t> SizesIn(const std::string& folder) {
  std::map<std::string, std::uintmax_t> sizes;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(folder)) {
    if (!entry.is_directory()) sizes[entry.path()] = entry.file_size();
  }
  return sizes;
}

TEST_P(ReaderProcess, ReadsADirectoryThatItMayNotWriteTo) {
  const TemporaryDirectory directory;
  const std::string home = directory.Inside("db");
  ASSERT_EQ(MakeElsewhere(home), "");
  std::vector<std::string> folders{home};
  for (const auto& entry : std::filesystem::recursive_directory_iterator(home)) {
    if (entry.is_directory()) {
      folders.push_back(entry.path());
    } else {
      ASSERT_EQ(::chmod(entry.path().c_str(), 0444), 0);
    }
  }
  for (const std::string& folder : folders) ASSERT_EQ(::chmod(folder.c_str(), 0555), 0);
  const auto before = SizesIn(home);
  ASSERT_EQ(::chmod(directory.path().c_str(), 0755), 0);
  Forked child([&] {
    if (::getuid() == 0 && ::setuid(65534) != 0) return std::string("cannot be nobody");
    auto reader = Database::Open(At(home, true));
    if (!reader) return reader.error().ToString();
    return (*reader)->default_keyspace().Get("made").has_value() ? "" : std::string("no row");
  });
  EXPECT_EQ(child.Wait(), "");
  EXPECT_EQ(SizesIn(home), before);
  for (const std::string& folder : folders) ASSERT_EQ(::chmod(folder.c_str(), 0755), 0);
}

// What this thread has read from files so far, by the kernel's count.
std::uint64_t BytesThatThisThreadRead() {
  std::ifstream counts("/proc/thread-self/io");
  std::string name;
  std::uint64_t bytes = 0;
  counts >> name >> bytes;
  EXPECT_EQ(name, "rchar:");
  return bytes;
}

TEST_P(ReaderProcess, AReadThatFindsNothingNewReadsNoLogAndNoFiles) {
  const TemporaryDirectory directory;
  const auto writer = MustOpen(At(directory.Inside("db")));
  for (int i = 0; i < 2'000; ++i) {
    ASSERT_TRUE(writer->default_keyspace().Put(std::to_string(i), std::string(1000, 'v')).ok());
  }
  const auto reader = MustOpen(At(directory.Inside("db"), true));
  ASSERT_TRUE(reader->default_keyspace().Get("1").has_value());
  const std::uint64_t start = BytesThatThisThreadRead();
  const std::uint64_t of_the_count = BytesThatThisThreadRead() - start;
  for (int i = 0; i < 1'000; ++i) ASSERT_TRUE(reader->default_keyspace().Get("1").has_value());
  // The place where news would stand is read each time, and perhaps the row. Log and files have 2 MB.
  EXPECT_LT(BytesThatThisThreadRead() - start - of_the_count, 1'000u * (16u << 10));
}

TEST(ReaderOfKvstore, SeesWhatWasAcknowledged) {
  const TemporaryDirectory directory;
  const std::string file = directory.Inside("store");
  KVStore* writer = nullptr;
  ASSERT_EQ(kvstore_open(file.c_str(), &writer, KVSTORE_JOURNAL_WAL), KVSTORE_OK);
  KVStoreConfig config{};
  config.readOnly = 1;
  KVStore* reader = nullptr;
  ASSERT_EQ(kvstore_open_v2(file.c_str(), &reader, &config), KVSTORE_OK) << kvstore_errmsg(nullptr);
  ASSERT_EQ(kvstore_put(writer, "a", 1, "1", 1), KVSTORE_OK);
  void* value = nullptr;
  int size = 0;
  ASSERT_EQ(kvstore_get(reader, "a", 1, &value, &size), KVSTORE_OK);
  EXPECT_EQ(std::string(static_cast<char*>(value), static_cast<std::size_t>(size)), "1");
  snkv_free(value);
  EXPECT_EQ(kvstore_put(reader, "a", 1, "2", 1), KVSTORE_READONLY);
  EXPECT_EQ(kvstore_close(writer), KVSTORE_OK);
  ASSERT_EQ(kvstore_open(file.c_str(), &writer, KVSTORE_JOURNAL_WAL), KVSTORE_OK);
  ASSERT_EQ(kvstore_put(writer, "b", 1, "1", 1), KVSTORE_OK);
  int exists = 0;
  EXPECT_EQ(kvstore_exists(reader, "b", 1, &exists), KVSTORE_OK);
  EXPECT_EQ(exists, 1);
  EXPECT_EQ(kvstore_close(reader), KVSTORE_OK);
  EXPECT_EQ(kvstore_close(writer), KVSTORE_OK);
}

}  // namespace
}  // namespace mayfly

// Goal: a child made by fork() cannot harm its parent's database, nor hang on it, and can use one
// of its own. Method: real children of a process that writes all the while, which make every call,
// destroy every handle, and end by exit().
#include <gtest/gtest.h>

#include <atomic>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <map>
#include <sstream>
#include <thread>

#include "base/temporary_directory.h"
#include "fork/fork_fixture.h"
#include "fork/forked.h"
#include "mayfly/c.h"
#include "mayfly/database.h"
#include "mayfly/kvstore.h"

namespace mayfly {
namespace {

constexpr int kForks = 25;

class Fork : public ::testing::TestWithParam<StorageEngine> {};
INSTANTIATE_TEST_SUITE_P(Engines, Fork,
                         ::testing::Values(StorageEngine::kRocks, StorageEngine::kMemoryFirst),
                         [](const auto& engine) {
                           return engine.param == StorageEngine::kRocks ? "Rocks" : "MemoryFirst";
                         });

std::unique_ptr<Database> OpenOnEngine(const std::string& directory) {
  return MustOpen(directory, Fork::GetParam());
}

// Writes, reads and flushes until it is destroyed, so that locks are held when a child is made.
class Traffic {
 public:
  explicit Traffic(Database& database) {
    for (int i = 0; i < 2; ++i) {
      threads_.emplace_back([this, &database, i] { Run(database, i); });
    }
    while (writes_ < 100) std::this_thread::yield();
  }
  ~Traffic() {
    stop_ = true;
    for (auto& thread : threads_) thread.join();
  }
  Traffic(const Traffic&) = delete;
  Traffic& operator=(const Traffic&) = delete;

 private:
  void Run(Database& database, int id) {
    auto& keyspace = database.default_keyspace();
    for (std::uint64_t i = 0; !stop_; ++i, ++writes_) {
      const std::string key = "traffic " + std::to_string(id) + " " + std::to_string(i % 5000);
      const auto put = i % 2 == 0 ? keyspace.Put(key, std::string(100, 'x'))
                                  : keyspace.Put(key, "y", Lifetime::For(Millis(1)));
      if (!put.ok() && !stop_) ADD_FAILURE() << put.ToString();
      static_cast<void>(keyspace.Get(key));
      static_cast<void>(keyspace.Count());
    }
  }

  std::atomic<bool> stop_{false};
  std::atomic<std::uint64_t> writes_{0};
  std::vector<std::thread> threads_;
};

// Handles that a program may hold when it forks.
struct Held {
  std::unique_ptr<Database> database;
  std::unique_ptr<Reaper> reaper;
  std::unique_ptr<EventSubscription> subscription;
  std::unique_ptr<Lease> lease;
  std::unique_ptr<Transaction> transaction;
  std::unique_ptr<Snapshot> snapshot;
  std::unique_ptr<Cursor> cursor;
  PinnedBytes pinned;

  explicit Held(const std::string& directory) : database(OpenOnEngine(directory)) {
    auto& keyspace = database->default_keyspace();
    EXPECT_TRUE(keyspace.Put("a", "1").ok());
    EXPECT_TRUE(keyspace.Put("b", "2").ok());
    reaper = *database->StartReaper();
    subscription = *database->Subscribe([](const Event&) {});
    lease = *database->TakeLease("the test");
    transaction = *database->Begin();
    EXPECT_TRUE(transaction->In(keyspace).Put("of the transaction", "3").ok());
    snapshot = *database->NewSnapshot();
    cursor = *keyspace.NewCursor();
    cursor->SeekToFirst();
    EXPECT_TRUE(cursor->Valid());
    EXPECT_TRUE(keyspace.Get("a", pinned).ok());
  }
};

void CallKeyspace(Keyspace& keyspace, Refusals& refusals) {
  refusals.Expect("Put", keyspace.Put("child", "x"));
  refusals.Expect("Put with a ttl", keyspace.Put("child", "x", Lifetime::For(Millis(10))));
  refusals.Expect("Get", keyspace.Get("a"));
  refusals.Expect("Delete", keyspace.Delete("a"));
  refusals.Expect("Expire", keyspace.Expire("a", Lifetime::For(Millis(10))));
  refusals.Expect("Ttl", keyspace.Ttl("a"));
  refusals.Expect("Count", keyspace.Count());
  refusals.Expect("Clear", keyspace.Clear());
  refusals.Expect("SetPolicy", keyspace.SetPolicy({}));
  refusals.Expect("NewCursor", keyspace.NewCursor());
  static_cast<void>(keyspace.policy());
}

void CallDatabase(Database& database, const std::string& file, Refusals& refusals) {
  refusals.Expect("CreateKeyspace", database.CreateKeyspace("of the child"));
  refusals.Expect("OpenKeyspace", database.OpenKeyspace("default"));
  refusals.Expect("ListKeyspaces", database.ListKeyspaces());
  refusals.Expect("DropKeyspace", database.DropKeyspace("default"));
  refusals.Expect("TakeLease", database.TakeLease("other"));
  refusals.Expect("Begin", database.Begin());
  refusals.Expect("NewSnapshot", database.NewSnapshot());
  refusals.Expect("Purge", database.Purge());
  refusals.Expect("StartReaper", database.StartReaper());
  refusals.Expect("Reclaim", database.Reclaim());
  refusals.Expect("Prove", database.Prove());
  refusals.Expect("ReadEvents", database.ReadEvents(0, 1));
  refusals.Expect("TrimEvents", database.TrimEvents({}));
  refusals.Expect("Subscribe", database.Subscribe([](const Event&) {}));
  refusals.Expect("Persist", database.Sync(Durability::kDisk));
  refusals.Expect("GetStatistics", database.GetStatistics());
  refusals.Expect("ConfirmClock", database.ConfirmClock());
  refusals.Expect("RevertClock", database.RevertClock());
  refusals.Expect("Check", database.Check());
  refusals.Expect("Backup", database.Backup(file));
  refusals.Expect("Restore", database.Restore(file));
  static_cast<void>(database.LastEventSequence());
  static_cast<void>(database.EventsTrimmedThrough());
  static_cast<void>(database.clock_report());
}

std::string CallEverything(Held& held, const std::string& file) {
  Refusals refusals;
  auto& keyspace = held.database->default_keyspace();
  CallKeyspace(keyspace, refusals);
  CallDatabase(*held.database, file, refusals);
  refusals.Expect("a read of the transaction", held.transaction->In(keyspace).Get("a"));
  refusals.Expect("a write of the transaction", held.transaction->In(keyspace).Put("c", "d"));
  refusals.Expect("Commit", held.transaction->Commit());
  refusals.Expect("a read of the snapshot", held.snapshot->In(keyspace).Get("a"));
  held.cursor->Next();
  refusals.Expect("Next", !held.cursor->Valid());
  refusals.Expect("the cursor", held.cursor->status());
  held.reaper->AwaitIdle();
  return refusals.said();
}

std::map<std::string, std::string> FilesIn(const std::string& directory) {
  std::map<std::string, std::string> files;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(directory)) {
    if (!entry.is_regular_file()) continue;
    std::ostringstream bytes;
    bytes << std::ifstream(entry.path(), std::ios::binary).rdbuf();
    files[entry.path().filename()] = bytes.str();
  }
  return files;
}

TEST_P(Fork, EveryCallInAChildIsRefusedWhateverTheParentDoes) {
  const TemporaryDirectory directory;
  Held held(directory.Inside("db"));
  {
    const Traffic traffic(*held.database);
    for (int i = 0; i < kForks; ++i) {
      Forked child([&] {
        std::string said = CallEverything(held, directory.Inside("backup"));
        // Destroys everything, in the order of a careful program.
        held.cursor.reset();
        held.snapshot.reset();
        held.transaction.reset();
        held.lease.reset();
        held.subscription.reset();
        held.reaper.reset();
        held.pinned.Reset();
        if (const Status closed = held.database->Close(); !closed.ok()) said += closed.ToString();
        held.database.reset();
        return said;
      });
      ASSERT_EQ(child.Wait(), "") << "fork " << i;
    }
  }
  EXPECT_EQ(*held.database->default_keyspace().Get("a"), "1");
  EXPECT_FALSE(*held.database->default_keyspace().Exists("child"));
  const auto checked = held.database->Check();
  ASSERT_TRUE(checked.has_value()) << checked.error().ToString();
  EXPECT_TRUE(checked->clean());
}

TEST_P(Fork, AChildThatLeavesEverythingAloneEnds) {
  const TemporaryDirectory directory;
  Held held(directory.Inside("db"));
  const Traffic traffic(*held.database);
  for (int i = 0; i < kForks; ++i) {
    Forked child([] { return std::string(); });
    ASSERT_EQ(child.Wait(), "") << "fork " << i;
  }
}

TEST_P(Fork, AChildChangesNoFile) {
  const TemporaryDirectory directory;
  const std::string home = directory.Inside("db");
  auto database = OpenOnEngine(home);
  ASSERT_TRUE(database->default_keyspace().Put("key", "value").ok());
  const auto before = FilesIn(home);
  Forked child([&] {
    static_cast<void>(database->default_keyspace().Put("key", "child"));
    static_cast<void>(database->Close());
    database.reset();
    return std::string();
  });
  EXPECT_EQ(child.Wait(), "");
  // RocksDB in the parent may still write and remove lists of files, after the opening.
  const auto is_list = [](const std::string& name) {
    return name.starts_with("MANIFEST") || name.starts_with("OPTIONS") || name == "CURRENT";
  };
  const auto after = FilesIn(home);
  for (const auto& [name, bytes] : after) {
    EXPECT_TRUE(is_list(name) || (before.contains(name) && before.at(name) == bytes)) << name;
  }
  for (const auto& [name, bytes] : before)
    EXPECT_TRUE(is_list(name) || after.contains(name)) << name;
}

// A reader beside the writer has a thread, and rows of the log in memory.
TEST_P(Fork, AReaderIsRefusedInAChildAndFollowsOnInTheParent) {
  const TemporaryDirectory directory;
  const std::string home = directory.Inside("db");
  const auto writer = OpenOnEngine(home);
  auto& rows = writer->default_keyspace();
  ASSERT_TRUE(rows.Put("a", "1").ok());
  auto reader = MustOpen(home, StorageEngine::kAsFound, /*read_only=*/true);
  auto snapshot = *reader->NewSnapshot();
  auto cursor = *reader->default_keyspace().NewCursor();
  {
    const Traffic traffic(*writer);
    for (int i = 0; i < kForks; ++i) {
      Forked child([&] {
        Refusals refusals;
        refusals.Expect("Get", reader->default_keyspace().Get("a"));
        refusals.Expect("Count", reader->default_keyspace().Count());
        refusals.Expect("NewSnapshot", reader->NewSnapshot());
        refusals.Expect("a read of the snapshot",
                        snapshot->In(reader->default_keyspace()).Get("a"));
        cursor.reset();
        snapshot.reset();
        reader.reset();
        return refusals.said();
      });
      ASSERT_EQ(child.Wait(), "") << "fork " << i;
      ASSERT_TRUE(rows.Put("a", std::to_string(i)).ok());
      ASSERT_EQ(*reader->default_keyspace().Get("a"), std::to_string(i));
    }
  }
  EXPECT_EQ(*snapshot->In(reader->default_keyspace()).Get("a"), "1");
}

// A child opens the parent's database to read beside it, as any process may.
TEST_P(Fork, AChildReadsBesideItsParentByAReaderOfItsOwn) {
  const TemporaryDirectory directory;
  const std::string home = directory.Inside("db");
  const auto writer = OpenOnEngine(home);
  ASSERT_TRUE(writer->default_keyspace().Put("a", "1").ok());
  const Signal written;
  Forked child([&] {
    auto reader = Database::Open({.directory = home, .read_only = true});
    if (!reader) return reader.error().ToString();
    if ((*reader)->default_keyspace().Get("a").value_or("") != "1") return std::string("no a");
    written.Await();
    return (*reader)->default_keyspace().Get("b").value_or("") == "2" ? "" : std::string("no b");
  });
  ASSERT_TRUE(writer->default_keyspace().Put("b", "2").ok());
  written.Give();
  EXPECT_EQ(child.Wait(), "");
}

std::string UseOfItsOwn(const std::string& directory) {
  for (int round = 0; round < 3; ++round) {  // Opened, closed and opened again.
    auto own = Database::Open(
        {.directory = directory, .memory = MemoryProfile::kTiny, .engine = Fork::GetParam()});
    if (!own) return own.error().ToString();
    for (int i = 0; i < 3000; ++i) {
      const auto put = (*own)->default_keyspace().Put(std::to_string(i), std::string(1000, 'v'));
      if (!put.ok()) return put.ToString();
    }
    auto reaper = (*own)->StartReaper();
    if (!reaper) return reaper.error().ToString();
    reaper->reset();
    const auto reclaimed = (*own)->Reclaim({.everything = true});
    if (!reclaimed) return reclaimed.error().ToString();
    if (const Status closed = (*own)->Close(); !closed.ok()) return closed.ToString();
  }
  return {};
}

TEST_P(Fork, AChildCanOpenADatabaseOfItsOwn) {
  const TemporaryDirectory directory;
  Held held(directory.Inside("db"));
  const Traffic traffic(*held.database);
  Forked child([&] { return UseOfItsOwn(directory.Inside("child")); });
  EXPECT_EQ(child.Wait(), "");
}

TEST_P(Fork, WhenTheParentHasClosedAnyoneCanOpenItThoughTheChildLives) {
  const TemporaryDirectory directory;
  const std::string home = directory.Inside("db");
  auto database = OpenOnEngine(home);
  ASSERT_TRUE(database->default_keyspace().Put("key", "value").ok());
  const Signal closed;
  Forked child([&] {
    closed.Await();
    return UseOfItsOwn(home);  // The child can open it, too, once the parent has closed it.
  });
  ASSERT_TRUE(database->Close().ok());
  database = OpenOnEngine(home);
  EXPECT_EQ(*database->default_keyspace().Get("key"), "value");
  ASSERT_TRUE(database->Close().ok());
  closed.Give();
  EXPECT_EQ(child.Wait(), "");
  database = OpenOnEngine(home);
  EXPECT_EQ(*database->default_keyspace().Count(), 3001U);
}

TEST(ForkByOtherFaces, TheSameFromC) {
  const TemporaryDirectory directory;
  const std::string home = directory.Inside("db");
  mayfly_database_options options = {};
  options.size = sizeof options;
  options.directory = home.c_str();
  mayfly_database* database = nullptr;
  ASSERT_EQ(mayfly_open(&options, &database), MAYFLY_OK) << mayfly_error_message();
  mayfly_keyspace* keyspace = nullptr;
  ASSERT_EQ(mayfly_default_keyspace(database, &keyspace), MAYFLY_OK);
  mayfly_view* rows = mayfly_keyspace_view(keyspace);
  ASSERT_EQ(mayfly_put(rows, "a", 1, "1", 1, mayfly_forever()), MAYFLY_OK);
  mayfly_transaction* transaction = nullptr;
  ASSERT_EQ(mayfly_begin(database, &transaction), MAYFLY_OK);
  mayfly_cursor* cursor = nullptr;
  ASSERT_EQ(mayfly_open_cursor(rows, nullptr, &cursor), MAYFLY_OK);
  Forked child([&] {
    Refusals refusals;
    refusals.Expect("mayfly_put",
                    mayfly_put(rows, "a", 1, "2", 1, mayfly_forever()) == MAYFLY_INVALID);
    refusals.Expect("the words",
                    std::string(mayfly_error_message()).find("fork()") != std::string::npos);
    void* value = nullptr;
    std::size_t size = 0;
    refusals.Expect("mayfly_get", mayfly_get(rows, "a", 1, &value, &size) == MAYFLY_INVALID);
    refusals.Expect("mayfly_commit", mayfly_commit(transaction, 0) == MAYFLY_INVALID);
    mayfly_close_cursor(cursor);
    mayfly_release_keyspace(keyspace);
    refusals.Expect("mayfly_close", mayfly_close(database) == MAYFLY_OK);
    return refusals.said();
  });
  EXPECT_EQ(child.Wait(), "");
  mayfly_close_cursor(cursor);
  mayfly_release_transaction(transaction);
  void* value = nullptr;
  std::size_t size = 0;
  ASSERT_EQ(mayfly_get(rows, "a", 1, &value, &size), MAYFLY_OK);
  EXPECT_EQ(std::string(static_cast<char*>(value), size), "1");
  mayfly_free(value);
  mayfly_release_keyspace(keyspace);
  EXPECT_EQ(mayfly_close(database), MAYFLY_OK);
}

TEST(ForkByOtherFaces, TheSameFromKvstore) {
  const TemporaryDirectory directory;
  const std::string file = directory.Inside("store");
  KVStore* store = nullptr;
  ASSERT_EQ(kvstore_open(file.c_str(), &store, KVSTORE_JOURNAL_WAL), KVSTORE_OK);
  ASSERT_EQ(kvstore_put(store, "a", 1, "1", 1), KVSTORE_OK);
  KVIterator* iterator = nullptr;
  ASSERT_EQ(kvstore_iterator_create(store, &iterator), KVSTORE_OK);
  const Signal closed;
  Forked child([&] {
    Refusals refusals;
    refusals.Expect("kvstore_put", kvstore_put(store, "a", 1, "2", 1) == KVSTORE_ERROR);
    refusals.Expect("the words",
                    std::string(kvstore_errmsg(store)).find("fork()") != std::string::npos);
    refusals.Expect("kvstore_begin", kvstore_begin(store, 1) == KVSTORE_ERROR);
    refusals.Expect("kvstore_iterator_next", kvstore_iterator_next(iterator) == KVSTORE_ERROR);
    closed.Await();
    kvstore_iterator_close(iterator);
    refusals.Expect("kvstore_close", kvstore_close(store) == KVSTORE_OK);
    return refusals.said();
  });
  kvstore_iterator_close(iterator);
  EXPECT_EQ(kvstore_close(store), KVSTORE_OK);
  ASSERT_EQ(kvstore_open(file.c_str(), &store, KVSTORE_JOURNAL_WAL), KVSTORE_OK)
      << "the child holds it: " << kvstore_errmsg(nullptr);
  EXPECT_EQ(kvstore_close(store), KVSTORE_OK);
  closed.Give();
  EXPECT_EQ(child.Wait(), "");
}

}  // namespace
}  // namespace mayfly

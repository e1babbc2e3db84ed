// Goal: bad calls are refused and change nothing: sizes, a closed database, one opened for reading.
// Method: every public call is made where it must fail.
#include <gtest/gtest.h>

#include <array>
#include <filesystem>
#include <functional>
#include <map>

#include "core/each_engine.h"

namespace mayfly {
namespace {

using namespace std::chrono_literals;

std::optional<std::string> Changed(std::optional<Bytes> /*old*/) { return "changed"; }

// Every kind of write, with one key and value.
std::vector<std::pair<const char*, Status>> AllWrites(KeyspaceWriter& writer, Bytes key,
                                                      Bytes value) {
  // clang-format off
  return {
      {"Put",             writer.Put(key,               value)},
      {"PutIf",           writer.PutIf(key,             value,                        PutCondition::Always()).status()},
      {"Delete",                 writer.Delete(key).status()},
      {"Update",          writer.Update(key,            Changed)},
      {"Expire",          writer.Expire(key,            Lifetime::For(5ms)).status()},
      {"Persist",         writer.Persist(key).status()},
      {"Touch", writer.Touch(key, Lifetime::For(5ms)).status()},
  };
  // clang-format on
}

// Every read of one key.
std::vector<std::pair<const char*, Status>> AllReads(const KeyspaceReader& reader, Bytes key) {
  PinnedBytes pin;
  // clang-format off
  return {
      {"Get",       reader.Get(key).status()},
      {"GetPinned", reader.Get(key,           pin)},
      {"GetRow",           reader.GetRow(key).status()},
      {"Exists",           reader.Exists(key).status()},
      {"Ttl",           reader.Ttl(key).status()},
  };
  // clang-format on
}

void ExpectAll(const std::vector<std::pair<const char*, Status>>& outcomes, StatusCode code) {
  for (const auto& [name, status] : outcomes) {
    EXPECT_EQ(CodeOf(status), code) << name << ": " << status.ToString();
  }
}

class BadInput : public EachEngine {};

TEST_P(BadInput, KeysAreOneTo65536Bytes) {
  const std::string longest(65'536, 'k');
  ASSERT_EQ(CodeOf(rows().Put(longest, "value", Lifetime::For(5ms))), kOk);
  EXPECT_EQ(rows().Get(longest).value(), "value");
  for (const std::size_t size : {std::size_t{0}, std::size_t{65'537}, std::size_t{1} << 20}) {
    SCOPED_TRACE(size);
    const std::string key(size, 'k');
    ExpectAll(AllWrites(rows(), key, "value"), kInvalid);
    ExpectAll(AllReads(rows(), key), kInvalid);
    const auto transaction = *database().Begin();
    ExpectAll(AllWrites(transaction->In(rows()), key, "value"), kInvalid);
    ExpectAll(AllReads(transaction->In(rows()), key), kInvalid);
    ExpectAll(AllReads((*database().NewSnapshot())->In(rows()), key), kInvalid);
  }
  EXPECT_EQ(rows().Count().value(), 1u);
  clock().Advance(5ms);
  EXPECT_EQ(database().Purge().value().rows, 1u);
}

TEST_P(BadInput, ValuesAreUpTo256MiB) {
  const std::string too_large((std::size_t{256} << 20) + 1, 'v');
  ASSERT_EQ(CodeOf(rows().Put("key", "value")), kOk);
  EXPECT_EQ(CodeOf(rows().Put("key", too_large)), kInvalid);
  EXPECT_EQ(CodeOf(rows().PutIf("key", too_large, PutCondition::Present())), kInvalid);
  EXPECT_EQ(CodeOf(rows().Update("key", [&](auto) { return std::optional(too_large); })), kInvalid);
  const auto transaction = *database().Begin();
  EXPECT_EQ(CodeOf(transaction->In(rows()).Put("key", too_large)), kInvalid);
  EXPECT_EQ(CodeOf(transaction->Commit()), kOk);
  EXPECT_EQ(rows().Get("key").value(), "value");
}

TEST_P(BadInput, MoreKeysThanOneReadTakesAreRefused) {
  const std::vector<Bytes> keys((std::size_t{1} << 16) + 1, "key");
  EXPECT_EQ(CodeOf(rows().MultiGet(keys)), kInvalid);
}

TEST_P(BadInput, AfterCloseEveryCallIsInvalid) {
  const auto other = *database().CreateKeyspace("other");
  ASSERT_EQ(CodeOf(rows().Put("key", "value")), kOk);
  ASSERT_EQ(CodeOf(database().Close()), kOk);
  EXPECT_EQ(CodeOf(database().Close()), kOk) << "closing again is fine";
  for (Keyspace* keyspace : {&rows(), other.get()}) {
    ExpectAll(AllReads(*keyspace, "key"), kInvalid);
    ExpectAll(AllWrites(*keyspace, "key", "value"), kInvalid);
    const std::array<Bytes, 1> keys{"key"};
    EXPECT_EQ(CodeOf(keyspace->MultiGet(keys)), kInvalid);
    EXPECT_EQ(CodeOf(keyspace->Count()), kInvalid);
    EXPECT_EQ(CodeOf(keyspace->NewCursor()), kInvalid);
    EXPECT_EQ(CodeOf(keyspace->ScanDeadlines({})), kInvalid);
    EXPECT_EQ(CodeOf(keyspace->Forecast({})), kInvalid);
    EXPECT_EQ(CodeOf(keyspace->SetPolicy({})), kInvalid);
    EXPECT_EQ(CodeOf(keyspace->Clear()), kInvalid);
  }
  EXPECT_EQ(CodeOf(database().CreateKeyspace("new")), kInvalid);
  EXPECT_EQ(CodeOf(database().OpenKeyspace("other")), kInvalid);
  EXPECT_EQ(CodeOf(database().ListKeyspaces()), kInvalid);
  EXPECT_EQ(CodeOf(database().DropKeyspace("other")), kInvalid);
  EXPECT_EQ(CodeOf(database().Begin()), kInvalid);
  EXPECT_EQ(CodeOf(database().Transact([](Transaction&) { return Status(); })), kInvalid);
  EXPECT_EQ(CodeOf(database().NewSnapshot()), kInvalid);
  EXPECT_EQ(CodeOf(database().Purge()), kInvalid);
  EXPECT_EQ(CodeOf(database().StartReaper()), kInvalid);
  EXPECT_EQ(CodeOf(database().ReadEvents(0, 1)), kInvalid);
  EXPECT_EQ(CodeOf(database().TrimEvents({})), kInvalid);
  EXPECT_EQ(CodeOf(database().Subscribe([](const Event&) {})), kInvalid);
  EXPECT_EQ(CodeOf(database().Sync(Durability::kDisk)), kInvalid);
  EXPECT_EQ(CodeOf(database().GetStatistics()), kInvalid);
  EXPECT_EQ(CodeOf(database().ConfirmClock()), kInvalid);
  EXPECT_EQ(CodeOf(database().Check()), kInvalid);
  EXPECT_EQ(CodeOf(database().Backup("nowhere")), kInvalid);
  EXPECT_EQ(CodeOf(database().Restore("nowhere")), kInvalid);
}

TEST_P(BadInput, HandlesThatOutliveTheDatabaseAnswerInvalid) {
  auto home = std::make_unique<DatabaseHome>(GetParam());
  const auto keyspace = *home->database().CreateKeyspace("kept");
  home.reset();
  EXPECT_EQ(keyspace->name(), "kept");
  EXPECT_EQ(CodeOf(keyspace->Put("key", "value")), kInvalid);
  EXPECT_EQ(CodeOf(keyspace->Get("key")), kInvalid);
}

TEST_P(BadInput, ACloseIsBusyWhileSomethingIsOpen) {
  const auto expect_busy = [&] {
    const Status busy = database().Close();
    EXPECT_EQ(CodeOf(busy), kBusy);
    EXPECT_NE(busy.message().find('1'), std::string::npos) << busy.ToString();
    EXPECT_EQ(CodeOf(rows().Put("key", "value")), kOk) << "nothing was closed";
  };
  {
    const auto transaction = *database().Begin();
    expect_busy();
    transaction->Rollback();
    const auto snapshot = *database().NewSnapshot();
    expect_busy();
  }
  {
    const auto cursor = *rows().NewCursor();
    expect_busy();
  }
  EXPECT_EQ(CodeOf(database().Close()), kOk);
}

INSTANTIATE_TEST_SUITE_P(On, BadInput, AllEngines(), NameOfEngine);

// Names and sizes of all files below a directory.
std::map<std::string, std::uintmax_t> FilesIn(const std::string& directory) {
  std::map<std::string, std::uintmax_t> files;
  for (const auto& entry : std::filesystem::recursive_directory_iterator(directory)) {
    if (entry.is_regular_file()) files[entry.path().filename().string()] = entry.file_size();
  }
  return files;
}

// A database with rows, dead ones among them, opened for reading.
class ReadOnly : public ::testing::Test {
 protected:
  ReadOnly() : home_(EngineKind::kRocks) {
    EXPECT_EQ(CodeOf(home_.keyspace().SetPolicy({.events = EventDetail::kKey})), kOk);
    EXPECT_EQ(CodeOf(home_.keyspace().Put("gone", "value", Lifetime::For(1ms))), kOk);
    home_.clock().Advance(1ms);
    EXPECT_EQ(CodeOf(home_.database().Purge()), kOk);
    EXPECT_EQ(CodeOf(home_.keyspace().Put("key", "value")), kOk);
    EXPECT_EQ(CodeOf(home_.keyspace().Put("dead", "value", Lifetime::For(1ms))), kOk);
    EXPECT_EQ(CodeOf(home_.database().CreateKeyspace("other")), kOk);
    home_.clock().Advance(5s);
    home_.options().read_only = true;
    home_.Reopen();
  }

  Database& database() { return home_.database(); }
  Keyspace& rows() { return home_.keyspace(); }

  DatabaseHome home_;
};

TEST_F(ReadOnly, ReadsWorkAndHideTheDead) {
  EXPECT_EQ(rows().Get("key").value(), "value");
  EXPECT_EQ(CodeOf(rows().Get("dead")), kNotFound);
  EXPECT_EQ(rows().Count().value(), 1u);
  EXPECT_EQ(StatisticsOf(database()).rows, 2u) << "the dead row is hidden, not removed";
  EXPECT_EQ(database().ReadEvents(0, 10).value().size(), 1u);
  EXPECT_TRUE(database().Check().value().clean());
  EXPECT_EQ((*database().NewSnapshot())->In(rows()).Count().value(), 1u);
  EXPECT_EQ(database().ListKeyspaces().value().size(), 2u);
  const TemporaryDirectory directory;
  EXPECT_EQ(database().Backup(directory.Inside("backup")).value().rows, 1u);
}

TEST_F(ReadOnly, WritesAreRefusedAsSuch) {
  ExpectAll(AllWrites(rows(), "key", "value"), kReadOnly);
  const auto transaction = *database().Begin();
  EXPECT_EQ(transaction->In(rows()).Get("key").value(), "value");
  ExpectAll(AllWrites(transaction->In(rows()), "key", "value"), kReadOnly);
  EXPECT_EQ(CodeOf(transaction->Commit()), kOk);
  EXPECT_EQ(CodeOf(rows().Delete("dead")), kReadOnly);
  EXPECT_EQ(CodeOf(rows().SetPolicy({})), kReadOnly);
  EXPECT_EQ(CodeOf(rows().Clear()), kReadOnly);
  EXPECT_EQ(CodeOf(database().CreateKeyspace("new")), kReadOnly);
  EXPECT_EQ(CodeOf(database().DropKeyspace("other")), kReadOnly);
  EXPECT_EQ(CodeOf(database().Purge()), kReadOnly);
  EXPECT_EQ(CodeOf(database().StartReaper()), kReadOnly);
  EXPECT_EQ(CodeOf(database().TrimEvents({.keep_newest = 0})), kReadOnly);
  EXPECT_EQ(CodeOf(database().Check({.repair = true})), kReadOnly);
  EXPECT_EQ(rows().Get("key").value(), "value");
  EXPECT_EQ(rows().policy().events, EventDetail::kKey);
}

TEST_F(ReadOnly, NoFileIsChanged) {
  ASSERT_EQ(CodeOf(database().Close()), kOk);
  const auto before = FilesIn(home_.options().directory);
  home_.Open();
  EXPECT_EQ(CodeOf(rows().Get("dead")), kNotFound);
  EXPECT_EQ(CodeOf(rows().Put("key", "value")), kReadOnly);
  EXPECT_EQ(CodeOf(database().ConfirmClock()), kOk);
  ASSERT_EQ(CodeOf(database().Close()), kOk);
  EXPECT_EQ(FilesIn(home_.options().directory), before);
}

TEST_F(ReadOnly, ReadersShareAndLetAWriterIn) {
  auto options = home_.options();
  const auto second = Database::Open(options);
  ASSERT_TRUE(second.has_value()) << second.status().ToString();
  EXPECT_EQ((*second)->default_keyspace().Get("key").value(), "value");
  options.read_only = false;
  const auto writer = Database::Open(options);
  ASSERT_TRUE(writer.has_value()) << writer.status().ToString();
  ASSERT_EQ(CodeOf((*writer)->default_keyspace().Put("key", "new")), kOk);
  EXPECT_EQ((*second)->default_keyspace().Get("key").value(), "new");
  EXPECT_EQ(CodeOf(Database::Open(options)), kBusy);
}

TEST(Open, RefusesWhatIsNotThere) {
  const TemporaryDirectory directory;
  EXPECT_EQ(CodeOf(Database::Open({.directory = directory.Inside("none"), .read_only = true})),
            kNotFound);
  EXPECT_EQ(
      CodeOf(Database::Open({.directory = directory.Inside("none"), .create_if_missing = false})),
      kNotFound);
  EXPECT_EQ(CodeOf(Database::Open({.read_only = true})), kInvalid) << "memory begins empty";
}

}  // namespace
}  // namespace mayfly

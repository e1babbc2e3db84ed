// Goal: the library shows a string that a server changed in part as the plain row it stands for.
// Method: such rows are made through types::String, on each engine; then every call of the library
// that reads a value, and concurrent changes.
#include <gtest/gtest.h>

#include "core/latched_fixture.h"
#include "core/new_database.h"
#include "core/proof_fixture.h"
#include "engine/memory/memory_engine.h"
#include "tests/core/counting_engine.h"
#include "types/string.h"

namespace mayfly {
namespace {

using namespace std::chrono_literals;
using core::TransactionKeyspace;

void Write(Database& database, Keyspace& keyspace, Bytes key, std::uint64_t at, Bytes bytes) {
  InLatched(database, keyspace, {key}, [&](TransactionKeyspace& space) {
    types::String string(space, key);
    ASSERT_EQ(CodeOf(string.Open()), kOk);
    ASSERT_EQ(CodeOf(string.Write(at, bytes)), kOk);
  });
}

class WholeValue : public EachEngine {
 protected:
  WholeValue() {
    EXPECT_EQ(CodeOf(rows().Put("key", whole_)), kOk);
    Write(5, "bcd");
  }
  ~WholeValue() override { home_.ExpectClean(); }

  void Write(std::uint64_t at, Bytes bytes) {
    mayfly::Write(database(), rows(), "key", at, bytes);
    whole_.resize(std::max(whole_.size(), at + bytes.size()));
    whole_.replace(at, bytes.size(), bytes);
  }

  std::string whole_ = std::string(100'000, 'a');
};

TEST_P(WholeValue, IsReadByEveryCall) {
  EXPECT_TRUE(rows().Get("key").value() == whole_);
  EXPECT_TRUE(rows().GetRow("key")->value == whole_);
  const Bytes keys[] = {"key", "none"};
  const auto many = rows().MultiGet(keys);
  EXPECT_TRUE(many->at(0).value() == whole_);
  const auto cursor = *rows().NewCursor();
  cursor->SeekToFirst();
  ASSERT_TRUE(cursor->Valid());
  EXPECT_FALSE(cursor->is_collection());
  EXPECT_TRUE(cursor->value() == whole_);
  EXPECT_EQ(rows().Ttl("key").value(), kForever);
  EXPECT_EQ(rows().Count().value(), 1u);
}

TEST_P(WholeValue, OfASnapshotStaysAsItWas) {
  const auto snapshot = *database().NewSnapshot();
  const std::string before = whole_;
  Write(50'000, "later");
  EXPECT_TRUE(snapshot->In(rows()).Get("key").value() == before);
  EXPECT_TRUE(rows().Get("key").value() == whole_);
}

TEST_P(WholeValue, ThatChangesUnderATransactionIsAConflict) {
  auto transaction = *database().Begin();
  EXPECT_TRUE(transaction->In(rows()).Get("key").value() == whole_);
  ASSERT_EQ(CodeOf(transaction->In(rows()).Put("other", "v")), kOk);
  Write(50'000, "z");  // The same size and number of chunks.
  EXPECT_EQ(CodeOf(transaction->Commit()), kConflict);
}

TEST_P(WholeValue, IsWrittenByEveryCall) {
  EXPECT_FALSE(rows().PutIf("key", "x", PutCondition::Equals("y")).value());
  EXPECT_TRUE(rows().PutIf("key", whole_, PutCondition::Equals(whole_)).value());
  Write(6, "!");
  ASSERT_EQ(CodeOf(rows().Update("key",
                                 [&](std::optional<Bytes> old) {
                                   EXPECT_TRUE(old == whole_);
                                   return std::optional(std::string(*old) + "more");
                                 })),
            kOk);
  whole_ += "more";
  EXPECT_TRUE(rows().Get("key").value() == whole_);
  Write(7, "?");
  EXPECT_TRUE(rows().Touch("key", Lifetime::For(10ms))->value == whole_);
  Write(8, "?");
  EXPECT_EQ(rows().Ttl("key").value(), 10ms);
  EXPECT_TRUE(rows().Expire("key", Lifetime::For(20ms)).value());
  EXPECT_TRUE(rows().Get("key").value() == whole_);
  clock().Advance(20ms);
  EXPECT_EQ(CodeOf(rows().Get("key")), kNotFound);
  ASSERT_EQ(CodeOf(database().Purge({})), kOk);
  EXPECT_EQ(database().Check()->members, 0u);
}

TEST_P(WholeValue, ThatDiesIsInItsEvent) {
  ASSERT_EQ(CodeOf(rows().SetPolicy({.events = EventDetail::kKeyAndValue})), kOk);
  std::vector<EventCause> causes;
  const auto die = [&](const std::function<void()>& remove) {
    ASSERT_EQ(CodeOf(rows().Put("key", whole_, Lifetime::For(10ms))), kOk);
    Write(6, "!");
    clock().Advance(10ms);
    remove();
    const auto events = *database().ReadEvents(0, 10);
    ASSERT_EQ(events.size(), causes.size() + 1);
    EXPECT_TRUE(events.back().value == whole_);
    causes.push_back(events.back().cause);
  };
  die([&] { EXPECT_EQ(CodeOf(database().Purge({})), kOk); });
  die([&] { EXPECT_EQ(CodeOf(rows().Put("key", "other")), kOk); });
  EXPECT_EQ(causes, (std::vector{EventCause::kPurged, EventCause::kReplaced}));
}

TEST_P(WholeValue, ThatIsGivenAPastDeadlineIsInItsEvent) {
  ASSERT_EQ(CodeOf(rows().SetPolicy({.events = EventDetail::kKeyAndValue})), kOk);
  InLatched(database(), rows(), {"key"}, [&](TransactionKeyspace& space) {
    EXPECT_TRUE(space.Expire("key", Lifetime::Until(clock().Now())).value());
  });
  const auto events = *database().ReadEvents(0, 10);
  ASSERT_EQ(events.size(), 1u);
  EXPECT_EQ(events[0].cause, EventCause::kBornDead);
  EXPECT_TRUE(events[0].value == whole_);
}

INSTANTIATE_TEST_SUITE_P(Engines, WholeValue, AllEngines(), NameOfEngine);

using WholeValuePromise = ProvableDeletion;

INSTANTIATE_TEST_SUITE_P(Engines, WholeValuePromise, EnginesWithFiles(), NameOfEngine);

TEST_P(WholeValuePromise, CoversBytesThatAPartWasWrittenOver) {
  const Planted secret = planter_.New();
  ASSERT_EQ(CodeOf(promised().Put("key", std::string(100'000, 'a'))), kOk);
  Write(database(), promised(), "key", 50'000, secret.value);
  ReclaimAll();
  ASSERT_TRUE(Files().HasValueOf(secret));
  Write(database(), promised(), "key", 50'000, std::string(secret.value.size(), 'b'));
  clock().Advance(kPromise);
  EXPECT_FALSE(Prove().kept()) << "nobody has removed anything";
  const auto reaper = *database().StartReaper();
  reaper->AwaitIdle();
  EXPECT_FALSE(Files().HasValueOf(secret));
  EXPECT_TRUE(Prove().kept());
}

// What SETBIT and APPEND cost, at 1 MB and at 10 MB: a chunk, whatever the size.
TEST(WholeValueCosts, ChangesOfAPartWriteThatPart) {
  for (const std::size_t size : {std::size_t{1} << 20, std::size_t{10} << 20}) {
    const auto costs = std::make_shared<EngineCosts>();
    ManualClock clock(kStart);
    const auto database = *core::NewDatabase(
        std::make_unique<CountingEngine>(engine::NewMemoryEngine(), costs), {.clock = &clock});
    Keyspace& rows = database->default_keyspace();
    ASSERT_EQ(CodeOf(rows.Put("key", std::string(size, 'a'))), kOk);
    Write(*database, rows, "key", 0, "b");
    for (const std::uint64_t at : {std::uint64_t{size / 2}, std::uint64_t{size}}) {
      *costs = {};
      Write(*database, rows, "key", at, "c");
      EXPECT_LT(costs->bytes, 2 * core::kChunkBytes) << size;
      EXPECT_LT(costs->changes, 6u);
    }
    *costs = {};
    InLatched(*database, rows, {"key"}, [&](TransactionKeyspace& space) {
      types::String string(space, "key");
      ASSERT_EQ(CodeOf(string.Open()), kOk);
      std::string room;
      EXPECT_EQ(string.Read(size / 2, 2, room).value(), "ca");
      EXPECT_EQ(string.size(), size + 1);
    });
    EXPECT_LT(costs->gets, 6u);
    EXPECT_EQ(costs->cursor_moves, 0u);
  }
}

}  // namespace
}  // namespace mayfly

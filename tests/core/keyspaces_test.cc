// Goal: keyspaces are made, found, listed, cleared and dropped by name.
// Method: the public calls on every engine; what must survive is checked again after a reopen.
#include <gtest/gtest.h>

#include <array>
#include <functional>

#include "core/each_engine.h"

namespace mayfly {
namespace {

using namespace std::chrono_literals;

class Keyspaces : public EachEngine {};

TEST_P(Keyspaces, TheDefaultOneAlwaysExistsAndCannotBeDropped) {
  EXPECT_EQ(rows().name(), "default");
  EXPECT_EQ(CodeOf(database().DropKeyspace("default")), kInvalid);
  EXPECT_EQ(CodeOf(database().CreateKeyspace("default")), kInvalid);
  ASSERT_EQ(CodeOf(rows().Put("key", "value")), kOk);
  const auto again = *database().OpenKeyspace("default");
  EXPECT_EQ(again->Get("key").value(), "value");
}

TEST_P(Keyspaces, TheSameKeyInTwoOfThemIsTwoRows) {
  const auto a = *database().CreateKeyspace("a");
  const auto b = *database().CreateKeyspace("b");
  ASSERT_EQ(CodeOf(a->Put("key", "in a", Lifetime::For(5ms))), kOk);
  ASSERT_EQ(CodeOf(b->Put("key", "in b")), kOk);
  EXPECT_EQ(a->Get("key").value(), "in a");
  EXPECT_EQ(b->Get("key").value(), "in b");
  EXPECT_EQ(CodeOf(rows().Get("key")), kNotFound);
  clock().Advance(5ms);
  EXPECT_EQ(CodeOf(a->Get("key")), kNotFound);
  EXPECT_EQ(b->Get("key").value(), "in b");
}

TEST_P(Keyspaces, ANameIsBoundedAndNeitherEmptyNorReservedNorTaken) {
  EXPECT_EQ(CodeOf(database().CreateKeyspace("")), kInvalid);
  EXPECT_EQ(CodeOf(database().CreateKeyspace("__system")), kInvalid);
  EXPECT_EQ(CodeOf(database().CreateKeyspace(std::string(256, 'x'))), kInvalid);
  EXPECT_EQ(CodeOf(database().CreateKeyspace(std::string(255, 'x'))), kOk);
  EXPECT_EQ(CodeOf(database().CreateKeyspace("_one underscore")), kOk);
  EXPECT_EQ(CodeOf(database().CreateKeyspace(std::string("zero\0inside\xff", 12))), kOk);
  const auto taken = database().CreateKeyspace("_one underscore");
  EXPECT_EQ(CodeOf(taken), kInvalid);
  EXPECT_NE(taken.status().message().find("exists already"), std::string::npos);
}

TEST_P(Keyspaces, AreListedByName) {
  for (const char* name : {"zebra", "apple", "Mango"}) {
    ASSERT_EQ(CodeOf(database().CreateKeyspace(name)), kOk);
  }
  const std::vector<std::string> expected{"Mango", "apple", "default", "zebra"};
  EXPECT_EQ(database().ListKeyspaces().value(), expected);
}

TEST_P(Keyspaces, AreFoundByNameOrNotAtAll) {
  EXPECT_EQ(CodeOf(database().OpenKeyspace("missing")), kNotFound);
  EXPECT_EQ(CodeOf(database().DropKeyspace("missing")), kNotFound);
  ASSERT_EQ(CodeOf(database().CreateKeyspace("there")), kOk);
  EXPECT_EQ(database().OpenKeyspace("there").value()->name(), "there");
}

TEST_P(Keyspaces, TwoHandlesOfOneShareRowsAndPolicy) {
  const auto one = *database().CreateKeyspace("shared");
  const auto other = *database().OpenKeyspace("shared");
  ASSERT_EQ(CodeOf(one->Put("key", "value")), kOk);
  EXPECT_EQ(other->Get("key").value(), "value");
  ASSERT_EQ(CodeOf(other->SetPolicy({.default_ttl = 7ms})), kOk);
  EXPECT_EQ(one->policy().default_ttl, Millis(7));
  ASSERT_EQ(CodeOf(one->Put("key", "value")), kOk);
  EXPECT_EQ(other->Ttl("key").value(), 7ms);
}

TEST_P(Keyspaces, ComeBackWithPolicyRowsAndCountsAfterAReopen) {
  if (!home_.persistent()) return;  // Nothing comes back from memory.
  const KeyspacePolicy policy{.default_ttl = 10s,
                              .min_ttl = 1s,
                              .max_ttl = 1h,
                              .require_ttl = true,
                              .breach = PolicyBreach::kClamp,
                              .jitter_permille = 250,
                              .events = EventDetail::kKeyAndValue};
  {
    const auto kept = *database().CreateKeyspace("kept", policy);
    ASSERT_EQ(CodeOf(kept->Put("key", "value")), kOk);
    ASSERT_EQ(CodeOf(rows().Put("immortal", "value")), kOk);
    ASSERT_EQ(CodeOf(database().CreateKeyspace("dropped")), kOk);
    ASSERT_EQ(CodeOf(database().DropKeyspace("dropped")), kOk);
  }
  home_.Reopen();
  const std::vector<std::string> expected{"default", "kept"};
  EXPECT_EQ(database().ListKeyspaces().value(), expected);
  const auto kept = *database().OpenKeyspace("kept");
  EXPECT_EQ(kept->policy(), policy);
  EXPECT_EQ(kept->Get("key").value(), "value");
  EXPECT_EQ(kept->Count().value(), 1u);
  EXPECT_EQ(StatisticsOf(database(), "kept").mortal_rows, 1u);
  EXPECT_EQ(StatisticsOf(database()).rows, 1u);
  EXPECT_EQ(StatisticsOf(database()).mortal_rows, 0u);
}

TEST_P(Keyspaces, ADropTakesTheRowsAndFreesTheName) {
  auto first = *database().CreateKeyspace("name", {.events = EventDetail::kKey});
  ASSERT_EQ(CodeOf(first->Put("key", "value", Lifetime::For(5ms))), kOk);
  ASSERT_EQ(CodeOf(first->Put("other", "value")), kOk);
  ASSERT_EQ(CodeOf(database().DropKeyspace("name")), kOk);
  EXPECT_EQ(CodeOf(database().OpenKeyspace("name")), kNotFound);
  clock().Advance(5ms);
  EXPECT_EQ(database().Purge().value().rows, 0u);
  EXPECT_TRUE(database().ReadEvents(0, 10).value().empty()) << "a drop leaves no events";

  const auto second = *database().CreateKeyspace("name");
  EXPECT_EQ(second->Count().value(), 0u);
  EXPECT_EQ(CodeOf(second->Get("other")), kNotFound);
  EXPECT_EQ(CodeOf(first->Get("other")), kInvalid) << "the old handle is not the new keyspace's";
}

TEST_P(Keyspaces, HandlesAnswerInvalidAfterADrop) {
  const auto gone = *database().CreateKeyspace("gone");
  ASSERT_EQ(CodeOf(gone->Put("key", "value")), kOk);
  ASSERT_EQ(CodeOf(database().DropKeyspace("gone")), kOk);
  const std::array<Bytes, 1> keys{"key"};
  PinnedBytes pin;
  EXPECT_EQ(CodeOf(gone->Get("key")), kInvalid);
  EXPECT_EQ(CodeOf(gone->Get("key", pin)), kInvalid);
  EXPECT_EQ(CodeOf(gone->GetRow("key")), kInvalid);
  EXPECT_EQ(CodeOf(gone->MultiGet(keys)), kInvalid);
  EXPECT_EQ(CodeOf(gone->Exists("key")), kInvalid);
  EXPECT_EQ(CodeOf(gone->Ttl("key")), kInvalid);
  EXPECT_EQ(CodeOf(gone->Count()), kInvalid);
  EXPECT_EQ(CodeOf(gone->NewCursor()), kInvalid);
  EXPECT_EQ(CodeOf(gone->ScanDeadlines({})), kInvalid);
  EXPECT_EQ(CodeOf(gone->Forecast({})), kInvalid);
  EXPECT_EQ(CodeOf(gone->Put("key", "value")), kInvalid);
  EXPECT_EQ(CodeOf(gone->PutIf("key", "value", PutCondition::Absent())), kInvalid);
  EXPECT_EQ(CodeOf(gone->Delete("key")), kInvalid);
  EXPECT_EQ(CodeOf(gone->Update("key", [](auto) { return std::optional<std::string>("x"); })),
            kInvalid);
  EXPECT_EQ(CodeOf(gone->Expire("key", Lifetime::For(5ms))), kInvalid);
  EXPECT_EQ(CodeOf(gone->Persist("key")), kInvalid);
  EXPECT_EQ(CodeOf(gone->Touch("key")), kInvalid);
  EXPECT_EQ(CodeOf(gone->SetPolicy({})), kInvalid);
  EXPECT_EQ(CodeOf(gone->Clear()), kInvalid);
  EXPECT_EQ(gone->name(), "gone");
}

TEST_P(Keyspaces, AClearRemovesEveryRowAtOnceWithoutEvents) {
  ASSERT_EQ(CodeOf(rows().SetPolicy({.events = EventDetail::kKey})), kOk);
  for (int i = 0; i < 300; ++i) {
    const auto lifetime = i % 3 == 0 ? Lifetime::Forever() : Lifetime::For(Millis(i));
    ASSERT_EQ(CodeOf(rows().Put(std::to_string(i), "value", lifetime)), kOk);
  }
  clock().Advance(150ms);
  const auto other = *database().CreateKeyspace("other");
  ASSERT_EQ(CodeOf(other->Put("key", "value")), kOk);
  const auto before = *database().NewSnapshot();
  const auto seen = before->In(rows()).Count().value();
  ASSERT_EQ(CodeOf(rows().Clear()), kOk);
  EXPECT_EQ(rows().Count().value(), 0u);
  EXPECT_EQ(StatisticsOf(database()).rows, 0u);
  EXPECT_EQ(StatisticsOf(database()).mortal_rows, 0u);
  EXPECT_EQ(before->In(rows()).Count().value(), seen) << "a snapshot keeps what it saw";
  EXPECT_EQ(other->Count().value(), 1u);
  clock().Advance(1h);
  EXPECT_EQ(database().Purge().value().rows, 0u);
  EXPECT_TRUE(database().ReadEvents(0, 10).value().empty());
  EXPECT_EQ(rows().policy().events, EventDetail::kKey) << "the policy stays";
}

TEST_P(Keyspaces, ASnapshotsViewOfOneOutlivesItsHandles) {
  auto gone = *database().CreateKeyspace("gone");
  const auto snapshot = *database().NewSnapshot();
  const auto transaction = *database().Begin();
  const KeyspaceReader& in_snapshot = snapshot->In(*gone);
  KeyspaceWriter& in_transaction = transaction->In(*gone);
  ASSERT_EQ(CodeOf(database().DropKeyspace("gone")), kOk);
  gone.reset();
  EXPECT_EQ(CodeOf(in_snapshot.Get("key")), kInvalid);
  EXPECT_EQ(CodeOf(in_transaction.Get("key")), kInvalid);
}

INSTANTIATE_TEST_SUITE_P(On, Keyspaces, AllEngines(), NameOfEngine);

}  // namespace
}  // namespace mayfly

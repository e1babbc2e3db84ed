// Goal: objects in memory keep the contract of object_store.h, and each trouble is what it says.
// Method: one client, a function that decides the fate of its requests, and a look at the objects.
#include "engine/cluster/objects/testing/memory_objects.h"

#include <gtest/gtest.h>

#include "engine/cluster/objects/await.h"

namespace mayfly::engine::cluster {
namespace {

class MemoryObjectsTest : public testing::Test {
 protected:
  Status Write(MapWrite write) {
    return AwaitWrite(store_, "o", std::make_shared<const MapWrite>(std::move(write)));
  }
  std::string ValueOf(const std::string& key) { return objects_->MapOf("o")[key]; }

  const std::shared_ptr<MemoryObjects> objects_ = std::make_shared<MemoryObjects>();
  MemoryObjectStore store_{objects_};
};

TEST_F(MemoryObjectsTest, AWriteHappensWholeOrNotAtAll) {
  ASSERT_TRUE(Write({.sets = {{"a", "1"}, {"b", "2"}}}).ok());
  const Status refused =
      Write({.conditions = {{"a", "1"}, {"b", "3"}}, .removals = {"a"}, .sets = {{"c", "3"}}});
  EXPECT_EQ(refused.code(), StatusCode::kConflict);
  EXPECT_EQ(objects_->MapOf("o").size(), 2u);
  ASSERT_TRUE(
      Write({.conditions = {{"a", "1"}, {"c", ""}}, .removals = {"a"}, .sets = {{"c", "3"}}}).ok());
  EXPECT_EQ(ValueOf("a"), "");
  EXPECT_EQ(ValueOf("c"), "3");
}

TEST_F(MemoryObjectsTest, PagesFollowEachOther) {
  const std::string zero("\0", 1);
  ASSERT_TRUE(Write({.sets = {{"a", "1"}, {"b" + zero, "2"}, {"b", "3"}}}).ok());
  const auto first = AwaitPage(store_, "o", "", 2);
  ASSERT_TRUE(first.has_value());
  EXPECT_TRUE(first.value().more);
  ASSERT_EQ(first.value().entries.size(), 2u);
  EXPECT_EQ(first.value().entries.back().first, "b");
  const auto second = AwaitPage(store_, "o", "b", 2);
  EXPECT_FALSE(second.value().more);
  EXPECT_EQ(second.value().entries, (std::vector<MapEntry>{{"b" + zero, "2"}}));
  EXPECT_TRUE(AwaitPage(store_, "absent", "", 2).value().entries.empty());
  EXPECT_EQ(AwaitKeys(store_, "o", {"b", "x", "a"}).value(),
            (std::vector<std::string>{"3", "", "1"}));
}

TEST_F(MemoryObjectsTest, EachFateIsWhatItSays) {
  const struct {
    Fate fate;
    StatusCode code;
    bool happens;
  } fates[] = {{Fate::kHappens, StatusCode::kOk, true},
               {Fate::kReplyIsLost, StatusCode::kBusy, true},
               {Fate::kRequestIsLost, StatusCode::kBusy, false},
               {Fate::kRefused, StatusCode::kIoError, false}};
  int i = 0;
  for (const auto& [fate, code, happens] : fates) {
    store_.SetFate([fate = fate](Request, const std::string&) { return fate; });
    const std::string key = std::to_string(++i);
    EXPECT_EQ(Write({.sets = {{key, "v"}}}).code(), code);
    EXPECT_EQ(ValueOf(key) == "v", happens) << i;
  }
}

TEST_F(MemoryObjectsTest, ALateWriteHappensLaterIfItsConditionsStillHold) {
  store_.SetFate([](Request, const std::string&) { return Fate::kComesLate; });
  EXPECT_EQ(Write({.conditions = {{"n", ""}}, .sets = {{"n", "1"}}}).code(), StatusCode::kBusy);
  EXPECT_EQ(Write({.conditions = {{"n", ""}}, .sets = {{"n", "2"}}}).code(), StatusCode::kBusy);
  EXPECT_EQ(ValueOf("n"), "");
  store_.LandLate();
  EXPECT_EQ(ValueOf("n"), "1");
}

TEST_F(MemoryObjectsTest, AStalledRequestIsAnsweredWhenItsClientGoes) {
  Status replied;
  {
    MemoryObjectStore store(objects_);
    store.Stall();
    store.WriteMap("o", std::make_shared<const MapWrite>(MapWrite{.sets = {{"a", "1"}}}),
                   [&](const Status& status) { replied = status; });
    EXPECT_EQ(store.waiting(), 1u);
  }
  EXPECT_EQ(replied.code(), StatusCode::kBusy);
  EXPECT_TRUE(objects_->MapOf("o").empty());
}

TEST_F(MemoryObjectsTest, PlainObjectsAreReplacedAndRemoved) {
  EXPECT_TRUE(AwaitObject(store_, "p").status().IsNotFound());
  ASSERT_TRUE(AwaitWriteObject(store_, "p", "long").ok());
  ASSERT_TRUE(AwaitWriteObject(store_, "p", "x").ok());
  EXPECT_EQ(AwaitObject(store_, "p").value(), "x");
  ASSERT_TRUE(AwaitRemoval(store_, "p").ok());
  ASSERT_TRUE(AwaitRemoval(store_, "p").ok());
  EXPECT_TRUE(AwaitObject(store_, "p").status().IsNotFound());
}

}  // namespace
}  // namespace mayfly::engine::cluster

// Goal: a MultiGet returns for each key what a Get would, all from one state.
// Method: lists of hits, misses, duplicates and bad keys, now and on a snapshot.
#include <gtest/gtest.h>

#include "engine/limits.h"
#include "tests/engine/cases.h"

namespace mayfly::engine::suite {
namespace {

// Lookups cannot be copied, so a list of them is filled in place.
std::vector<Lookup> Ask(const std::vector<std::pair<Address, Bytes>>& asked) {
  std::vector<Lookup> lookups(asked.size());
  for (std::size_t i = 0; i < asked.size(); ++i) {
    lookups[i].at = asked[i].first;
    lookups[i].key = asked[i].second;
  }
  return lookups;
}

std::string Answer(const Lookup& lookup) {
  return lookup.status.ok() ? std::string(lookup.value.view())
                            : std::string(StatusCodeName(lookup.status.code()));
}

std::vector<std::string> Answers(const std::vector<Lookup>& lookups) {
  std::vector<std::string> answers;
  for (const Lookup& lookup : lookups) answers.push_back(Answer(lookup));
  return answers;
}

using Expected = std::vector<std::string>;

void MultiGetOfNothingIsOk(Rig& rig) { EXPECT_TRUE(rig.engine().MultiGet({}).ok()); }

void MultiGetAnswersHitsAndMissesSideBySide(Rig& rig) {
  rig.Put(kRows, "a", "1");
  rig.Put(kRows, "c", "3");
  auto lookups = Ask({{kRows, "c"}, {kRows, "b"}, {kRows, "a"}, {kRows, "d"}});
  ASSERT_TRUE(rig.engine().MultiGet(lookups).ok());
  EXPECT_EQ(Answers(lookups), (Expected{"3", "NotFound", "1", "NotFound"}));
  EXPECT_TRUE(lookups[1].value.view().empty());
}

void MultiGetAnswersEachOfSeveralTwins(Rig& rig) {
  rig.Put(kRows, "a", "1");
  auto lookups = Ask({{kRows, "a"}, {kRows, "x"}, {kRows, "a"}, {kRows, "x"}, {kRows, "a"}});
  ASSERT_TRUE(rig.engine().MultiGet(lookups).ok());
  EXPECT_EQ(Answers(lookups), (Expected{"1", "NotFound", "1", "NotFound", "1"}));
}

void MultiGetReadsSeveralRolesAtOnce(Rig& rig) {
  for (const Address at : kAllRoles) rig.Put(at, "key", RoleName(at.role));
  // clang-format off
  auto lookups = Ask({
      {kMeta,    "key"},
      {kRows,    "key"},
      {kEvents,  "key"},
      {kRows,    "no"},
      {kExpiry,  "key"},
      {kMembers, "key"}
  });
  // clang-format on
  ASSERT_TRUE(rig.engine().MultiGet(lookups).ok());
  EXPECT_EQ(Answers(lookups),
            (Expected{"meta", "rows", "events", "NotFound", "expiry", "members"}));
}

void MultiGetReadsASnapshot(Rig& rig) {
  rig.Put(kRows, "changed", "old");
  rig.Put(kMembers, "deleted", "old");
  const auto snapshot = rig.NewSnapshot();
  rig.Put(kRows, "changed", "new");
  rig.Put(kRows, "added", "new");
  rig.Delete(kMembers, "deleted");
  // clang-format off
  auto lookups = Ask({
      {kRows,    "changed"},
      {kRows,    "added"},
      {kMembers, "deleted"}
  });
  // clang-format on
  ASSERT_TRUE(rig.engine().MultiGet(lookups, snapshot.get()).ok());
  EXPECT_EQ(Answers(lookups), (Expected{"old", "NotFound", "old"}));
  ASSERT_TRUE(rig.engine().MultiGet(lookups).ok());
  EXPECT_EQ(Answers(lookups), (Expected{"new", "new", "NotFound"}));
}

void MultiGetAnswersTheGoodKeysBesideABadOne(Rig& rig) {
  rig.Put(kRows, "a", "1");
  const std::string too_long(kKeyBytesMax + 1, 'x');
  // clang-format off
  auto lookups = Ask({
      {kRows,                                     "a"},
      {kRows,                                     ""},
      {kRows,                                     too_long},
      {{.role = static_cast<Role>(kRoleCount)},   "a"},
      {{.role = Role::kRows, .slot = kSlotCount}, "a"},
      {kRows,                                     "a"},
      {kRows,                                     "b"}
  });
  // clang-format on
  const Status status = rig.engine().MultiGet(lookups);
  EXPECT_EQ(status.code(), StatusCode::kInvalid);
  EXPECT_EQ(status.message(), lookups[1].status.message());
  EXPECT_EQ(Answers(lookups),
            (Expected{"1", "Invalid", "Invalid", "Invalid", "Invalid", "1", "NotFound"}));
}

void MultiGetLeavesNothingOfAnEarlierReadBehind(Rig& rig) {
  rig.Put(kRows, "a", "1");
  auto lookups = Ask({{kRows, "a"}, {kRows, "a"}});
  ASSERT_TRUE(rig.engine().MultiGet(lookups).ok());
  rig.Delete(kRows, "a");
  lookups[1].key = "";
  EXPECT_FALSE(rig.engine().MultiGet(lookups).ok());
  EXPECT_EQ(Answers(lookups), (Expected{"NotFound", "Invalid"}));
  EXPECT_TRUE(lookups[0].value.view().empty());
  EXPECT_TRUE(lookups[1].value.view().empty());
}

void MultiGetValuesStayWhenTheirRowsChange(Rig& rig) {
  for (std::size_t i = 0; i < 200; ++i) rig.Put(kRows, NumberedKey(i), std::string(500, 'a'));
  rig.Compact(Role::kRows, {.begin = NumberedKey(0), .end = NumberedKey(100)});
  std::vector<std::string> keys;
  for (std::size_t i = 0; i < 200; ++i) keys.push_back(NumberedKey(i));
  std::vector<Lookup> lookups(keys.size());
  for (std::size_t i = 0; i < keys.size(); ++i) lookups[i].key = keys[i];
  ASSERT_TRUE(rig.engine().MultiGet(lookups).ok());
  rig.DeleteRange(kRows, NumberedKey(0), NumberedKey(200));
  rig.Compact(Role::kRows);
  for (const Lookup& lookup : lookups) EXPECT_EQ(Answer(lookup), std::string(500, 'a'));
}

void MultiGetRefusesMoreKeysThanItsLimit(Rig& rig) {
  std::vector<Lookup> lookups(kLookupsMax + 1);
  for (Lookup& lookup : lookups) lookup.key = "key";
  EXPECT_EQ(rig.engine().MultiGet(lookups).code(), StatusCode::kInvalid);
}

}  // namespace

Cases MultiGetCases() {
  return {
      MAYFLY_CASE(MultiGetOfNothingIsOk),
      MAYFLY_CASE(MultiGetAnswersHitsAndMissesSideBySide),
      MAYFLY_CASE(MultiGetAnswersEachOfSeveralTwins),
      MAYFLY_CASE(MultiGetReadsSeveralRolesAtOnce),
      MAYFLY_CASE(MultiGetReadsASnapshot),
      MAYFLY_CASE(MultiGetAnswersTheGoodKeysBesideABadOne),
      MAYFLY_CASE(MultiGetLeavesNothingOfAnEarlierReadBehind),
      MAYFLY_CASE(MultiGetValuesStayWhenTheirRowsChange),
      MAYFLY_CASE(MultiGetRefusesMoreKeysThanItsLimit),
  };
}

}  // namespace mayfly::engine::suite

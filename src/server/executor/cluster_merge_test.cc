// Goal: replies of several shards become one. Method: replies as shards give them, for each rule.
#include "server/executor/cluster_merge.h"

#include <gtest/gtest.h>

#include <utility>

#include "server/command/limits.h"

namespace mayfly::server {
namespace {

Reply Map(std::initializer_list<std::pair<const char*, Reply>> fields) {
  Reply::Items items;
  for (const auto& [name, value] : fields) {
    items.push_back(Reply::Bulk(name));
    items.push_back(value);
  }
  return Reply::Of(Reply::Kind::kMap, std::move(items));
}

Reply Merge(ClusterMerge merge, std::vector<Reply> replies) {
  Random random(1);
  return MergeReplies(merge, std::move(replies), random);
}

Reply Number(std::int64_t n) { return Reply::Integer(n); }

TEST(ClusterMerge, NumbersAreAdded) {
  EXPECT_EQ(Merge(ClusterMerge::kSum, {Number(2)}), Number(2));
  EXPECT_EQ(Merge(ClusterMerge::kSum, {Number(2), Number(3), Number(5)}), Number(10));
}

TEST(ClusterMerge, MapsAreAddedByFieldAndInstantsAreNot) {
  EXPECT_EQ(
      Merge(ClusterMerge::kSum,
            {Map({{"now", Number(7)}, {"rows", Number(1)}, {"more-due", Reply::Boolean(false)}}),
             Map({{"more-due", Reply::Boolean(true)}, {"rows", Number(2)}, {"now", Number(5)}})}),
      Map({{"now", Number(7)}, {"rows", Number(3)}, {"more-due", Reply::Boolean(true)}}));
  EXPECT_EQ(Merge(ClusterMerge::kSum,
                  {Map({{"purged-through", Number(7)}}), Map({{"purged-through", Number(5)}})}),
            Map({{"purged-through", Number(5)}}));
}

TEST(ClusterMerge, AReportIsCleanIfAllAreAndHasTheLinesOfAll) {
  const auto report = [](bool clean, const char* finding) {
    Reply::Items findings;
    if (finding != nullptr) findings.push_back(Reply::Bulk(finding));
    return Map({{"clean", Reply::Boolean(clean)}, {"findings", Reply::Array(findings)}});
  };
  EXPECT_EQ(Merge(ClusterMerge::kSum, {report(true, nullptr), report(true, nullptr)}),
            report(true, nullptr));
  EXPECT_EQ(Merge(ClusterMerge::kSum,
                  {report(true, nullptr), report(false, "shard 1: a"), report(true, nullptr)}),
            report(false, "shard 1: a"));
  const Reply both =
      Merge(ClusterMerge::kSum, {report(false, "shard 1: a"), report(false, "shard 2: b")});
  EXPECT_EQ(both.items()[3], Reply::Array({Reply::Bulk("shard 1: a"), Reply::Bulk("shard 2: b")}));
}

TEST(ClusterMerge, JoinedLinesAreBounded) {
  const auto lines = [](std::size_t count) {
    return Map({{"traces", Reply::Array(Reply::Items(count, Number(1)))}});
  };
  EXPECT_EQ(Merge(ClusterMerge::kSum, {lines(kMergedLinesMax - 1), lines(5)}),
            lines(kMergedLinesMax));
}

TEST(ClusterMerge, AClockThatIsNotOkIsSeen) {
  const auto state = [](const char* word) { return Map({{"clock-state", Reply::Bulk(word)}}); };
  EXPECT_EQ(Merge(ClusterMerge::kSum, {state("ok"), state("jumped"), state("ok")}),
            state("jumped"));
  const auto clock = [](std::int64_t stopped, std::int64_t ahead) {
    return Map({{"deletion-stopped", Number(stopped)}, {"ahead-ms", Number(ahead)}});
  };
  EXPECT_EQ(Merge(ClusterMerge::kWorst, {clock(0, 5), clock(1, 0), clock(0, 9)}), clock(1, 0));
  EXPECT_EQ(Merge(ClusterMerge::kWorst, {clock(0, 5), clock(0, 9)}), clock(0, 9));
}

TEST(ClusterMerge, WhatShouldBeTheSameAndIsNotIsAnError) {
  EXPECT_EQ(Merge(ClusterMerge::kSame, {Number(1), Number(1)}), Number(1));
  EXPECT_TRUE(Merge(ClusterMerge::kSame, {Number(1), Number(1), Number(2)}).is_error());
}

TEST(ClusterMerge, ListsOfNamedMapsAreMatchedByName) {
  const auto keyspace = [](const char* name, std::int64_t rows) {
    return Map({{"name", Reply::Bulk(name)}, {"rows", Number(rows)}});
  };
  EXPECT_EQ(Merge(ClusterMerge::kSum, {Reply::Array({keyspace("a", 1), keyspace("b", 2)}),
                                       Reply::Array({keyspace("b", 10), keyspace("c", 20)})}),
            Reply::Array({keyspace("a", 1), keyspace("b", 12), keyspace("c", 20)}));
}

TEST(ClusterMerge, ListsAreJoined) {
  EXPECT_EQ(Merge(ClusterMerge::kJoin, {Reply::Array({Reply::Bulk("a")}), Reply::Array({}),
                                        Reply::Array({Reply::Bulk("b"), Reply::Bulk("c")})}),
            Reply::Array({Reply::Bulk("a"), Reply::Bulk("b"), Reply::Bulk("c")}));
}

TEST(ClusterMerge, OneOfManyIsNeverANull) {
  EXPECT_EQ(Merge(ClusterMerge::kAny, {Reply::Null(), Reply::Bulk("a"), Reply::Null()}),
            Reply::Bulk("a"));
  EXPECT_EQ(Merge(ClusterMerge::kAny, {Reply::Null(), Reply::Null()}), Reply::Null());
}

TEST(ClusterMerge, TheLeastIsTakenByPlace) {
  EXPECT_EQ(Merge(ClusterMerge::kLeast,
                  {Reply::Array({Number(1), Number(0)}), Reply::Array({Number(0), Number(1)}),
                   Reply::Array({Number(1), Number(1)})}),
            Reply::Array({Number(0), Number(0)}));
}

TEST(ClusterMerge, AnErrorOfOneIsTheErrorOfAll) {
  const Reply error = Reply::Text(Reply::Kind::kError, "ERR no");
  for (const ClusterMerge merge : {ClusterMerge::kFirst, ClusterMerge::kSum, ClusterMerge::kJoin,
                                   ClusterMerge::kAny, ClusterMerge::kLeast}) {
    EXPECT_EQ(Merge(merge, {Number(1), error, Number(2)}), error);
  }
}

}  // namespace
}  // namespace mayfly::server

// Goal: pages of several servers become one without an event lost, doubled or out of its shard's
// order. Method: pages made by hand; random shards dealt to random servers, anew for each page,
// beside a list of what was written. The seed is printed.
#include "server/events/event_pages.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <random>
#include <string>

namespace mayfly::server {
namespace {

Reply EventAt(std::size_t shard, std::int64_t sequence, std::int64_t purged_at,
              const std::string& key = "k") {
  return Reply::Of(Reply::Kind::kMap,
                   {Reply::Bulk("shard"), Reply::Integer(static_cast<std::int64_t>(shard)),
                    Reply::Bulk("sequence"), Reply::Integer(sequence), Reply::Bulk("key"),
                    Reply::Bulk(key), Reply::Bulk("purged-at"), Reply::Integer(purged_at)});
}

Reply Page(const EventCursor& cursor, Reply::Items events) {
  return Reply::Array({Reply::Bulk(cursor.ToText()), Reply::Array(std::move(events))});
}

// "shard.sequence shard.sequence ..."
std::string Shown(const Reply& page) {
  std::string shown;
  for (const Reply& event : page.items().at(1).items()) {
    shown += std::to_string(event.items()[1].integer()) + "." +
             std::to_string(event.items()[3].integer()) + " ";
  }
  return shown;
}

EventCursor CursorOf(const std::map<std::size_t, std::uint64_t>& read) {
  EventCursor cursor;
  for (const auto& [shard, sequence] : read) cursor.Set(shard, sequence);
  return cursor;
}

EventCursor CursorIn(const Reply& page) {
  return *EventCursor::Parse(page.items().at(0).text(), 64);
}

constexpr EventBounds kTen{.events = 10};

TEST(EventPages, AreMergedByTimeAndEachShardInItsOrder) {
  const Reply merged =
      MergePages({}, 8, kTen, kTen,
                 {Page(CursorOf({{0, 2}}), {EventAt(0, 1, 50), EventAt(0, 2, 10)}),
                  Page(CursorOf({{1, 2}}), {EventAt(1, 1, 20), EventAt(1, 2, 60)})});
  EXPECT_EQ(Shown(merged), "1.1 0.1 0.2 1.2 ");
  EXPECT_EQ(CursorIn(merged).all(), CursorOf({{0, 2}, {1, 2}}).all());
}

TEST(EventPages, EndWhereAnEarlierEventMayFollow) {
  const Reply merged = MergePages({}, 8, kTen, {.events = 2},
                                  {Page(CursorOf({{0, 2}}), {EventAt(0, 1, 10), EventAt(0, 2, 11)}),
                                   Page(CursorOf({{1, 1}}), {EventAt(1, 1, 20)})});
  EXPECT_EQ(Shown(merged), "0.1 0.2 ");
  EXPECT_EQ(CursorIn(merged).all(), CursorOf({{0, 2}, {1, 0}}).all());
}

TEST(EventPages, EndWithTheEventThatReachesTheBytes) {
  const std::string large(600, 'x');
  const Reply merged = MergePages(
      {}, 8, {.events = 10, .bytes = 1000}, {.events = 10, .bytes = 1800},
      {Page(CursorOf({{0, 3}}),
            {EventAt(0, 1, 1, large), EventAt(0, 2, 2, large), EventAt(0, 3, 3, large)})});
  EXPECT_EQ(Shown(merged), "0.1 0.2 ");
}

TEST(EventPages, OfAShardThatTwoServersHadAreNotDoubled) {
  const Reply merged = MergePages(
      CursorOf({{0, 4}}), 8, kTen, kTen,
      {Page(CursorOf({{0, 6}}), {EventAt(0, 5, 1), EventAt(0, 6, 2)}),
       Page(CursorOf({{0, 7}}), {EventAt(0, 5, 1), EventAt(0, 6, 2), EventAt(0, 7, 3)})});
  EXPECT_EQ(Shown(merged), "0.5 0.6 0.7 ");
  EXPECT_EQ(CursorIn(merged).all(), CursorOf({{0, 7}}).all());
}

TEST(EventPages, RememberThatAShardHadNone) {
  const Reply merged =
      MergePages(CursorOf({{1, 3}}), 8, kTen, kTen,
                 {Page(CursorOf({{0, 0}, {1, 3}}), {}), Page(CursorOf({{1, 3}, {2, 9}}), {})});
  EXPECT_EQ(CursorIn(merged).all(), CursorOf({{0, 0}, {1, 3}, {2, 9}}).all());
}

TEST(EventPages, AnErrorOrNonsenseIsTheResult) {
  const Reply error = Reply::Text(Reply::Kind::kError, "TRYAGAIN later");
  EXPECT_EQ(MergePages({}, 8, kTen, kTen, {Page({}, {}), error}), error);
  EXPECT_TRUE(MergePages({}, 8, kTen, kTen, {Reply::Integer(7)}).is_error());
  EXPECT_TRUE(MergePages({}, 1, kTen, kTen, {Page(CursorOf({{5, 1}}), {})}).is_error());
}

// Events of a shard: places in the list are their sequences less one.
using Written = std::map<std::size_t, std::vector<std::int64_t>>;

// What a server with these shards answers, by the contract: its events in some merged order.
Reply PageFrom(const Written& written, const std::vector<std::size_t>& shards, EventCursor cursor,
               const EventBounds& bounds) {
  Reply::Items events;
  while (events.size() < bounds.events) {
    std::optional<std::size_t> best;
    const auto next = [&](std::size_t shard) { return cursor.Of(shard).value_or(0); };
    for (const std::size_t shard : shards) {
      const auto& its = written.at(shard);
      if (next(shard) >= its.size()) continue;
      if (!best || its[next(shard)] < written.at(*best)[next(*best)]) best = shard;
    }
    if (!best) break;
    const std::uint64_t at = next(*best);
    events.push_back(EventAt(*best, static_cast<std::int64_t>(at + 1), written.at(*best)[at]));
    cursor.Set(*best, at + 1);
  }
  return Page(cursor, std::move(events));
}

TEST(EventPages, HaveEveryEventOnceWhileShardsMoveAndEventsAreWritten) {
  const auto seed = std::random_device()();
  SCOPED_TRACE("seed " + std::to_string(seed));
  std::mt19937 random(seed);
  constexpr std::size_t kShards = 16;
  Written written;
  for (std::size_t shard = 0; shard < kShards; ++shard) written[shard];
  std::map<std::size_t, std::uint64_t> read;
  std::string cursor = "0";
  std::size_t idle = 0;
  for (int round = 0; idle < 40; ++round) {
    for (int i = 0; round < 200 && i < 6; ++i) {
      const std::int64_t about =
          std::int64_t{round} * 10 + static_cast<std::int64_t>(random() % 30);
      written[random() % kShards].push_back(about);
    }
    const std::size_t servers = 1 + random() % 4;
    std::vector<std::vector<std::size_t>> dealt(servers);
    for (std::size_t shard = 0; shard < kShards; ++shard) {
      if (random() % 10 > 0) dealt[random() % servers].push_back(shard);  // Else on its way.
      if (random() % 10 == 0) dealt[random() % servers].push_back(shard);
    }
    const EventBounds bounds{.events = 1 + random() % 12};
    const EventBounds of_each = BoundsOfEach(bounds, servers);
    const EventCursor from = *EventCursor::Parse(cursor, kShards);
    std::vector<Reply> pages;
    for (auto& shards : dealt) {
      std::sort(shards.begin(), shards.end());
      shards.erase(std::unique(shards.begin(), shards.end()), shards.end());
      pages.push_back(PageFrom(written, shards, from, of_each));
    }
    const Reply merged = MergePages(from, kShards, bounds, of_each, std::move(pages));
    ASSERT_FALSE(merged.is_error()) << merged.text();
    EXPECT_LE(merged.items()[1].items().size(), bounds.events);
    for (const Reply& event : merged.items()[1].items()) {
      const auto shard = static_cast<std::size_t>(event.items()[1].integer());
      EXPECT_EQ(event.items()[3].integer(), static_cast<std::int64_t>(++read[shard]));
    }
    idle = merged.items()[1].items().empty() ? idle + 1 : 0;
    cursor = merged.items()[0].text();
  }
  for (const auto& [shard, its] : written) EXPECT_EQ(read[shard], its.size()) << shard;
}

}  // namespace
}  // namespace mayfly::server

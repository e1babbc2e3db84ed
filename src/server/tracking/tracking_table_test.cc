// Goal: whoever read a key is told once when it changes or dies, and nobody else is; the table keeps
// its bound by telling. Method: calls in the order in which transactions make them; deaths by an
// instant, one before, on it, one after.
#include "server/tracking/tracking_table.h"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gtest/gtest.h>

namespace mayfly::server {
namespace {

std::string Text(const Invalidations& out) {
  std::vector<std::string> parts;
  for (const Invalidation& one : out.list()) {
    std::string part = fmt::format("{}:{}", one.client, fmt::join(one.keys, "+"));
    if (one.redirect != 0) part += fmt::format(">{}", one.redirect);
    parts.push_back(std::move(part));
  }
  return fmt::format("{}", fmt::join(parts, " "));
}

class Table : public testing::Test {
 protected:
  void Read(std::uint64_t client, Bytes key, std::optional<WallTime> dies = std::nullopt) {
    Invalidations out;
    table_.Remember(client, {0, key}, dies, out);
    evicted_ += Text(out);
  }
  std::string Write(Bytes key, std::uint64_t writer = 0, int database = 0) {
    Invalidations out;
    table_.Take({database, key}, writer, out);
    return Text(out);
  }
  std::string At(std::int64_t ms) {
    Invalidations out;
    table_.TakeDead(WallTimeFromMs(ms), out);
    return Text(out);
  }

  TrackingTable table_;
  std::string evicted_;
};

TEST_F(Table, TellsEachReaderOnce) {
  EXPECT_FALSE(table_.any());
  table_.Enable(1, {});
  table_.Enable(2, {.redirect = 9});
  Read(1, "a");
  Read(1, "a");
  Read(2, "a");
  Read(2, "b");
  Read(3, "a");  // Does not track.
  EXPECT_EQ(table_.figures().items, 3u);
  EXPECT_EQ(Write("a", 0, 1), "");  // Another database.
  EXPECT_EQ(Write("a"), "1:a 2:a>9");
  EXPECT_EQ(Write("a"), "");
  EXPECT_EQ(Write("b", 2), "2:b>9");
  EXPECT_EQ(table_.figures().keys, 0u);
}

TEST_F(Table, OwnChangesAreLeftOutOnRequestAndAreForgottenAllTheSame) {
  table_.Enable(1, {.no_loop = true});
  Read(1, "a");
  EXPECT_EQ(Write("a", 1), "");
  EXPECT_EQ(Write("a", 2), "");
  Read(1, "a");
  EXPECT_EQ(Write("a", 2), "1:a");
}

TEST_F(Table, AClientThatHasGoneIsNotTold) {
  table_.Enable(1, {});
  table_.Enable(2, {});
  Read(1, "a");
  Read(2, "a");
  table_.Disable(1);
  EXPECT_EQ(Write("a"), "2:a");
  Read(2, "b");
  table_.Disable(2);
  EXPECT_FALSE(table_.any());
  EXPECT_EQ(table_.figures().keys, 0u);
}

TEST_F(Table, BroadcastsByPrefixInOneMessageForEach) {
  table_.Enable(1, {.broadcast = true, .prefixes = {"a:", "b:"}});
  table_.Enable(2, {.broadcast = true, .no_loop = true, .prefixes = {""}});
  EXPECT_TRUE(table_.any_broadcast());
  Invalidations out;
  for (const char* const key : {"a:1", "b:1", "a:2", "c:1"}) table_.Take({0, key}, 2, out);
  EXPECT_EQ(Text(out), "1:a:1+a:2 1:b:1");
  EXPECT_EQ(Write("c:1", 1), "2:c:1");
  EXPECT_EQ(table_.figures().prefixes, 3u);
  table_.Disable(1);
  EXPECT_EQ(table_.figures().prefixes, 1u);
}

TEST_F(Table, TellsOfADeathAtItsInstant) {
  table_.Enable(1, {});
  table_.Enable(2, {.no_loop = true});
  Read(1, "a", WallTimeFromMs(1000));
  Read(2, "a", WallTimeFromMs(1000));
  Read(1, "b", WallTimeFromMs(1000));
  Read(1, "c", WallTimeFromMs(1001));
  EXPECT_EQ(table_.next_death(), WallTimeFromMs(1000));
  EXPECT_EQ(At(999), "");
  EXPECT_EQ(At(1000), "1:a+b 2:a");
  EXPECT_EQ(At(1000), "");
  EXPECT_EQ(At(1001), "1:c");
  EXPECT_EQ(table_.next_death(), std::nullopt);
}

TEST_F(Table, AnEarlierDeathOfWhatIsReadCounts) {
  table_.Enable(1, {});
  Invalidations out;
  EXPECT_TRUE(table_.Remember(1, {0, "a"}, WallTimeFromMs(2000), out));
  EXPECT_FALSE(table_.Remember(1, {0, "a"}, WallTimeFromMs(3000), out));
  EXPECT_TRUE(table_.Remember(1, {0, "a"}, WallTimeFromMs(1000), out));
  EXPECT_EQ(Write("a"), "1:a");  // Its deadline may have been moved.
  EXPECT_EQ(table_.next_death(), std::nullopt);
}

TEST_F(Table, KeepsItsBoundByTelling) {
  table_.Enable(1, {});
  Invalidations out;
  table_.SetKeysMax(2, out);
  Read(1, "a");
  Read(1, "b", WallTimeFromMs(1000));
  EXPECT_EQ(evicted_, "");
  Read(1, "c");
  EXPECT_TRUE(evicted_ == "1:a" || evicted_ == "1:b") << evicted_;
  EXPECT_EQ(table_.figures().keys, 2u);
  table_.SetKeysMax(1, out);
  EXPECT_EQ(out.list().size(), 1u);
  table_.SetKeysMax(0, out);
  for (int i = 0; i < 100; ++i) Read(1, std::to_string(i));
  EXPECT_EQ(table_.figures().keys, 101u);
}

TEST_F(Table, TellsAllOfEverything) {
  table_.Enable(1, {});
  table_.Enable(2, {.redirect = 7, .broadcast = true, .prefixes = {"x"}});
  Read(1, "a", WallTimeFromMs(1));
  Invalidations out;
  table_.TakeAll(out);
  EXPECT_EQ(Text(out), "1: 2:>7");
  EXPECT_EQ(Write("a"), "");
  EXPECT_EQ(At(1), "");
}

}  // namespace
}  // namespace mayfly::server

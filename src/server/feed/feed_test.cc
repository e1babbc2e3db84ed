// Goal: followers get what was fed, in its order and as one where it was one; a reader that falls
// behind loses its place and nobody else's memory.
// Method: entries as transactions make them, and the bytes that readers take.
#include "server/feed/feed.h"

#include <gtest/gtest.h>

#include <string>

namespace mayfly::server {
namespace {

class FeedTest : public testing::Test {
 protected:
  std::string TakeAll(Feed::Reader& reader) {
    ByteBuffer out;
    while (feed_.Take(reader, 1 << 20, out).value_or(0) > 0) {
    }
    return std::string(out.view());
  }

  static std::string Command(std::initializer_list<Bytes> args) {
    std::string bytes;
    AppendCommand(bytes, std::span(args.begin(), args.size()));
    return bytes;
  }

  std::atomic<std::int64_t> backlog_{1000};
  Feed feed_{[](const std::string& keyspace) { return keyspace == "db3" ? 3 : -1; }, backlog_};
  CommandFeed commands_;
  int woken_ = 0;
};

TEST_F(FeedTest, SelectsTheDatabaseOnceAndWrapsUnits) {
  feed_.Start();
  const auto reader = feed_.Attach(feed_.position(), 0, [] {});
  commands_.NextUnit();
  commands_.BeginCommand(0);
  commands_.Instead({"SET", "a", "1"});
  commands_.NextUnit();
  commands_.BeginCommand(0);
  commands_.Instead({"SET", "b", "1"});
  commands_.BeginCommand(3);
  commands_.Instead({"SET", "c", "1"});
  feed_.Append(commands_.entries());
  EXPECT_EQ(TakeAll(*reader), Command({"SELECT", "0"}) + Command({"SET", "a", "1"}) +
                                  Command({"MULTI"}) + Command({"SET", "b", "1"}) +
                                  Command({"SELECT", "3"}) + Command({"SET", "c", "1"}) +
                                  Command({"EXEC"}));
}

TEST_F(FeedTest, SendsWhatDiedBeforeTheCommandThatMetIt) {
  feed_.Start();
  const auto reader = feed_.Attach(feed_.position(), 0, [] {});
  commands_.NextUnit();
  commands_.BeginCommand(0);
  commands_.Instead({"INCR", "n"});
  commands_.Died(0, {"DEL", "n"});
  feed_.Append(commands_.entries());
  EXPECT_EQ(TakeAll(*reader),
            Command({"SELECT", "0"}) + Command({"DEL", "n"}) + Command({"INCR", "n"}));
}

TEST_F(FeedTest, FeedsDeathsOfNumberedDatabasesAlone) {
  feed_.Start();
  const auto reader = feed_.Attach(feed_.position(), 0, [] {});
  const core::Death deaths[] = {{"table.x", "k", {}}, {"db3", "k", {}}};
  feed_.Died(deaths);
  EXPECT_EQ(TakeAll(*reader), Command({"SELECT", "3"}) + Command({"DEL", "k"}));
}

// Redis refuses a whole MULTI for one command that it does not know.
TEST_F(FeedTest, DoesNotWrapNewerCommandsForOldFollowers) {
  feed_.Start();
  commands_.NextUnit();
  commands_.BeginCommand(0);
  commands_.Instead({"HSET", "h", "f", "v"});
  commands_.Instead({"HPEXPIREAT", "h", "9", "FIELDS", "1", "f"}, CommandFeed::Known::kSince74);
  const std::string both =
      Command({"HSET", "h", "f", "v"}) + Command({"HPEXPIREAT", "h", "9", "FIELDS", "1", "f"});
  const auto reader = feed_.Attach(feed_.position(), 0, [] {});
  feed_.Append(commands_.entries());
  EXPECT_EQ(TakeAll(*reader),
            Command({"SELECT", "0"}) + Command({"MULTI"}) + both + Command({"EXEC"}));
  feed_.ServesOldFollowers();
  feed_.Append(commands_.entries());
  EXPECT_EQ(TakeAll(*reader), both);
}

TEST_F(FeedTest, IsResumedAsFarAsItsBacklogReaches) {
  feed_.Start();
  const FeedPosition begin = feed_.position();
  for (int i = 0; i < 10'000; ++i) feed_.AppendControl({"PING"});
  const FeedPosition end = feed_.position();
  EXPECT_EQ(feed_.Attach(begin, 0, [] {}), nullptr);
  EXPECT_EQ(feed_.Attach({"another", end.offset}, 0, [] {}), nullptr);
  EXPECT_EQ(feed_.Attach({end.id, end.offset + 1}, 0, [] {}), nullptr);
  const auto reader = feed_.Attach({end.id, end.offset - 14}, 0, [] {});
  ASSERT_NE(reader, nullptr);
  EXPECT_EQ(TakeAll(*reader), Command({"PING"}));
  EXPECT_LT(feed_.figures().bytes, 70'000U);
}

TEST_F(FeedTest, KeepsWhatAReaderNeedsUpToItsBound) {
  feed_.Start();
  const auto slow = feed_.Attach(feed_.position(), 100'000, [] {});
  const auto slower = feed_.Attach(feed_.position(), 0, [] {});
  while (feed_.offset() < 100'000) feed_.AppendControl({"PING"});
  EXPECT_TRUE(feed_.Behind(*slower));
  while (feed_.offset() < 100'100) feed_.AppendControl({"PING"});
  EXPECT_FALSE(feed_.Behind(*slow));
  EXPECT_EQ(TakeAll(*slower).size(), static_cast<std::size_t>(feed_.offset()));
  ByteBuffer out;
  EXPECT_FALSE(feed_.Take(*slow, 10, out));
}

TEST_F(FeedTest, WakesAReaderOnceThatHasTakenAll) {
  feed_.Start();
  const auto reader = feed_.Attach(feed_.position(), 0, [&] { ++woken_; });
  feed_.AppendControl({"PING"});
  EXPECT_EQ(woken_, 0);  // It has not looked yet.
  TakeAll(*reader);
  feed_.AppendControl({"PING"});
  feed_.AppendControl({"PING"});
  EXPECT_EQ(woken_, 1);
}

TEST_F(FeedTest, EndsForAllReadersAndBeginsAsAnother) {
  feed_.Start();
  const FeedPosition before = feed_.position();
  const auto reader = feed_.Attach(before, 0, [&] { ++woken_; });
  TakeAll(*reader);
  feed_.Stop();
  EXPECT_EQ(woken_, 1);
  EXPECT_FALSE(feed_.Behind(*reader));
  EXPECT_EQ(feed_.Attach(before, 0, [] {}), nullptr);
  feed_.Start();
  EXPECT_NE(feed_.position().id, before.id);
  feed_.Append({});
  EXPECT_EQ(feed_.Attach({before.id, feed_.offset()}, 0, [] {}), nullptr);
}

TEST(CommandFeed, SendsNothingOfWhatFailedOrChangedNothing) {
  CommandFeed commands;
  const Bytes args[] = {"SET", "k", "v"};
  commands.BeginCommand(0);
  commands.EndCommand(args, /*changed=*/false);
  EXPECT_TRUE(commands.empty());
  commands.BeginCommand(0);
  commands.Nothing();
  commands.EndCommand(args, true);
  EXPECT_TRUE(commands.empty());
  const auto mark = commands.SetMark();
  commands.BeginCommand(0);
  commands.EndCommand(args, true);
  EXPECT_EQ(commands.entries().size(), 1U);
  commands.RollBack(mark);
  EXPECT_TRUE(commands.empty());
}

}  // namespace
}  // namespace mayfly::server

// Goal: a position comes back as it was stored, and nothing else is taken for one.
// Method: round trips, and texts that lack or change a word.
#include "server/follow/follow_position.h"

#include <gtest/gtest.h>

namespace mayfly::server {
namespace {

FollowPosition Some() {
  FollowPosition position;
  position.host = "leader.example";
  position.port = 6379;
  position.replication_id = "8371b4fb1155b71f4a04d3e1bc3e18c4a990aeeb";
  position.offset = 123'456'789'012;
  position.database = 7;
  position.judged_at = WallTimeFromMs(1'900'000'000'123);
  return position;
}

FollowPosition ThereAndBack(const FollowPosition& position) {
  const auto back = DecodePosition(EncodePosition(position));
  EXPECT_TRUE(back) << back.status().ToString();
  return back ? *back : FollowPosition();
}

TEST(FollowPosition, ComesBack) {
  EXPECT_EQ(ThereAndBack(Some()), Some());
  FollowPosition fresh = Some();
  fresh.replication_id.clear();
  EXPECT_EQ(ThereAndBack(fresh), fresh);
  FollowPosition left;
  left.host = "h";
  left.port = 1;
  left.left = true;
  EXPECT_EQ(ThereAndBack(left), left);
}

TEST(FollowPosition, OtherTextsAreCorrupt) {
  for (const char* const text :
       {"", "follow", "follow 2 h 1 - 0 0 0", "follow 1 h 1 - 0 0", "follow 1 h x - 0 0 0",
        "left 1 h", "left 1 h 1 2", "came 1 h 1"}) {
    const auto position = DecodePosition(text);
    ASSERT_FALSE(position) << text;
    EXPECT_EQ(position.error().code(), StatusCode::kCorruption);
  }
}

}  // namespace
}  // namespace mayfly::server

// Goal: a cursor of events comes back as it was, and one that is malformed is refused. Method: texts
// and positions side by side.
#include "server/events/event_cursor.h"

#include <gtest/gtest.h>

namespace mayfly::server {
namespace {

TEST(EventCursor, ComesBackAsItWas) {
  EventCursor cursor;
  EXPECT_EQ(cursor.ToText(), "0");
  cursor.Set(2, 0);
  cursor.Set(5, 1'000'000);
  EXPECT_EQ(cursor.ToText(), "at:0000010000c1843d");
  const auto same = EventCursor::Parse(cursor.ToText(), 6);
  ASSERT_TRUE(same) << same.error().ToString();
  EXPECT_EQ(same->all(), cursor.all());
  EXPECT_EQ(same->Of(2), 0u);
  EXPECT_EQ(same->Of(3), std::nullopt);
  EXPECT_TRUE(EventCursor::Parse("0", 6)->all().empty());
}

TEST(EventCursor, RefusesWhatIsNone) {
  for (const char* text : {"", "1", "at", "at:0", "at:zz", "at:80", "at:ffffffffffffffffffff7f"}) {
    EXPECT_FALSE(EventCursor::Parse(text, 6)) << text;
  }
  EXPECT_TRUE(EventCursor::Parse("at:010101010101", 6));
  EXPECT_FALSE(EventCursor::Parse("at:01010101010101", 6));
}

}  // namespace
}  // namespace mayfly::server

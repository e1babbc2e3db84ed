// Goal: lists have the right bytes, move the right side, and report damage.
// Method: single calls on plain maps; the stored rows are inspected.
#include "types/list.h"

#include "types/plain_home.h"

namespace mayfly::types {
namespace {

void Push(List& list, ListEnd end, std::vector<std::string> texts) {
  const std::vector<Bytes> values(texts.begin(), texts.end());
  ASSERT_TRUE(list.Push(end, values).ok());
}

std::string Contents(const List& list) {
  std::string text;
  EXPECT_TRUE(list.WalkToTail(0,
                              [&](std::uint64_t position, Bytes value) {
                                EXPECT_EQ(list.At(position).value(), value);
                                text += value;
                                return true;
                              })
                  .ok());
  return text;
}

TEST(List, IsStoredAsTheFormatSays) {
  PlainHome home;
  home.Run([](core::TransactionKeyspace& space) {
    List list = List::Open(space, "key").value();
    Push(list, ListEnd::kTail, {"b", "c"});
    Push(list, ListEnd::kHead, {"a"});
    EXPECT_TRUE(list.is_new());
  });
  const core::PlainRow& row = home.rows().at("key");
  EXPECT_EQ(row.value, "l" + std::string(8, '\xff'));
  std::string members;
  for (const auto& [member, found] : row.members) members += member + found.value;
  EXPECT_EQ(members, "\x7f\xff\xff\xff\xff\xff\xff\xff" + std::string("a\x80\0\0\0\0\0\0\0b", 10) +
                         std::string("\x80\0\0\0\0\0\0\1c", 9));
}

TEST(List, ValuesPushedAtTheHeadLieInReverse) {
  PlainHome home;
  home.Run([](core::TransactionKeyspace& space) {
    List list = List::Open(space, "key").value();
    Push(list, ListEnd::kHead, {"c", "b", "a"});
    Push(list, ListEnd::kTail, {"d", "e"});
    EXPECT_EQ(Contents(list), "abcde");
    EXPECT_EQ(list.Pop(ListEnd::kHead, 2).value(), (std::vector<std::string>{"a", "b"}));
    EXPECT_EQ(list.Pop(ListEnd::kTail, 2).value(), (std::vector<std::string>{"e", "d"}));
    EXPECT_EQ(list.Pop(ListEnd::kTail, 9).value(), (std::vector<std::string>{"c"}));
    EXPECT_TRUE(list.empty());
    EXPECT_TRUE(list.Pop(ListEnd::kTail, 9).value().empty());
  });
  EXPECT_TRUE(home.rows().empty());
}

TEST(List, AChangeInTheMiddleMovesTheShorterSide) {
  PlainHome home;
  const auto first_byte = [&] { return home.rows().at("key").value.substr(1, 2); };
  home.Run([](core::TransactionKeyspace& space) {
    List list = List::Open(space, "key").value();
    Push(list, ListEnd::kTail, {"a", "b", "c", "d", "e"});
    ASSERT_TRUE(list.Insert(1, "x").ok());  // Moves a to index -1.
    EXPECT_EQ(Contents(list), "axbcde");
  });
  EXPECT_EQ(first_byte(), "\xff\xff");
  home.Run([](core::TransactionKeyspace& space) {
    List list = List::Open(space, "key").value();
    ASSERT_TRUE(list.Insert(5, "y").ok());  // Moves e.
    EXPECT_EQ(Contents(list), "axbcdye");
  });
  EXPECT_EQ(first_byte(), "\xff\xff");
  home.Run([](core::TransactionKeyspace& space) {
    List list = List::Open(space, "key").value();
    const std::uint64_t one[] = {1};
    ASSERT_TRUE(list.Remove(one).ok());  // Moves a back to 0.
    EXPECT_EQ(Contents(list), "abcdye");
  });
  EXPECT_EQ(first_byte(), std::string(2, '\0'));
}

TEST(List, SeveralHolesCloseAtOnce) {
  for (const Bytes digits : {"02", "123", "57", "07", "0123456"}) {
    std::vector<std::uint64_t> holes;
    for (const char digit : digits) holes.push_back(static_cast<std::uint64_t>(digit - '0'));
    PlainHome home;
    home.Run([&](core::TransactionKeyspace& space) {
      List list = List::Open(space, "key").value();
      std::string expected = "abcdefgh";
      for (const char letter : expected) Push(list, ListEnd::kTail, {std::string(1, letter)});
      for (auto hole = holes.rbegin(); hole != holes.rend(); ++hole) expected.erase(*hole, 1);
      ASSERT_TRUE(list.Remove(holes).ok());
      EXPECT_EQ(Contents(list), expected);
      EXPECT_EQ(list.size(), expected.size());
    });
  }
}

TEST(List, TrimmingToLittleKeepsTheDeadline) {
  PlainHome home;
  const WallTime deadline = home.clock().Now() + Millis(50);
  home.Run([&](core::TransactionKeyspace& space) {
    List list = List::Open(space, "key").value();
    Push(list, ListEnd::kTail, {"a", "b", "c", "d", "e", "f", "g"});
    ASSERT_TRUE(space.Expire("key", Lifetime::Until(deadline)).value());
    ASSERT_TRUE(list.Trim(2, 4).ok());
    EXPECT_EQ(Contents(list), "cd");
  });
  EXPECT_EQ(home.rows().at("key").deadline, deadline);
  EXPECT_EQ(home.rows().at("key").members.size(), 2u);
}

TEST(List, WalksBothWaysUntilTold) {
  PlainHome home;
  home.Run([](core::TransactionKeyspace& space) {
    List list = List::Open(space, "key").value();
    Push(list, ListEnd::kTail, {"a", "b", "c", "d"});
    std::string seen;
    const auto visit = [&](std::uint64_t position, Bytes value) {
      seen += std::to_string(position) + std::string(value);
      return seen.size() < 4;
    };
    ASSERT_TRUE(list.WalkToTail(1, visit).ok());
    EXPECT_EQ(seen, "1b2c");
    seen.clear();
    ASSERT_TRUE(list.WalkToHead(1, visit).ok());
    EXPECT_EQ(seen, "1b0a");
    seen.clear();
    ASSERT_TRUE(list.WalkToHead(0, visit).ok());
    EXPECT_EQ(seen, "0a");
    seen.clear();
    ASSERT_TRUE(list.WalkToTail(4, visit).ok());
    EXPECT_EQ(seen, "");
  });
}

TEST(List, RefusesOtherTypesAndDamage) {
  PlainHome home;
  home.Run([](core::TransactionKeyspace& space) {
    ASSERT_TRUE(space.Put("text", "value", Lifetime::Forever()).ok());
    EXPECT_EQ(List::Open(space, "text").error().code(), StatusCode::kWrongType);
    ASSERT_TRUE(space.MakeCollection("short", "l1234567").ok());
    ASSERT_TRUE(space.PutMember("short", "m", "").has_value());
    EXPECT_EQ(List::Open(space, "short").error().code(), StatusCode::kCorruption);
    // Two members, but none where the head says that the first is.
    ASSERT_TRUE(space.MakeCollection("gap", "l" + std::string(8, '\0')).ok());
    ASSERT_TRUE(space.PutMember("gap", "\x90odd", "").has_value());
    ASSERT_TRUE(space.PutMember("gap", "\x91odd", "").has_value());
    List gap = List::Open(space, "gap").value();
    EXPECT_EQ(gap.At(0).error().code(), StatusCode::kCorruption);
    const auto visit = [](std::uint64_t, Bytes) { return true; };
    EXPECT_EQ(gap.WalkToTail(0, visit).code(), StatusCode::kCorruption);
    EXPECT_EQ(gap.WalkToHead(1, visit).code(), StatusCode::kCorruption);
    EXPECT_EQ(gap.Pop(ListEnd::kHead, 1).error().code(), StatusCode::kCorruption);
  });
}

}  // namespace
}  // namespace mayfly::types

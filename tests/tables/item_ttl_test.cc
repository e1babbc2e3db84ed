// Goal: SetTtl, RemoveTtl and GetTtl, in both modes. Method: on each engine, a manual clock; around
// an instant, one millisecond before it and on it.
#include "tables/tables_home.h"

namespace mayfly {
namespace {

using namespace std::chrono_literals;

class ItemTtl : public EachTables {
 protected:
  ItemTtl() { Make(PlainSpec()); }
  const Item key_ = {{"id", "1"}};
};

TEST_P(ItemTtl, SetsTheAttributeAndEndsTheItem) {
  Put("plain", {{"id", "1"}, {"x", N(1)}});
  EXPECT_EQ(tables().GetTtl("plain", key_).value(), kForever);
  ASSERT_TRUE(tables().SetTtl("plain", key_, 90s).ok());
  EXPECT_EQ(tables().GetTtl("plain", key_).value(), Millis(90s));
  EXPECT_EQ(Get("plain", key_)->at("expires"), AttributeValue(SecondsAfterStart(90)));
  clock().Advance(90s - 1ms);
  EXPECT_EQ(tables().GetTtl("plain", key_).value(), 1ms);
  clock().Advance(1ms);
  EXPECT_EQ(CodeOf(tables().GetTtl("plain", key_)), kNotFound);
  EXPECT_EQ(CodeOf(tables().SetTtl("plain", key_, 90s)), kNotFound) << "none is made";
  EXPECT_EQ(CodeOf(tables().RemoveTtl("plain", key_)), kNotFound);
  EXPECT_EQ(Get("plain", key_), std::nullopt);
}

TEST_P(ItemTtl, IsRoundedUpToSeconds) {
  Put("plain", key_);
  ASSERT_TRUE(tables().SetTtl("plain", key_, 1ms).ok());
  EXPECT_EQ(tables().GetTtl("plain", key_).value(), 1s);
  clock().Advance(999ms);
  ASSERT_TRUE(tables().SetTtl("plain", key_, 1ms).ok());
  EXPECT_EQ(tables().GetTtl("plain", key_).value(), 1ms);
}

TEST_P(ItemTtl, IsTakenAway) {
  Put("plain", {{"id", "1"}, {"expires", SecondsAfterStart(10)}});
  EXPECT_TRUE(tables().RemoveTtl("plain", key_).value());
  EXPECT_EQ(tables().GetTtl("plain", key_).value(), kForever);
  const std::uint64_t version = tables().GetItem({.table = "plain", .key = key_})->version;
  EXPECT_FALSE(tables().RemoveTtl("plain", key_).value());
  EXPECT_EQ(tables().GetItem({.table = "plain", .key = key_})->version, version) << "not written";
  clock().Advance(10s);
  EXPECT_EQ(Get("plain", key_), key_);
}

TEST_P(ItemTtl, RefusesWhatMeansNothing) {
  Put("plain", key_);
  EXPECT_EQ(CodeOf(tables().SetTtl("plain", key_, 0ms)), kInvalid);
  EXPECT_EQ(CodeOf(tables().SetTtl("plain", key_, -1ms)), kInvalid);
  EXPECT_EQ(CodeOf(tables().SetTtl("plain", key_, Millis::max())), kInvalid);
  EXPECT_EQ(CodeOf(tables().SetTtl("plain", {{"key", "1"}}, 1s)), kInvalid);
  EXPECT_EQ(Get("plain", key_), key_);
  TableSpec spec = PlainSpec("timeless");
  spec.ttl_attribute.clear();
  Make(spec);
  Put("timeless", key_);
  EXPECT_EQ(CodeOf(tables().SetTtl("timeless", key_, 1s)), kInvalid);
  EXPECT_FALSE(tables().RemoveTtl("timeless", key_).value());
  EXPECT_EQ(tables().GetTtl("timeless", key_).value(), kForever);
}

TEST_P(ItemTtl, IsNotChangedWhereItIsAKey) {
  TableSpec spec = PlainSpec("by_end");
  spec.partition = {"expires", KeyType::kNumber};
  Make(spec);
  const Item item = {{"expires", SecondsAfterStart(10)}};
  Put("by_end", item);
  EXPECT_EQ(CodeOf(tables().SetTtl("by_end", item, 90s)), kInvalid);
  EXPECT_EQ(CodeOf(tables().RemoveTtl("by_end", item)), kInvalid);
  EXPECT_EQ(tables().GetTtl("by_end", item).value(), Millis(10s));
  EXPECT_EQ(Get("by_end", item), item);
  clock().Advance(10s);
  EXPECT_EQ(Get("by_end", item), std::nullopt);
}

TEST_P(ItemTtl, WaitsForASweepWhereItShould) {
  TableSpec spec = PlainSpec("swept");
  spec.ttl_mode = TtlMode::kUntilSwept;
  Make(spec);
  Put("swept", key_);
  ASSERT_TRUE(tables().SetTtl("swept", key_, 10s).ok());
  EXPECT_EQ(tables().GetTtl("swept", key_).value(), Millis(10s));
  clock().Advance(10s - 1ms);
  EXPECT_EQ(tables().SweepExpired("swept").value(), 0U);
  clock().Advance(1ms);
  EXPECT_TRUE(Get("swept", key_).has_value());
  EXPECT_EQ(tables().GetTtl("swept", key_).value(), 0ms);
  EXPECT_EQ(tables().SweepExpired("swept").value(), 1U);
  EXPECT_EQ(Get("swept", key_), std::nullopt);
  EXPECT_EQ(CodeOf(tables().GetTtl("swept", key_)), kNotFound);
}

INSTANTIATE_TEST_SUITE_P(Engines, ItemTtl, AllEngines(), NameOfEngine);

}  // namespace
}  // namespace mayfly

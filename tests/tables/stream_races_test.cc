// Goal: the records of a stream are consistent however close to its death an item is written.
// Method: a clock that moves whenever it is read, so that items die between the begin and the
// commit of the write that meets them; seeded random writes, purges and reads, one at a time.
#include <gtest/gtest.h>

#include <atomic>
#include <set>

#include "base/random.h"
#include "mayfly/database.h"
#include "mayfly/tables.h"
#include "tables/tables_home.h"

namespace mayfly {
namespace {

class TickingClock final : public Clock {
 public:
  WallTime Now() const override { return WallTimeFromMs(now_ms_ += 1); }
  SteadyTime Steady() const override { return SteadyTime(Millis(now_ms_)); }
  void Sleep(Waker& waker, WallTime) const override { waker.WaitFor(Millis(1)); }

 private:
  mutable std::atomic<std::int64_t> now_ms_ = ToMs(kStart);
};

class StreamRaces : public ::testing::TestWithParam<bool> {
 protected:
  StreamRaces() {
    auto opened = Database::Open({.purge_on_read = GetParam(), .clock = &clock_});
    database_ = *std::move(opened);
    tables_ = *Tables::Open(*database_);
    TableSpec spec = PlainSpec();
    spec.stream = StreamView::kNewAndOldImages;
    EXPECT_TRUE(tables_->CreateTable(spec).has_value());
  }

  void Step(Random& random) {
    const std::string id = "k" + std::to_string(random.Below(3));
    const Item key = {{"id", id}};
    switch (random.Below(8)) {
      case 0:
        lasting_.erase(id);
        EXPECT_TRUE(tables_->DeleteItem({.table = "plain", .key = key}).has_value());
        break;
      case 1:
      case 2: {  // Keeps the instant.
        const auto updated =
            tables_->UpdateItem({.table = "plain",
                                 .key = key,
                                 .update = "SET n = :n",
                                 .condition = "attribute_exists(id)",
                                 .arguments = {.values = {{":n", N(++written_)}}}});
        EXPECT_TRUE(updated.has_value()) << updated.status().ToString();
        break;
      }
      case 3: EXPECT_TRUE(database_->Purge({.rows_max = 1}).has_value()); break;
      case 4: {
        const auto found = tables_->GetItem({.table = "plain", .key = key});
        ASSERT_TRUE(found.has_value()) << found.status().ToString();
        EXPECT_TRUE(found->item || !lasting_.contains(id)) << "a living item is gone";
        break;
      }
      default: {
        Item item = key;
        item.emplace("n", N(++written_));
        const std::int64_t ms = ToMs(clock_.Now()) + static_cast<std::int64_t>(random.Below(60));
        const bool lasts = random.OneIn(4);
        if (lasts) {
          lasting_.insert(id);
        } else {
          lasting_.erase(id);
          item.emplace("expires", Decimal(std::to_string(ms) + "E-3"));
        }
        const auto put = tables_->PutItem({.table = "plain", .item = item});
        EXPECT_TRUE(put.has_value()) << put.status().ToString();
      }
    }
  }

  TickingClock clock_;
  std::unique_ptr<Database> database_;
  std::unique_ptr<Tables> tables_;
  std::int64_t written_ = 0;
  std::set<std::string> lasting_;  // Items without a deadline.
};

TEST_P(StreamRaces, MakeNoDifferenceToTheStory) {
  const std::uint64_t seed = FreshSeed();
  SCOPED_TRACE(testing::Message() << "seed " << seed);
  Random random(seed);
  for (int i = 0; i < 10'000; ++i) Step(random);
  for (int i = 0; i < 100; ++i) (void)clock_.Now();  // All that can die is dead.
  ASSERT_TRUE(database_->Purge().has_value());
  const std::string label = tables_->DescribeTable("plain")->stream_label;
  const auto records = AllRecords(*tables_, "plain", label).value();
  std::map<std::string, bool> there;
  int deaths = 0;
  int wrong = 0;
  for (const StreamRecord& record : records) {
    bool& is = there[*record.keys.at("id").string()];
    if (is != (record.kind != StreamRecord::Kind::kInsert)) ++wrong;
    is = record.kind != StreamRecord::Kind::kRemove;
    deaths += record.by_ttl ? 1 : 0;
  }
  EXPECT_EQ(wrong, 0) << "of " << records.size() << " records";
  EXPECT_GT(deaths, 500);
  for (const auto& [id, is] : there) EXPECT_EQ(is, lasting_.contains(id)) << id;
}

std::string NameOfReads(const ::testing::TestParamInfo<bool>& info) {
  return info.param ? "Purge" : "DoNotPurge";
}

INSTANTIATE_TEST_SUITE_P(Reads, StreamRaces, ::testing::Bool(), NameOfReads);

}  // namespace
}  // namespace mayfly

// Goal: a new ttl attribute, mode or index is applied to existing items, in steps, during writes,
// and across restarts. Method: on each engine, a manual clock; steps are counted.
#include <atomic>
#include <thread>

#include "tables/table_life.h"

namespace mayfly {
namespace {

using namespace std::chrono_literals;

const IndexSpec kByColour = {.name = "by_colour",
                             .partition = {"colour", KeyType::kString},
                             .projection = {IndexProjection::Kind::kKeysOnly, {}}};

class TableUpkeep : public TableLife {
 protected:
  static constexpr int kItems = 300;

  TableUpkeep() {
    TableSpec spec = PlainSpec();
    spec.ttl_attribute = "";
    Make(spec);
  }

  static Item Key(int i) { return {{"id", std::to_string(i)}}; }

  // Half of them red; all with both attributes.
  void Fill(int items = kItems) {
    for (int i = 0; i < items; ++i) {
      Put("plain", {{"id", std::to_string(i)},
                    {"colour", i % 2 == 0 ? "red" : "blue"},
                    {"expires", SecondsAfterStart(10)},
                    {"leaves", SecondsAfterStart(100)}});
    }
  }

  std::size_t CountOf(const std::string& colour) {
    return QueryAll({.table = "plain",
                     .index = "by_colour",
                     .key_condition = "colour = :c",
                     .arguments = {.values = {{":c", AttributeValue(colour)}}}})
        .size();
  }
};

TEST_P(TableUpkeep, FillsAnIndexInSteps) {
  Fill();
  Change("plain", {.add_global_index = kByColour});
  EXPECT_EQ(Describe("plain").indexes.at("by_colour").status, IndexStatus::kCreating);
  EXPECT_EQ(CodeOf(tables().Query({.table = "plain",
                                   .index = "by_colour",
                                   .key_condition = "colour = :c",
                                   .arguments = {.values = {{":c", "red"}}}})),
            kInvalid)
      << "not before it is whole";
  std::uint64_t left = tables().RunUpkeep(100).value();
  EXPECT_EQ(left, 200U);
  EXPECT_EQ(Describe("plain").indexes.at("by_colour").items, 100U);
  left = tables().RunUpkeep(100).value();
  EXPECT_EQ(left, 100U);
  EXPECT_EQ(Describe("plain").indexes.at("by_colour").status, IndexStatus::kCreating);
  FinishUpkeep();
  EXPECT_EQ(Describe("plain").indexes.at("by_colour").status, IndexStatus::kActive);
  EXPECT_EQ(CountOf("red"), 150U);
  EXPECT_EQ(CountOf("blue"), 150U);
  EXPECT_EQ(tables().RunUpkeep().value(), 0U);
}

TEST_P(TableUpkeep, HasNothingToDoForAnEmptyTable) {
  Change("plain", {.add_global_index = kByColour, .ttl_attribute = "expires"});
  EXPECT_EQ(Describe("plain").indexes.at("by_colour").status, IndexStatus::kActive);
  EXPECT_EQ(Describe("plain").ttl_status, TtlStatus::kEnabled);
  EXPECT_EQ(tables().RunUpkeep().value(), 0U);
}

TEST_P(TableUpkeep, DropsAnIndexAtOnce) {
  Fill(10);
  Change("plain", {.add_global_index = kByColour});
  FinishUpkeep();
  const std::size_t keyspaces = database().ListKeyspaces()->size();
  Change("plain", {.drop_global_index = "by_colour"});
  EXPECT_TRUE(Describe("plain").indexes.empty());
  EXPECT_EQ(database().ListKeyspaces()->size(), keyspaces - 1);
  Put("plain", {{"id", "0"}, {"colour", "green"}});
  Change("plain", {.add_global_index = kByColour});
  FinishUpkeep();
  EXPECT_EQ(CountOf("green"), 1U) << "the same name again is another index";
  EXPECT_EQ(CountOf("red"), 4U);
}

TEST_P(TableUpkeep, GivesItemsTheirDeadlines) {
  Fill();
  clock().Advance(20s);
  Put("plain", {{"id", "late"}, {"expires", SecondsAfterStart(30)}});
  Change("plain", {.ttl_attribute = "expires"});
  EXPECT_EQ(Describe("plain").ttl_status, TtlStatus::kEnabling);
  FinishUpkeep();
  EXPECT_EQ(Describe("plain").ttl_status, TtlStatus::kEnabled);
  EXPECT_EQ(Describe("plain").items, 1U) << "what had passed is gone";
  clock().Advance(10s - 1ms);
  EXPECT_EQ(Describe("plain").items, 1U);
  clock().Advance(1ms);
  EXPECT_EQ(Describe("plain").items, 0U);
}

TEST_P(TableUpkeep, ChangesTheAttributeAndTakesItAway) {
  Fill(100);
  Change("plain", {.ttl_attribute = "expires"});
  FinishUpkeep();
  Change("plain", {.ttl_attribute = "leaves"});
  FinishUpkeep();
  clock().Advance(50s);
  EXPECT_EQ(Describe("plain").items, 100U) << "they live by the other attribute";
  EXPECT_EQ(tables().GetTtl("plain", Key(7)).value(), Millis(50s));
  Change("plain", {.ttl_attribute = ""});
  EXPECT_EQ(Describe("plain").ttl_status, TtlStatus::kDisabling);
  FinishUpkeep();
  EXPECT_EQ(Describe("plain").ttl_status, TtlStatus::kDisabled);
  clock().Advance(500s);
  EXPECT_EQ(Describe("plain").items, 100U);
}

TEST_P(TableUpkeep, FollowsTheNewDescriptionInWritesAtOnce) {
  Fill(100);
  Change("plain", {.add_global_index = kByColour, .ttl_attribute = "expires"});
  Put("plain", {{"id", "new"}, {"colour", "red"}, {"expires", SecondsAfterStart(10)}});
  EXPECT_EQ(Describe("plain").indexes.at("by_colour").items, 1U);
  clock().Advance(10s);
  EXPECT_EQ(Get("plain", {{"id", "new"}}), std::nullopt);
  EXPECT_EQ(Describe("plain").items, 100U) << "the others have not got theirs yet";
  FinishUpkeep();
  EXPECT_EQ(Describe("plain").items, 0U);
  EXPECT_EQ(Describe("plain").indexes.at("by_colour").items, 0U);
}

TEST_P(TableUpkeep, GoesOnWhereItWasAfterARestart) {
  Fill();
  Change("plain", {.add_global_index = kByColour, .ttl_attribute = "leaves"});
  ASSERT_EQ(tables().RunUpkeep(128).value(), static_cast<std::uint64_t>(kItems - 128));
  Restart();
  if (!home_.persistent()) return;
  EXPECT_EQ(Describe("plain").ttl_status, TtlStatus::kEnabling);
  EXPECT_EQ(Describe("plain").indexes.at("by_colour").items, 128U);
  EXPECT_EQ(tables().RunUpkeep(64).value(), static_cast<std::uint64_t>(kItems - 192))
      << "it does not begin again";
  FinishUpkeep();
  EXPECT_EQ(CountOf("red") + CountOf("blue"), static_cast<std::size_t>(kItems));
  EXPECT_EQ(Describe("plain").ttl_status, TtlStatus::kEnabled);
}

TEST_P(TableUpkeep, BeginsAgainWhenTheTableChangesAgain) {
  Fill();
  Change("plain", {.add_global_index = kByColour});
  ASSERT_EQ(tables().RunUpkeep(128).value(), static_cast<std::uint64_t>(kItems - 128));
  Change("plain", {.ttl_attribute = "expires"});
  EXPECT_EQ(tables().RunUpkeep(64).value(), static_cast<std::uint64_t>(kItems - 64));
  FinishUpkeep();
  EXPECT_EQ(CountOf("red"), 150U);
  clock().Advance(10s);
  EXPECT_EQ(CountOf("red"), 0U);
}

TEST_P(TableUpkeep, ForgetsTheJobWithTheTable) {
  Fill(100);
  Change("plain", {.add_global_index = kByColour});
  ASSERT_TRUE(tables().DropTable("plain").has_value());
  EXPECT_EQ(tables().RunUpkeep().value(), 0U);
}

TEST_P(TableUpkeep, SwitchesModesBothWays) {
  Fill(100);
  Change("plain", {.ttl_attribute = "expires"});
  FinishUpkeep();
  Change("plain", {.ttl_mode = TtlMode::kUntilSwept});
  FinishUpkeep();
  clock().Advance(10s);
  EXPECT_EQ(Describe("plain").items, 100U) << "visible until swept";
  EXPECT_EQ(Sweep("plain", 30), 30U);
  EXPECT_EQ(Describe("plain").items, 70U);
  Change("plain", {.ttl_mode = TtlMode::kExact});
  FinishUpkeep();
  EXPECT_EQ(Describe("plain").items, 0U) << "gone at once";
  EXPECT_EQ(Describe("plain").ttl_status, TtlStatus::kEnabled);
}

// Writers write while the upkeep runs: in the end the index has every item in its last state.
TEST_P(TableUpkeep, FillsAnIndexWhileOthersWrite) {
  Fill();
  constexpr int kWriters = 3;
  std::atomic<bool> stop = false;
  std::vector<std::thread> writers;
  for (int w = 0; w < kWriters; ++w) {
    writers.emplace_back([&, w] {
      for (int round = 0; !stop; ++round) {
        const int i = (round * kWriters + w) % kItems;
        if (round % 5 == 0) {
          EXPECT_TRUE(tables().DeleteItem({.table = "plain", .key = Key(i)}).has_value());
        } else {
          const char* colour = round % 2 == 0 ? "green" : "red";
          EXPECT_TRUE(tables()
                          .PutItem({.table = "plain",
                                    .item = {{"id", std::to_string(i)}, {"colour", colour}}})
                          .has_value());
        }
      }
    });
  }
  Change("plain", {.add_global_index = kByColour});
  while (tables().RunUpkeep(16).value() > 0) {
  }
  stop = true;
  for (std::thread& writer : writers) writer.join();
  std::map<std::string, std::size_t> colours;
  for (const Item& item : ScanAll({.table = "plain"})) ++colours[*item.at("colour").string()];
  for (const char* colour : {"red", "blue", "green"}) {
    EXPECT_EQ(CountOf(colour), colours[colour]) << colour;
  }
}

INSTANTIATE_TEST_SUITE_P(Engines, TableUpkeep, AllEngines(), NameOfEngine);

}  // namespace
}  // namespace mayfly

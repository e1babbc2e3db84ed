// Goal: a stream records the changes of its table's items, in order, once, for a day; deaths
// included. Method: on each engine, a manual clock; records are compared as lines.
#include <atomic>
#include <set>
#include <thread>

#include "base/random.h"
#include "tables/table_life.h"

namespace mayfly {
namespace {

using namespace std::chrono_literals;

class TableStreams : public TableLife {
 protected:
  explicit TableStreams(const DatabaseOptions& options = {}) : TableLife(options) {
    TableSpec spec = PlainSpec();
    spec.stream = StreamView::kNewAndOldImages;
    Make(spec);
  }

  void PutNumber(const char* id, std::int64_t n, std::optional<std::int64_t> seconds = {}) {
    Item item = {{"id", id}, {"n", N(n)}};
    if (seconds) item.emplace("expires", SecondsAfterStart(*seconds));
    Put("plain", item);
  }

  void Delete(const char* id) {
    ASSERT_TRUE(tables().DeleteItem({.table = "plain", .key = {{"id", id}}}).has_value());
  }

  // "insert a 1", "modify a 1 2", "remove a 2 ttl".
  static std::string LineOf(const StreamRecord& record) {
    const auto number = [](const std::optional<Item>& image) {
      return image ? " " + image->at("n").number()->text() : std::string();
    };
    static constexpr const char* kKinds[] = {"insert", "modify", "remove"};
    return kKinds[static_cast<int>(record.kind)] + (" " + *record.keys.at("id").string()) +
           number(record.old_image) + number(record.new_image) + (record.by_ttl ? " ttl" : "");
  }

  std::vector<std::string> Lines() {
    std::vector<std::string> lines;
    std::uint64_t last = 0;
    for (const StreamRecord& record : Records("plain")) {
      EXPECT_GT(record.sequence, last);
      last = record.sequence;
      lines.push_back(LineOf(record));
    }
    return lines;
  }
  using Told = std::vector<std::string>;
};

TEST_P(TableStreams, TellWhatWasWritten) {
  PutNumber("a", 1);
  PutNumber("b", 1);
  PutNumber("a", 2);
  PutNumber("a", 2);
  Delete("b");
  Delete("none");
  EXPECT_EQ(Lines(), (Told{"insert a 1", "insert b 1", "modify a 1 2", "remove b 1"}));
  const auto failed = tables().PutItem(
      {.table = "plain", .item = {{"id", "a"}}, .condition = "attribute_not_exists(id)"});
  ASSERT_TRUE(failed.has_value());
  EXPECT_FALSE(failed->written);
  EXPECT_EQ(Lines().size(), 4U);
}

TEST_P(TableStreams, TellDeathsAsDeathsBeforeWhatComesAfter) {
  PutNumber("a", 1, 10);
  PutNumber("b", 1, 10);
  PutNumber("c", 1, 10);
  clock().Advance(10s - 1ms);
  EXPECT_EQ(Lines().size(), 3U);
  clock().Advance(1ms);
  PutNumber("a", 2);  // Over its dead row, which is not purged yet.
  EXPECT_EQ(Get("plain", {{"id", "b"}}), std::nullopt);
  ASSERT_TRUE(database().Purge().has_value());
  Told lines = Lines();
  ASSERT_EQ(lines.size(), 7U);
  EXPECT_EQ(lines[3], "remove a 1 ttl");
  EXPECT_EQ(lines[4], "insert a 2");
  EXPECT_EQ((std::set<std::string>{lines[5], lines[6]}),
            (std::set<std::string>{"remove b 1 ttl", "remove c 1 ttl"}));
  for (const StreamRecord& record : Records("plain")) EXPECT_GT(record.bytes, 0U);
}

TEST_P(TableStreams, TellOfItemsThatWereNeverAlive) {
  PutNumber("a", 1, -5);
  EXPECT_EQ(Lines(), (Told{"insert a 1", "remove a 1 ttl"}));
  PutNumber("a", 2);
  PutNumber("a", 3, -5);
  EXPECT_EQ(Lines(),
            (Told{"insert a 1", "remove a 1 ttl", "insert a 2", "modify a 2 3", "remove a 3 ttl"}));
}

TEST_P(TableStreams, TellSweepsAsDeaths) {
  Change("plain", {.ttl_mode = TtlMode::kUntilSwept});
  PutNumber("a", 1, 10);
  clock().Advance(10s);
  PutNumber("a", 2, 10);
  EXPECT_EQ(Sweep("plain"), 1U);
  EXPECT_EQ(Lines(), (Told{"insert a 1", "modify a 1 2", "remove a 2 ttl"}));
}

TEST_P(TableStreams, TellEachDeathOnceAcrossRestarts) {
  if (!home_.persistent()) return;
  for (int i = 0; i < 200; ++i) PutNumber(("k" + std::to_string(i)).c_str(), i, 10);
  clock().Advance(10s);
  ASSERT_EQ(database().Purge({.rows_max = 50}).value().rows, 50U);
  Restart();  // Before any read.
  EXPECT_EQ(Lines().size(), 250U);
  ASSERT_EQ(database().Purge({.rows_max = 50}).value().rows, 50U);
  EXPECT_EQ(Lines().size(), 300U);
  Restart();
  EXPECT_EQ(Lines().size(), 300U);
  ASSERT_EQ(database().Purge().value().rows, 100U);
  const Told lines = Lines();
  EXPECT_EQ(lines.size(), 400U);
  EXPECT_EQ(std::set<std::string>(lines.begin(), lines.end()).size(), 400U);
}

TEST_P(TableStreams, KeepRecordsForADay) {
  PutNumber("a", 1);
  clock().Advance(1h);
  PutNumber("a", 2);
  const std::string label = Describe("plain").stream_label;
  const StreamDescription before = tables().DescribeStream("plain", label).value();
  clock().Advance(23h - 1ms);
  EXPECT_EQ(Lines().size(), 2U);
  clock().Advance(1ms);
  EXPECT_EQ(Lines(), (Told{"modify a 1 2"}));
  const StreamDescription after = tables().DescribeStream("plain", label).value();
  EXPECT_GT(after.first_sequence, before.first_sequence);
  EXPECT_EQ(after.next_sequence, before.next_sequence);
  clock().Advance(1h);
  EXPECT_TRUE(Lines().empty());
  Restart();
  if (!home_.persistent()) return;
  PutNumber("a", 3);
  EXPECT_EQ(Lines(), (Told{"modify a 2 3"}));
  EXPECT_GE(Records("plain").front().sequence, before.next_sequence)
      << "no sequence is used twice, though none was left to see";
}

TEST_P(TableStreams, CanBeReadInPages) {
  for (int i = 0; i < 10; ++i) PutNumber("a", i);
  const std::string label = Describe("plain").stream_label;
  const StreamDescription described = tables().DescribeStream("plain", label).value();
  EXPECT_EQ(described.table, "plain");
  EXPECT_EQ(described.view, StreamView::kNewAndOldImages);
  EXPECT_EQ(described.key_schema, (Item{{"id", "HASH"}}));
  std::uint64_t next = described.first_sequence;
  std::size_t seen = 0;
  while (true) {
    const auto page = tables().ReadStream("plain", label, next, 3).value();
    if (page.empty()) break;
    seen += page.size();
    next = page.back().sequence + 1;
  }
  EXPECT_EQ(seen, 10U);
  EXPECT_EQ(next, described.next_sequence);
  EXPECT_EQ(CodeOf(tables().ReadStream("plain", "other", 0, 1)), kNotFound);
  EXPECT_EQ(CodeOf(tables().DescribeStream("none", label)), kNotFound);
}

TEST_P(TableStreams, AreReadAMegabyteAtATime) {
  constexpr std::size_t kItemBytes = 300'000;
  for (char id = 'a'; id < 'k'; ++id) {
    Put("plain", {{"id", std::string(1, id)}, {"text", std::string(kItemBytes, 'x')}});
  }
  const std::string label = Describe("plain").stream_label;
  EXPECT_EQ(tables().ReadStream("plain", label, 0, 1000)->size(), 4U);
  EXPECT_EQ(Records("plain").size(), 10U);
}

// A reader that goes on behind the last record learns that the stream has ended.
TEST_P(TableStreams, HaveAnEndWhenTheyEnd) {
  PutNumber("a", 1);
  PutNumber("b", 1);
  const std::string label = Describe("plain").stream_label;
  Change("plain", {.stream = StreamView::kOff});
  clock().Advance(1s);
  Restart();
  const StreamDescription ended = tables().DescribeStream("plain", label).value();
  EXPECT_FALSE(ended.enabled);
  EXPECT_EQ(ended.next_sequence, Records("plain").back().sequence + 1);
}

TEST_P(TableStreams, EndAndBeginAnew) {
  PutNumber("a", 1, 10);
  const std::string first = Describe("plain").stream_label;
  clock().Advance(10s);
  Change("plain", {.stream = StreamView::kOff});
  PutNumber("b", 1, 30);
  EXPECT_EQ(Lines(), (Told{"insert a 1", "remove a 1 ttl"})) << "nothing after its end";
  EXPECT_FALSE(tables().DescribeStream("plain", first)->enabled);
  clock().Advance(20s);  // b dies without a read or purge.
  Change("plain", {.stream = StreamView::kKeysOnly});
  const std::string second = Describe("plain").stream_label;
  EXPECT_NE(first, second);
  PutNumber("c", 1, 40);
  clock().Advance(10s);
  ASSERT_TRUE(database().Purge().has_value());
  EXPECT_EQ(Lines(), (Told{"insert c", "remove c ttl"}));
  EXPECT_EQ(tables().ListStreams("plain")->size(), 2U);
  EXPECT_EQ(tables().ReadStream("plain", first, 0, 10)->size(), 2U);
  EXPECT_EQ(CodeOf(tables().UpdateTable("plain", {.stream = StreamView::kNewImage})), kInvalid);
  clock().Advance(24h);
  FinishUpkeep();
  ASSERT_EQ(tables().ListStreams("plain")->size(), 1U) << "the old one is forgotten";
  EXPECT_EQ(tables().ListStreams()->front().label, second);
}

TEST_P(TableStreams, TellWhatUpkeepEnds) {
  PutNumber("a", 1, 10);
  Change("plain", {.ttl_attribute = ""});
  FinishUpkeep();
  clock().Advance(10s);
  EXPECT_EQ(Lines(), (Told{"insert a 1"})) << "upkeep writes items, but nothing happens to them";
  Change("plain", {.ttl_attribute = "expires"});
  FinishUpkeep();
  EXPECT_EQ(Lines(), (Told{"insert a 1", "remove a 1 ttl"}));
}

TEST_P(TableStreams, TellATransactionInItsOrder) {
  PutNumber("a", 1, 10);
  clock().Advance(10s);
  const auto written = tables().TransactWriteItems(
      {{PutItemRequest{.table = "plain", .item = {{"id", "b"}, {"n", N(1)}}}},
       {PutItemRequest{.table = "plain", .item = {{"id", "a"}, {"n", N(2)}}}}});
  ASSERT_TRUE(written.has_value()) << written.status().ToString();
  EXPECT_EQ(Lines(), (Told{"insert a 1", "remove a 1 ttl", "insert b 1", "insert a 2"}));
}

// Threads write items that die meanwhile, a clock runs, others purge: for each item the records are
// consistent, and end with its current state.
TEST_P(TableStreams, TellStoriesThatMakeSenseWhateverTheTiming) {
  const std::uint64_t seed = FreshSeed();
  SCOPED_TRACE(testing::Message() << "seed " << seed);
  constexpr int kIds = 5;
  constexpr int kWriters = 3;
  std::atomic<int> writing = kWriters;
  std::vector<std::thread> threads;
  for (int w = 0; w < kWriters; ++w) {
    threads.emplace_back([&, w] {
      Random random(seed + static_cast<std::uint64_t>(w));
      for (int i = 0; i < 300; ++i) {
        const Item key = {{"id", "k" + std::to_string(random.Below(kIds))}};
        if (random.OneIn(5)) {
          EXPECT_TRUE(tables().DeleteItem({.table = "plain", .key = key}).has_value());
        } else if (random.OneIn(3)) {  // Keeps the instant.
          EXPECT_TRUE(tables()
                          .UpdateItem({.table = "plain",
                                       .key = key,
                                       .update = "SET n = :n",
                                       .arguments = {.values = {{":n", N(i)}}}})
                          .has_value());
        } else {
          Item item = key;
          item.emplace("n", N(i));
          const std::int64_t ms = ToMs(clock().Now()) + static_cast<std::int64_t>(random.Below(8));
          item.emplace("expires", Number::Parse(std::to_string(ms) + "E-3").value());
          EXPECT_TRUE(tables().PutItem({.table = "plain", .item = item}).has_value());
        }
      }
      --writing;
    });
  }
  threads.emplace_back([&] {
    Random random(seed + 100);
    while (writing > 0) {
      clock().Advance(1ms);
      if (random.OneIn(3)) {
        EXPECT_TRUE(database().Purge().has_value());
      }
      if (random.OneIn(3)) {
        EXPECT_TRUE(tables().RunUpkeep().has_value());
      }
      std::this_thread::yield();
    }
  });
  for (std::thread& thread : threads) thread.join();
  clock().Advance(10ms);  // All that can die is dead.
  ASSERT_TRUE(database().Purge().has_value());
  std::map<std::string, bool> there;
  int deaths = 0;
  for (const StreamRecord& record : Records("plain")) {
    bool& is = there[*record.keys.at("id").string()];
    EXPECT_EQ(is, record.kind != StreamRecord::Kind::kInsert) << LineOf(record);
    is = record.kind != StreamRecord::Kind::kRemove;
    deaths += record.by_ttl ? 1 : 0;
  }
  EXPECT_GT(deaths, 0);
  for (const auto& [id, is] : there) {
    EXPECT_EQ(Get("plain", {{"id", id}}).has_value(), is) << id;
  }
}

INSTANTIATE_TEST_SUITE_P(Engines, TableStreams, AllEngines(), NameOfEngine);

// Reads that do not purge dead rows, so that writes meet them.
class StreamsWithoutPurgingReads : public TableStreams {
 protected:
  StreamsWithoutPurgingReads() : TableStreams(DatabaseOptions{.purge_on_read = false}) {}
};

TEST_P(StreamsWithoutPurgingReads, TellDeathsInOrderAllTheSame) {
  PutNumber("a", 1, 10);
  clock().Advance(10s);
  PutNumber("a", 2, 20);
  clock().Advance(10s);
  Delete("a");
  PutNumber("a", 3);
  EXPECT_EQ(Lines(),
            (Told{"insert a 1", "remove a 1 ttl", "insert a 2", "remove a 2 ttl", "insert a 3"}));
}

INSTANTIATE_TEST_SUITE_P(Engines, StreamsWithoutPurgingReads, AllEngines(), NameOfEngine);

}  // namespace
}  // namespace mayfly

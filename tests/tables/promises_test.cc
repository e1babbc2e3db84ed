// Goal: a table's promise holds for everything an item leaves behind: the item, index entries,
// shadows, images in streams, jobs; and proofs name its keyspaces by the table.
// Method: marks are planted in keys and values, time goes by with a reaper, and all files are
// searched.
#include <algorithm>

#include "core/planted.h"
#include "tables/table_life.h"

namespace mayfly {
namespace {

using namespace std::chrono_literals;

constexpr Millis kPromise = 1h;

class TablePromises : public TableLife {
 protected:
  void TearDown() override {
    reaper_.reset();
    TableLife::TearDown();
  }

  static TableSpec Promising(TtlMode mode = TtlMode::kExact) {
    TableSpec spec = PlainSpec("orders");
    spec.ttl_mode = mode;
    spec.global_indexes = {IndexSpec{.name = "by_city", .partition = {"city", KeyType::kString}}};
    spec.stream = StreamView::kNewAndOldImages;
    spec.purge_within = kPromise;
    return spec;
  }

  void PutMarked(const std::string& mark, std::optional<std::int64_t> seconds = std::nullopt) {
    // clang-format off
    Item item = {
        {"id",   "key-" + mark},
        {"city", "city-" + mark},
        {"text", "value-" + mark}
    };
    // clang-format on
    if (seconds) item.emplace("expires", SecondsAfterStart(*seconds));
    Put("orders", item);
  }

  void StartReaper() {
    auto started = tables().StartReaper({.reap = true, .sweep_every = 1min});
    ASSERT_TRUE(started.has_value()) << started.status().ToString();
    reaper_ = *std::move(started);
  }

  // In small steps, so that the reapers run in each.
  void Live(Millis length) {
    for (const WallTime end = clock().Now() + length; clock().Now() < end;) {
      clock().Advance(std::min<Millis>(1min, end - clock().Now()));
      reaper_->AwaitIdle();
    }
  }

  std::string FilesWith(const std::string& mark) {
    return home_.persistent() ? FileBytes(home_.options().directory).FilesWith(mark) : "";
  }
  Proof Prove(const std::string& find = "") {
    auto proof = database().Prove({.find = find});
    EXPECT_TRUE(proof.has_value()) << proof.status().ToString();
    return proof ? *std::move(proof) : Proof();
  }

  KeyspacePolicy PolicyOf(const std::string& begin) {
    const auto names = database().ListKeyspaces();
    for (const std::string& name : names.value()) {
      if (name.starts_with(begin)) return (*database().OpenKeyspace(name))->policy();
    }
    ADD_FAILURE() << "no keyspace is called " << begin;
    return {};
  }

  std::unique_ptr<TableReaper> reaper_;
};

TEST_P(TablePromises, NothingOfWhatDiedOrWasDeletedIsLeftWhenTheyAreDue) {
  for (const TtlMode mode : {TtlMode::kExact, TtlMode::kUntilSwept}) {
    SCOPED_TRACE(mode == TtlMode::kExact ? "exact" : "until swept");
    Make(Promising(mode));
    StartReaper();
    const std::int64_t base = (clock().Now() - kStart) / 1s;
    PutMarked("MARK-of-the-dead", base + 600);
    PutMarked("MARK-of-the-deleted");
    PutMarked("MARK-of-the-living");
    Live(1min);
    ASSERT_TRUE(tables()
                    .DeleteItem({.table = "orders", .key = {{"id", "key-MARK-of-the-deleted"}}})
                    .has_value());
    EXPECT_GE(Records("orders").size(), 4U);
    Live(10min + kPromise);
    for (const std::string mark : {"MARK-of-the-dead", "MARK-of-the-deleted"}) {
      EXPECT_EQ(FilesWith(mark), "") << mark;
      EXPECT_TRUE(Prove(mark).traces.empty()) << mark;
    }
    EXPECT_EQ(FilesWith("MARK-of-the-living").empty(), !home_.persistent());
    for (const KeyspaceProof& keyspace : Prove().keyspaces)
      EXPECT_TRUE(keyspace.kept) << keyspace.name;
    reaper_.reset();
    ASSERT_TRUE(tables().DropTable("orders").has_value());
  }
}

TEST_P(TablePromises, CoverEveryKeyspaceOfTheTableAndAreKeptWithIt) {
  Make(Promising(TtlMode::kUntilSwept));
  for (int round = 0; round < 2; ++round) {
    EXPECT_EQ(Describe("orders").spec.purge_within, kPromise);
    for (const char* const part : {"items#", "index.by_city#", "shadows#"}) {
      EXPECT_EQ(PolicyOf(std::string("table.orders.") + part).purge_within, kPromise) << part;
    }
    EXPECT_EQ(PolicyOf("table.orders.stream.").purge_within, kPromise / 4);
    EXPECT_EQ(PolicyOf("tables").purge_within, kPromise) << "jobs name keys";
    Restart();
  }
  Change("orders", {.add_global_index = IndexSpec{.name = "by_text", .partition = {"text"}}});
  EXPECT_EQ(PolicyOf("table.orders.index.by_text#").purge_within, kPromise);
  Change("orders", {.purge_within = 2 * kPromise});
  EXPECT_EQ(PolicyOf("table.orders.items#").purge_within, 2 * kPromise);
  Change("orders", {.purge_within = Millis(0)});
  EXPECT_EQ(Describe("orders").spec.purge_within, std::nullopt);
  for (const char* const part :
       {"items#", "index.by_city#", "index.by_text#", "shadows#", "stream."}) {
    EXPECT_EQ(PolicyOf(std::string("table.orders.") + part).purge_within, std::nullopt) << part;
  }
  EXPECT_EQ(PolicyOf("tables").purge_within, std::nullopt);
}

TEST_P(TablePromises, ShortenTheRecordsThatAreThere) {
  TableSpec spec = Promising();
  spec.purge_within = std::nullopt;
  Make(spec);
  PutMarked("one");
  clock().Advance(10h);
  EXPECT_EQ(Records("orders").size(), 1U) << "a day without a promise";
  Change("orders", {.purge_within = kPromise});
  PutMarked("two");
  clock().Advance(kPromise / 4 - 1ms);
  EXPECT_EQ(Records("orders").size(), 2U);
  clock().Advance(1ms);
  EXPECT_EQ(Records("orders").size(), 0U);
  // A longer promise does not make them longer again, in this stream.
  Change("orders", {.purge_within = Millis(0)});
  PutMarked("three");
  Restart();
  PutMarked("four");
  clock().Advance(kPromise / 4 - 1ms);
  EXPECT_EQ(Records("orders").size(), 2U);
  clock().Advance(1ms);
  EXPECT_EQ(Records("orders").size(), 0U);
}

TEST_P(TablePromises, AreNotShorterThanCanBeKept) {
  TableSpec spec = Promising();
  spec.purge_within = 3999ms;
  EXPECT_EQ(
      MessageOf(tables().CreateTable(spec)),
      "purge_within must be at least 4000 ms for a table with a stream, whose records live for a "
      "quarter of it");
  spec.stream = StreamView::kOff;
  EXPECT_TRUE(tables().CreateTable(spec).has_value());
  EXPECT_EQ(CodeOf(tables().UpdateTable("orders", {.stream = StreamView::kKeysOnly})), kInvalid);
  EXPECT_EQ(MessageOf(tables().UpdateTable("orders", {.purge_within = 999ms})),
            "purge_within must be at least 1000 ms");
  EXPECT_EQ(Describe("orders").spec.purge_within, 3999ms);
}

TEST_P(TablePromises, LongNamesMakeNoKeyspaceTooLong) {
  TableSpec spec = Promising();
  spec.name = std::string(255, 't');
  spec.global_indexes[0].name = std::string(255, 'i');
  Make(spec);
  Restart();
  EXPECT_EQ(Describe(spec.name).indexes.size(), 1U);
}

INSTANTIATE_TEST_SUITE_P(Engines, TablePromises, AllEngines(), NameOfEngine);

}  // namespace
}  // namespace mayfly

// Goal: tables are created, described, changed and dropped; they survive restarts, and a crash
// between two steps leaves nothing behind. Method: on each engine, through the public calls;
// keyspaces that a crash would leave are created by hand.
#include <algorithm>

#include "tables/table_life.h"

namespace mayfly {
namespace {

using namespace std::chrono_literals;

class Catalog : public TableLife {
 protected:
  std::vector<std::string> KeyspacesOfTables() {
    std::vector<std::string> found;
    const auto all = database().ListKeyspaces();
    for (const std::string& name : all.value()) {
      if (name.starts_with("table.")) found.push_back(name);
    }
    return found;
  }
};

TEST_P(Catalog, TellsWhatWasMade) {
  const TableSpec spec = PostsSpec();
  const auto made = tables().CreateTable(spec);
  ASSERT_TRUE(made.has_value()) << made.status().ToString();
  EXPECT_EQ(made->spec, spec);
  EXPECT_EQ(made->id.size(), 36U);
  EXPECT_EQ(made->created_at, kStart);
  EXPECT_EQ(made->ttl_status, TtlStatus::kEnabled);
  EXPECT_EQ(made->items, 0U);
  EXPECT_EQ(made->indexes.size(), 2U);
  EXPECT_EQ(made->indexes.at("by_topic").status, IndexStatus::kActive);
  EXPECT_EQ(made->stream_label, "");
  Restart();
  if (!home_.persistent()) return;
  EXPECT_EQ(Describe("posts").spec, spec);
  EXPECT_EQ(Describe("posts").id, made->id);
}

TEST_P(Catalog, CountsLivingItemsExactly) {
  Make(PostsSpec());
  for (int i = 0; i < 300; ++i) {
    Put("posts", {{"user", "u" + std::to_string(i % 7)},
                  {"nr", N(i)},
                  {"score", N(i)},
                  {"topic", i % 2 == 0 ? "even" : "odd"},
                  {"text", std::string(50, 'x')},
                  {"expires", SecondsAfterStart(i < 100 ? 10 : 1000)}});
  }
  TableDescription told = Describe("posts");
  EXPECT_EQ(told.items, 300U);
  EXPECT_EQ(told.indexes.at("by_topic").items, 300U);
  EXPECT_GT(told.bytes, 300U * 80);
  EXPECT_LT(told.bytes, 300U * 120);
  EXPECT_LT(told.indexes.at("by_score").bytes, told.bytes);
  clock().Advance(10s);
  told = Describe("posts");
  EXPECT_EQ(told.items, 200U);
  EXPECT_EQ(told.indexes.at("by_topic").items, 200U);
  EXPECT_EQ(told.indexes.at("by_score").items, 200U);
}

TEST_P(Catalog, KnowsNamesInOrder) {
  for (const char* name : {"ccc", "aaa", "bbb", "ddd"}) Make(PlainSpec(name));
  EXPECT_EQ(*tables().ListTables(), (std::vector<std::string>{"aaa", "bbb", "ccc", "ddd"}));
  EXPECT_EQ(*tables().ListTables("aaa", 2), (std::vector<std::string>{"bbb", "ccc"}));
  EXPECT_EQ(*tables().ListTables("ddd"), std::vector<std::string>());
}

TEST_P(Catalog, RefusesWhatCannotBe) {
  Make(PlainSpec());
  const auto twice = tables().CreateTable(PlainSpec());
  EXPECT_EQ(CodeOf(twice), kBusy);
  EXPECT_EQ(MessageOf(twice), "Table already exists: plain");
  EXPECT_EQ(CodeOf(tables().CreateTable({.name = "x", .partition = {"id"}})), kInvalid);
  const auto none = tables().DescribeTable("none");
  EXPECT_EQ(CodeOf(none), kNotFound);
  EXPECT_EQ(MessageOf(none), "Requested resource not found: Table: none not found");
  EXPECT_EQ(CodeOf(tables().DropTable("none")), kNotFound);
  EXPECT_EQ(CodeOf(tables().UpdateTable("none", {})), kNotFound);
  EXPECT_EQ(CodeOf(tables().UpdateTable("plain", {.drop_global_index = "none"})), kNotFound);
  const IndexSpec wrong = {.name = "idx", .partition = {"id", KeyType::kNumber}};
  EXPECT_EQ(CodeOf(tables().UpdateTable("plain", {.add_global_index = wrong})), kInvalid)
      << "a key has one type";
  EXPECT_EQ(KeyspacesOfTables().size(), 1U) << "nothing was made for what was refused";
}

TEST_P(Catalog, DropsATableWithAllThatIsItsOwn) {
  TableSpec spec = PostsSpec(TtlMode::kUntilSwept);
  spec.stream = StreamView::kKeysOnly;
  Make(spec);
  Make(PlainSpec());
  Put("posts", {{"user", "u"}, {"nr", N(1)}});
  const std::string id = Describe("posts").id;
  EXPECT_EQ(KeyspacesOfTables().size(), 1U + 1 + 2 + 1 + 1);
  const auto dropped = tables().DropTable("posts");
  ASSERT_TRUE(dropped.has_value()) << dropped.status().ToString();
  EXPECT_EQ(dropped->id, id);
  EXPECT_EQ(dropped->items, 1U);
  EXPECT_EQ(KeyspacesOfTables().size(), 1U);
  EXPECT_EQ(CodeOf(tables().GetItem({.table = "posts", .key = {{"user", "u"}, {"nr", N(1)}}})),
            kNotFound);
  EXPECT_TRUE(tables().ListStreams()->empty());
  EXPECT_EQ(database().OpenKeyspace("tables").value()->Count().value(), 1U)
      << "the description of the other one is all there is";
  Make(spec);
  EXPECT_NE(Describe("posts").id, id);
  EXPECT_EQ(Describe("posts").items, 0U);
}

TEST_P(Catalog, KeepsNotesAndSchemas) {
  Make(PlainSpec());
  TableChange change;
  change.notes = std::map<std::string, std::string>{{"billing", "PROVISIONED"}};
  change.schemas = std::vector<PartitionSchema>{
      {.prefix = "u#", .attributes = {{.name = "n", .type = AttributeType::kNumber}}}};
  Change("plain", change);
  Restart();
  if (!home_.persistent()) return;
  EXPECT_EQ(Describe("plain").spec.notes.at("billing"), "PROVISIONED");
  EXPECT_EQ(Describe("plain").spec.schemas, *change.schemas);
}

TEST_P(Catalog, DropsWhatACrashLeftBehind) {
  Make(PlainSpec());
  Put("plain", {{"id", "1"}});
  const std::string id = Describe("plain").id;
  tables_.reset();
  // A table that was being created, an index that was being created or dropped; and two unrelated
  // ones.
  for (const char* name :
       {"table.gone.items#00000000-0000-4000-8000-000000000000", "table.of.contents", "tables2"}) {
    ASSERT_TRUE(database().CreateKeyspace(name).has_value());
  }
  ASSERT_TRUE(database().CreateKeyspace("table.plain.index.idx#" + id + ".7").has_value());
  OpenTables();
  EXPECT_EQ(KeyspacesOfTables(),
            (std::vector<std::string>{"table.of.contents", "table.plain.items#" + id}));
  EXPECT_TRUE(database().OpenKeyspace("tables2").has_value());
  EXPECT_EQ(Describe("plain").items, 1U);
}

TEST_P(Catalog, SaysWhatIsDamaged) {
  Make(PlainSpec());
  tables_.reset();
  const auto rows = database().OpenKeyspace("tables").value();
  const std::string good = rows->Get("table/plain").value();
  ASSERT_TRUE(rows->Put("table/plain", good.substr(0, good.size() - 1)).ok());
  EXPECT_EQ(CodeOf(Tables::Open(database())), kCorruption);
  ASSERT_TRUE(rows->Put("table/other", good).ok());
  ASSERT_TRUE(rows->Put("table/plain", good).ok());
  EXPECT_EQ(CodeOf(Tables::Open(database())), kCorruption) << "under another name";
  ASSERT_TRUE(rows->Delete("table/other").has_value());
  OpenTables();
  EXPECT_EQ(Describe("plain").spec, PlainSpec());
}

TEST_P(Catalog, OpensOncePerDatabase) {
  Make(PlainSpec());
  const auto second = Tables::Open(database());
  EXPECT_EQ(CodeOf(second), kBusy);
  EXPECT_NE(MessageOf(second).find("let it go first"), std::string::npos) << MessageOf(second);
  tables_.reset();
  OpenTables();
  EXPECT_EQ(CodeOf(Tables::Open(database())), kBusy) << "a refusal took the claim away";
  EXPECT_EQ(Describe("plain").items, 0U);
}

TEST_P(Catalog, CanBeOpenedAfterAnOpenThatFailed) {
  tables_.reset();
  const auto rows = database().OpenKeyspace("tables").value();
  ASSERT_TRUE(rows->Put("table/plain", "damaged").ok());
  EXPECT_NE(CodeOf(Tables::Open(database())), kOk);
  ASSERT_TRUE(rows->Delete("table/plain").has_value());
  OpenTables();
}

TEST_P(Catalog, ServesThoseWhoOnlyRead) {
  if (!home_.persistent()) return;
  Make(PlainSpec());
  Put("plain", {{"id", "1"}});
  tables_.reset();
  home_.options().read_only = true;
  home_.Reopen();
  OpenTables();
  EXPECT_TRUE(Get("plain", {{"id", "1"}}).has_value());
  EXPECT_EQ(CodeOf(tables().CreateTable(PlainSpec("other"))), kReadOnly);
  EXPECT_EQ(CodeOf(tables().PutItem({.table = "plain", .item = {{"id", "2"}}})), kReadOnly);
}

INSTANTIATE_TEST_SUITE_P(Engines, Catalog, AllEngines(), NameOfEngine);

}  // namespace
}  // namespace mayfly

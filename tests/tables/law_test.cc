// Goal: an item is visible to every call before its instant, and to none from it on, purged or not,
// through the table and both kinds of index.
// Method: each call on a fresh table one millisecond before, at and after the instant; a call
// returns whether it saw the item.
#include <functional>
#include <map>

#include "tables/tables_home.h"

namespace mayfly {
namespace {

using namespace std::chrono_literals;
// On a table created for it alone, with the item in it; returns whether the item was visible.
using Sees = std::function<bool(Tables&, const std::string& posts)>;

const Item kKey = {{"user", "mortal"}, {"nr", N(1)}};
// clang-format off
const Item kItem = {
    {"user",    "mortal"},
    {"nr",      N(1)},
    {"topic",   "t"},
    {"score",   N(5)},
    {"title",   "old"},
    {"expires", SecondsAfterStart(100)}
};
const Item kFile = {
    {"id",      "mortal"},
    {"path",    "a/b"},
    {"expires", SecondsAfterStart(100)}
};
// clang-format on

QueryRequest OnTable(const std::string& posts) {
  return {.table = posts,
          .key_condition = "#u = :u",
          .arguments = {.names = {{"#u", "user"}}, .values = {{":u", "mortal"}}}};
}
QueryRequest OnGlobal(const std::string& posts) {
  return {.table = posts,
          .index = "by_topic",
          .key_condition = "topic = :t",
          .arguments = {.values = {{":t", "t"}}}};
}
QueryRequest OnLocal(const std::string& posts) {
  QueryRequest request = OnTable(posts);
  request.index = "by_score";
  return request;
}

Sees Queries(QueryRequest request) {
  return [request](Tables& tables, const std::string& posts) mutable {
    request.table = posts;
    return tables.Query(request).value().scanned == 1;
  };
}
Sees Scans(ScanRequest request) {
  return [request](Tables& tables, const std::string& posts) mutable {
    request.table = posts;
    return tables.Scan(request).value().scanned == 1;
  };
}
Sees Counts(ScanRequest request) {
  request.count_only = true;
  return [request](Tables& tables, const std::string& posts) mutable {
    request.table = posts;
    return tables.Scan(request).value().count == 1;
  };
}
// A put that wants a title, or none; it sees the item if the first is written.
Sees Puts(const std::string& condition, bool seen_if_written) {
  return [=](Tables& tables, const std::string& posts) {
    const auto put = tables.PutItem({.table = posts, .item = kKey, .condition = condition});
    return put.value().written == seen_if_written;
  };
}
Sees Transacts(const std::string& condition, bool seen_if_written) {
  return [=](Tables& tables, const std::string& posts) {
    const ConditionCheck check = {.table = posts, .key = kKey, .condition = condition};
    const PutItemRequest put = {.table = posts, .item = {{"user", "other"}, {"nr", N(1)}}};
    return tables.TransactWriteItems({{check}, {put}}).value().written == seen_if_written;
  };
}
UpdateItemRequest Update(const std::string& posts, ReturnValues return_values) {
  return {.table = posts,
          .key = kKey,
          .update = "ADD likes :one",
          .arguments = {.values = {{":one", N(1)}}},
          .return_values = return_values};
}

std::map<std::string, Sees> ReadCases() {
  QueryRequest filtered = OnTable({});
  filtered.filter = "title = :old";
  filtered.arguments.values[":old"] = "old";
  QueryRequest fetched = OnLocal({});
  fetched.projection = "title";
  QueryRequest backwards = OnGlobal({});
  backwards.forward = false;
  std::map<std::string, Sees> cases;
  cases["get"] = [](Tables& t, const std::string& posts) {
    return t.GetItem({.table = posts, .key = kKey}).value().item == kItem;
  };
  cases["version"] = [](Tables& t, const std::string& posts) {
    return t.GetItem({.table = posts, .key = kKey}).value().version > 0;
  };
  cases["batch get"] = [](Tables& t, const std::string& posts) {
    return t.BatchGetItem({{.table = posts, .key = kKey}}).value()[0].item.has_value();
  };
  cases["transact get"] = [](Tables& t, const std::string& posts) {
    return t.TransactGetItems({{.table = posts, .key = kKey}}).value()[0].item.has_value();
  };
  cases["query table"] = Queries(OnTable({}));
  cases["query global"] = Queries(OnGlobal({}));
  cases["query global backwards"] = Queries(backwards);
  cases["query local"] = Queries(OnLocal({}));
  cases["query local and fetch"] = Queries(fetched);
  cases["query and filter"] = Queries(filtered);
  cases["scan table"] = Scans({.table = {}});
  cases["scan global"] = Scans({.table = {}, .index = "by_topic"});
  cases["scan local"] = Scans({.table = {}, .index = "by_score"});
  cases["count table"] = Counts({.table = {}});
  cases["count global"] = Counts({.table = {}, .index = "by_topic"});
  cases["partition keys"] = [](Tables& t, const std::string& posts) {
    return t.ListPartitionKeys(posts).value().size() == 1;
  };
  cases["sort key prefixes"] = [](Tables& t, const std::string&) {
    return t.ListSortKeyPrefixes("files", "mortal", "/").value().size() == 1;
  };
  cases["get ttl"] = [](Tables& t, const std::string& posts) {
    return t.GetTtl(posts, kKey).has_value();
  };
  cases["describe"] = [](Tables& t, const std::string& posts) {
    return t.DescribeTable(posts).value().items == 1;
  };
  cases["describe index"] = [](Tables& t, const std::string& posts) {
    return t.DescribeTable(posts).value().indexes.at("by_topic").items == 1;
  };
  return cases;
}

// NOLINTNEXTLINE(readability-function-size): a list.
std::map<std::string, Sees> WriteCases() {
  std::map<std::string, Sees> cases;
  cases["put if there"] = Puts("attribute_exists(title)", true);
  cases["put if not there"] = Puts("attribute_not_exists(title)", false);
  cases["put and show"] = [](Tables& t, const std::string& posts) {
    return t.PutItem({.table = posts, .item = kKey, .return_values = ReturnValues::kAllOld})
        .value()
        .attributes.has_value();
  };
  cases["put where none is"] = [](Tables& t, const std::string& posts) {
    return !t.PutItem({.table = posts, .item = kKey, .expected_version = 0}).value().written;
  };
  cases["refused put shows"] = [](Tables& t, const std::string& posts) {
    return t
        .PutItem({.table = posts,
                  .item = kKey,
                  .condition = "attribute_exists(nothing)",
                  .on_failure = OnFailure::kAllOld})
        .value()
        .attributes.has_value();
  };
  cases["update keeps the rest"] = [](Tables& t, const std::string& posts) {
    return t.UpdateItem(Update(posts, ReturnValues::kAllNew)).value().attributes->contains("title");
  };
  cases["update shows the old"] = [](Tables& t, const std::string& posts) {
    return t.UpdateItem(Update(posts, ReturnValues::kAllOld)).value().attributes.has_value();
  };
  cases["delete shows the old"] = [](Tables& t, const std::string& posts) {
    return t.DeleteItem({.table = posts, .key = kKey, .return_values = ReturnValues::kAllOld})
        .value()
        .attributes.has_value();
  };
  cases["delete if there"] = [](Tables& t, const std::string& posts) {
    return t.DeleteItem({.table = posts, .key = kKey, .condition = "attribute_exists(title)"})
        .value()
        .written;
  };
  cases["batch delete"] = [](Tables& t, const std::string& posts) {
    const DeleteItemRequest gone = {
        .table = posts, .key = kKey, .return_values = ReturnValues::kAllOld};
    return t.BatchWriteItem({gone}).value()[0].attributes.has_value();
  };
  cases["transaction if there"] = Transacts("attribute_exists(title)", true);
  cases["transaction if not there"] = Transacts("attribute_not_exists(title)", false);
  cases["set ttl"] = [](Tables& t, const std::string& posts) {
    return t.SetTtl(posts, kKey, 1h).ok();
  };
  cases["remove ttl"] = [](Tables& t, const std::string& posts) {
    return t.RemoveTtl(posts, kKey).has_value();
  };
  cases["beside a new entry of the index"] = [](Tables& t, const std::string& posts) {
    // clang-format off
    const Item other = {
        {"user",  "mortal"},
        {"nr",    N(2)},
        {"topic", "t"},
        {"score", N(5)}
    };
    // clang-format on
    EXPECT_TRUE(t.PutItem({.table = posts, .item = other}).has_value());
    return t.Query(OnGlobal(posts)).value().scanned == 2;
  };
  return cases;
}

class TablesLaw : public EachTables {};

void Try(EngineKind kind, const std::map<std::string, Sees>& cases, Millis off, bool purged) {
  DatabaseHome home(kind);
  {
    const auto tables = *Tables::Open(home.database());
    TableSpec files = PlainSpec("files");
    files.sort = KeyAttribute{"path", KeyType::kString};
    ASSERT_TRUE(tables->CreateTable(files).has_value());
    ASSERT_TRUE(tables->PutItem({.table = "files", .item = kFile}).has_value());
    TableSpec posts = PostsSpec();
    for (std::size_t i = 0; i < cases.size(); ++i) {
      posts.name = "posts" + std::to_string(i);
      ASSERT_TRUE(tables->CreateTable(posts).has_value());
      ASSERT_TRUE(tables->PutItem({.table = posts.name, .item = kItem}).has_value());
    }
    home.clock().Advance(100s + off);
    if (purged) {
      ASSERT_TRUE(home.database().Purge().has_value());
    }
    std::size_t i = 0;
    for (const auto& [name, sees] : cases) {
      EXPECT_EQ(sees(*tables, "posts" + std::to_string(i++)), off < 0ms)
          << name << (purged ? ", purged, " : ", ") << off.count() << " ms from the instant";
    }
  }
  home.ExpectClean();
}

TEST_P(TablesLaw, HoldsForReads) {
  for (const Millis off : {-1ms, 0ms, 1ms}) {
    for (const bool purged : {false, true}) Try(GetParam(), ReadCases(), off, purged);
  }
}

TEST_P(TablesLaw, HoldsForWrites) {
  for (const Millis off : {-1ms, 0ms, 1ms}) {
    for (const bool purged : {false, true}) Try(GetParam(), WriteCases(), off, purged);
  }
}

// A put over a dead item that was not purged is an insert: nothing of the old one shows.
TEST_P(TablesLaw, APutOverADeadItemIsAnInsert) {
  Make(PostsSpec());
  Put("posts", kItem);
  clock().Advance(100s);
  Item item = kItem;
  item["expires"] = SecondsAfterStart(200);
  item["topic"] = "u";
  const auto put =
      tables().PutItem({.table = "posts", .item = item, .return_values = ReturnValues::kAllOld});
  EXPECT_EQ(put.value().attributes, std::nullopt);
  EXPECT_EQ(ScanAll({.table = "posts", .index = "by_topic"}).size(), 1U);
  EXPECT_TRUE(QueryAll(OnGlobal("posts")).empty());
  ASSERT_TRUE(database().Purge().has_value());
  EXPECT_EQ(Get("posts", kKey), item);
  EXPECT_EQ(QueryAll(OnLocal("posts")).size(), 1U);
  clock().Advance(100s);
  EXPECT_EQ(Get("posts", kKey), std::nullopt);
  EXPECT_TRUE(ScanAll({.table = "posts", .index = "by_topic"}).empty());
  EXPECT_TRUE(ScanAll({.table = "posts", .index = "by_score"}).empty());
}

INSTANTIATE_TEST_SUITE_P(Engines, TablesLaw, AllEngines(), NameOfEngine);

}  // namespace
}  // namespace mayfly

// Goal: Query and Scan on a table and on both kinds of index: ranges, directions, filters,
// projections, pages. Method: a small table on each engine, read in every way.
#include "tables/tables_home.h"

namespace mayfly {
namespace {

class TableQueries : public EachTables {
 protected:
  // Posts at 10, 20, ... 90, whose scores go down; those at odd tens are about "odd".
  TableQueries() {
    Make(PostsSpec());
    for (std::int64_t at = 10; at <= 90; at += 10) {
      Put("posts", {{"user", "alice"},
                    {"nr", N(at)},
                    {"topic", at / 10 % 2 == 1 ? "odd" : "even"},
                    {"score", N(100 - at)},
                    {"title", "t" + std::to_string(at)},
                    {"body", "b" + std::to_string(at)}});
    }
    Put("posts", {{"user", "bob"}, {"nr", N(50)}, {"topic", "odd"}, {"score", N(50)}});
    Put("posts", {{"user", "carol"}, {"nr", N(50)}});
  }

  static QueryRequest Alice(const std::string& sort = {}, const Item& values = {}) {
    QueryRequest request = {.table = "posts", .key_condition = "#u = :u"};
    if (!sort.empty()) request.key_condition += " AND " + sort;
    request.arguments.names = {{"#u", "user"}};
    request.arguments.values = {{":u", "alice"}};
    for (const auto& [name, value] : values) request.arguments.values[name] = value;
    return request;
  }

  static QueryRequest Topic(const std::string& topic) {
    return {.table = "posts",
            .index = "by_topic",
            .key_condition = "topic = :t",
            .arguments = {.values = {{":t", topic}}}};
  }

  std::vector<std::int64_t> AtOf(const std::vector<Item>& items) {
    std::vector<std::int64_t> at;
    for (const Item& item : items) at.push_back(std::stoll(item.at("nr").number()->text()));
    return at;
  }
  std::vector<std::int64_t> At(const QueryRequest& request) { return AtOf(QueryAll(request)); }
};

using Numbers = std::vector<std::int64_t>;

TEST_P(TableQueries, RangesOfSortKeys) {
  EXPECT_EQ(At(Alice()), (Numbers{10, 20, 30, 40, 50, 60, 70, 80, 90}));
  EXPECT_EQ(At(Alice("nr = :x", {{":x", N(30)}})), (Numbers{30}));
  EXPECT_EQ(At(Alice("nr = :x", {{":x", N(31)}})), (Numbers{}));
  EXPECT_EQ(At(Alice("nr < :x", {{":x", N(30)}})), (Numbers{10, 20}));
  EXPECT_EQ(At(Alice("nr <= :x", {{":x", N(30)}})), (Numbers{10, 20, 30}));
  EXPECT_EQ(At(Alice("nr > :x", {{":x", N(80)}})), (Numbers{90}));
  EXPECT_EQ(At(Alice("nr >= :x", {{":x", N(80)}})), (Numbers{80, 90}));
  EXPECT_EQ(At(Alice("nr BETWEEN :x AND :y", {{":x", N(20)}, {":y", N(40)}})),
            (Numbers{20, 30, 40}));
}

TEST_P(TableQueries, GoBothWays) {
  QueryRequest request = Alice("nr > :x", {{":x", N(60)}});
  request.forward = false;
  EXPECT_EQ(At(request), (Numbers{90, 80, 70}));
}

TEST_P(TableQueries, ALimitEndsAPage) {
  QueryRequest request = Alice();
  request.limit = 4;
  const auto page = tables().Query(request);
  EXPECT_EQ(AtOf(page->items), (Numbers{10, 20, 30, 40}));
  EXPECT_EQ(page->last_key, (Item{{"user", "alice"}, {"nr", N(40)}}));
  EXPECT_EQ(page->scanned, 4U);
  request.limit = 0;
  EXPECT_EQ(CodeOf(tables().Query(request)), kInvalid);
}

TEST_P(TableQueries, APageGoesOnBehindAnItemThatIsGone) {
  QueryRequest request = Alice();
  request.start_after = Item{{"user", "alice"}, {"nr", N(55)}};
  EXPECT_EQ(At(request), (Numbers{60, 70, 80, 90}));
  request.forward = false;
  EXPECT_EQ(At(request), (Numbers{50, 40, 30, 20, 10}));
}

TEST_P(TableQueries, AStartingKeyIsChecked) {
  QueryRequest request = Alice("nr > :x", {{":x", N(50)}});
  request.start_after = Item{{"user", "alice"}};
  EXPECT_EQ(MessageOf(tables().Query(request)), "The provided starting key is invalid");
  request.start_after = Item{{"user", "bob"}, {"nr", N(60)}};
  EXPECT_EQ(MessageOf(tables().Query(request)),
            "The provided starting key is outside query boundaries based on provided conditions");
  request.start_after = Item{{"user", "alice"}, {"nr", N(50)}};
  EXPECT_EQ(MessageOf(tables().Query(request)),
            "The provided starting key does not match the range key predicate");
}

TEST_P(TableQueries, AFilterCountsAfterTheLimit) {
  QueryRequest request = Alice();
  request.filter = "topic = :t";
  request.arguments.values[":t"] = "odd";
  request.limit = 4;
  const auto page = tables().Query(request);
  EXPECT_EQ(AtOf(page->items), (Numbers{10, 30}));
  EXPECT_EQ(page->count, 2U);
  EXPECT_EQ(page->scanned, 4U);
  request.count_only = true;
  const auto counted = tables().Query(request);
  EXPECT_TRUE(counted->items.empty());
  EXPECT_EQ(counted->count, 2U);
  request.filter = "nr > :t";
  EXPECT_EQ(MessageOf(tables().Query(request)),
            "Filter Expression can only contain non-primary key attributes: Primary key attribute: "
            "nr");
}

TEST_P(TableQueries, AProjectionShowsItsPart) {
  QueryRequest request = Alice("nr = :x", {{":x", N(10)}});
  request.projection = "title";
  EXPECT_EQ(QueryAll(request), (std::vector<Item>{{{"title", "t10"}}}));
}

TEST_P(TableQueries, AGlobalIndexOffersWhatItProjects) {
  const std::vector<Item> even = QueryAll(Topic("even"));
  EXPECT_EQ(AtOf(even), (Numbers{80, 60, 40, 20})) << "by score";
  EXPECT_EQ(even.front(), (Item{{"user", "alice"},
                                {"nr", N(80)},
                                {"topic", "even"},
                                {"score", N(20)},
                                {"title", "t80"}}));
  QueryRequest request = Topic("even");
  request.projection = "body";
  EXPECT_EQ(MessageOf(tables().Query(request)),
            "One or more parameter values were invalid: Global secondary index by_topic does not "
            "project [body]");
  request = Topic("even");
  request.consistent = true;
  EXPECT_EQ(MessageOf(tables().Query(request)),
            "Consistent reads are not supported on global secondary indexes");
  request = Topic("even");
  request.all_attributes = true;
  EXPECT_EQ(CodeOf(tables().Query(request)), kInvalid);
}

TEST_P(TableQueries, AGlobalIndexHasEqualKeysOfSeveralItems) {
  QueryRequest request = Topic("odd");
  request.key_condition += " AND score = :s";
  request.arguments.values[":s"] = N(50);
  EXPECT_EQ(QueryAll(request).size(), 2U) << "alice's and bob's";
  request.limit = 1;
  EXPECT_EQ(QueryAll(request).size(), 2U) << "page by page";
  request.forward = false;
  EXPECT_EQ(QueryAll(request).size(), 2U);
}

TEST_P(TableQueries, ALocalIndexFetchesWhatItLacks) {
  QueryRequest request = Alice("score < :s", {{":s", N(30)}});
  request.index = "by_score";
  request.consistent = true;
  EXPECT_EQ(QueryAll(request),
            (std::vector<Item>{{{"user", "alice"}, {"nr", N(90)}, {"score", N(10)}},
                               {{"user", "alice"}, {"nr", N(80)}, {"score", N(20)}}}));
  request.projection = "body";
  EXPECT_EQ(QueryAll(request), (std::vector<Item>{{{"body", "b90"}}, {{"body", "b80"}}}));
  request.projection.clear();
  request.filter = "body = :b";
  request.arguments.values[":b"] = "b80";
  EXPECT_EQ(At(request), (Numbers{80}));
  request.filter.clear();
  request.arguments.values.erase(":b");
  request.all_attributes = true;
  EXPECT_EQ(QueryAll(request).front().at("body"), AttributeValue("b90"));
}

TEST_P(TableQueries, IndexesAreNamed) {
  QueryRequest request = Topic("odd");
  request.index = "by_nothing";
  EXPECT_EQ(MessageOf(tables().Query(request)),
            "The table does not have the specified index: by_nothing");
}

TEST_P(TableQueries, AnIndexThatIsBeingMadeCannotBeRead) {
  ASSERT_TRUE(tables()
                  .UpdateTable("posts", {.add_global_index =
                                             IndexSpec{.name = "by_title",
                                                       .partition = {"title", KeyType::kString}}})
                  .has_value());
  const QueryRequest request = {.table = "posts",
                                .index = "by_title",
                                .key_condition = "title = :t",
                                .arguments = {.values = {{":t", "t10"}}}};
  EXPECT_EQ(MessageOf(tables().Query(request)),
            "Cannot read from backfilling global secondary index: by_title");
  EXPECT_EQ(CodeOf(tables().Scan({.table = "posts", .index = "by_title"})), kInvalid);
  ASSERT_TRUE(tables().RunUpkeep().has_value());
  EXPECT_EQ(At(request), (Numbers{10}));
}

TEST_P(TableQueries, AScanSeesAll) {
  EXPECT_EQ(ScanAll({.table = "posts"}).size(), 11U);
  EXPECT_EQ(ScanAll({.table = "posts", .index = "by_topic"}).size(), 10U) << "carol's has no topic";
  EXPECT_EQ(ScanAll({.table = "posts", .index = "by_score"}).size(), 10U);
  ScanRequest filtered = {
      .table = "posts", .filter = "nr = :x", .arguments = {.values = {{":x", N(50)}}}};
  EXPECT_EQ(ScanAll(filtered).size(), 3U);
  filtered.count_only = true;
  EXPECT_EQ(tables().Scan(filtered)->count, 3U);
  EXPECT_EQ(tables().Scan(filtered)->scanned, 11U);
}

TEST_P(TableQueries, SegmentsAreTheTable) {
  for (const std::uint32_t segments : {1U, 2U, 3U, 7U, 100'000U}) {
    std::multiset<std::string> users;
    for (std::uint32_t i = 0; i < segments; ++i) {
      const auto page = tables().Scan({.table = "posts", .segment = i, .segments = segments});
      ASSERT_TRUE(page.has_value()) << page.status().ToString();
      for (const Item& item : page->items) users.insert(*item.at("user").string());
      if (segments == 100'000U && users.size() == 11U) break;
    }
    EXPECT_EQ(users.size(), 11U) << segments;
  }
  EXPECT_EQ(CodeOf(tables().Scan({.table = "posts", .segment = 2, .segments = 2})), kInvalid);
  EXPECT_EQ(CodeOf(tables().Scan({.table = "posts", .segments = 0})), kInvalid);
  EXPECT_EQ(CodeOf(tables().Scan({.table = "posts", .segments = 1'000'001})), kInvalid);
}

TEST_P(TableQueries, AScanGoesOnInItsSegment) {
  const Item alice = {{"user", "alice"}, {"nr", N(10)}};
  int refused = 0;
  for (std::uint32_t i = 0; i < 2; ++i) {
    const auto page =
        tables().Scan({.table = "posts", .start_after = alice, .segment = i, .segments = 2});
    if (!page) {
      ++refused;
      EXPECT_TRUE(
          MessageOf(page).starts_with("The provided starting key is invalid: Invalid "
                                      "ExclusiveStartKey."))
          << MessageOf(page);
    }
  }
  EXPECT_EQ(refused, 1);
  EXPECT_EQ(CodeOf(tables().Scan({.table = "posts", .start_after = Item{{"user", "alice"}}})),
            kInvalid);
}

TEST_P(TableQueries, APageEndsAfterAMegabyte) {
  Make(PlainSpec());
  for (int i = 0; i < 8; ++i) {
    Put("plain", {{"id", std::to_string(i)}, {"x", std::string(300'000, 'x')}});
  }
  const auto page = tables().Scan({.table = "plain"});
  EXPECT_EQ(page->items.size(), 4U);
  EXPECT_TRUE(page->last_key.has_value());
  EXPECT_GE(page->bytes, 1U << 20);
  EXPECT_EQ(ScanAll({.table = "plain"}).size(), 8U);
}

TEST_P(TableQueries, PartitionKeysAreListedOnce) {
  const auto all = tables().ListPartitionKeys("posts");
  ASSERT_TRUE(all.has_value()) << all.status().ToString();
  ASSERT_EQ(all->size(), 3U);
  std::vector<AttributeValue> one_by_one;
  std::optional<AttributeValue> after;
  for (;;) {
    const auto next = tables().ListPartitionKeys("posts", after, 1);
    ASSERT_TRUE(next.has_value());
    if (next->empty()) break;
    one_by_one.push_back(next->front());
    after = next->front();
  }
  EXPECT_EQ(one_by_one, *all);
  EXPECT_EQ(CodeOf(tables().ListPartitionKeys("posts", AttributeValue(N(1)))), kInvalid);
}

TEST_P(TableQueries, SortKeyPrefixesAreFolders) {
  TableSpec spec = PlainSpec("files");
  spec.sort = KeyAttribute{"path", KeyType::kString};
  Make(spec);
  for (const char* path : {"a", "a!b", "a/1", "a/2/x", "a/2/y", "b/1", "c", "d\xff/1"}) {
    Put("files", {{"id", "disk"}, {"path", path}});
  }
  Put("files", {{"id", "other"}, {"path", "z/1"}});
  const auto list = [&](const std::string& delimiter, const std::string& prefix,
                        std::size_t prefixes_max = 1000) {
    return tables()
        .ListSortKeyPrefixes("files", "disk", delimiter, prefix, prefixes_max)
        .value_or(std::vector<std::string>{"error"});
  };
  using Texts = std::vector<std::string>;
  EXPECT_EQ(list("/", ""), (Texts{"a", "a!b", "b", "c", "d\xff"}));
  EXPECT_EQ(list("/", "a/"), (Texts{"a/1", "a/2"}));
  EXPECT_EQ(list("/", "a/2/"), (Texts{"a/2/x", "a/2/y"}));
  EXPECT_EQ(list("/", "", 2), (Texts{"a", "a!b"}));
  EXPECT_EQ(list("/", "x"), (Texts{}));
  EXPECT_EQ(CodeOf(tables().ListSortKeyPrefixes("files", "disk", "")), kInvalid);
  EXPECT_EQ(CodeOf(tables().ListSortKeyPrefixes("posts", "alice", "/")), kInvalid);
}

INSTANTIATE_TEST_SUITE_P(Engines, TableQueries, AllEngines(), NameOfEngine);

}  // namespace
}  // namespace mayfly

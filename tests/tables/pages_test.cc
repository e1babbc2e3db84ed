// Goal: pages of any limit, in both directions, give everything once and in order; also when items
// are deleted between them. Method: random items; every query page by page and in one page.
#include <iostream>

#include "tables/random_posts.h"

namespace mayfly {
namespace {

class TablePages : public EachTables {
 protected:
  TablePages() : seed_(PlaySeed()), posts_(seed_) {
    std::cout << "MAYFLY_SEED=" << seed_ << "\n";
    Make(PostsSpec());
    for (int i = 0; i < 60; ++i) {
      Item item = posts_.Post(clock().Now());
      item.erase("expires");
      Put("posts", item);
    }
  }

  std::vector<QueryRequest> Queries() {
    std::vector<QueryRequest> queries;
    for (int i = 0; i < 4; ++i) {
      QueryRequest request = {.table = "posts", .key_condition = "#u = :u"};
      request.arguments.names = {{"#u", "user"}};
      request.arguments.values = {{":u", "u" + std::to_string(i)}};
      queries.push_back(request);
      request.index = "by_score";
      queries.push_back(request);
      request.projection = "body, #u, nr";
      queries.push_back(request);
    }
    for (int i = 0; i < 3; ++i) {
      QueryRequest request = {.table = "posts", .index = "by_topic", .key_condition = "topic = :t"};
      request.arguments.values = {{":t", "t" + std::to_string(i)}};
      queries.push_back(request);
      request.key_condition += " AND score >= :s";
      request.arguments.values[":s"] = N(0);
      queries.push_back(request);
      request.filter = "attribute_exists(title)";
      queries.push_back(request);
    }
    return queries;
  }

  const std::uint64_t seed_;
  RandomPosts posts_;
};

TEST_P(TablePages, GiveEverythingOnceInBothDirections) {
  for (QueryRequest request : Queries()) {
    const std::vector<Item> forward = QueryAll(request);
    for (const bool direction : {true, false}) {
      request.forward = direction;
      std::vector<Item> expected = forward;
      if (!direction) std::reverse(expected.begin(), expected.end());
      for (std::uint64_t limit = 1; limit <= 9; ++limit) {
        request.limit = limit;
        EXPECT_EQ(QueryAll(request), expected)
            << request.index << " by " << limit << ", seed " << seed_;
      }
    }
    request.limit.reset();
  }
}

TEST_P(TablePages, OfScansAndTheirSegmentsGiveEverythingOnce) {
  for (const char* index : {"", "by_topic", "by_score"}) {
    const std::vector<Item> all = ScanAll({.table = "posts", .index = index});
    for (std::uint64_t limit = 1; limit <= 7; ++limit) {
      for (const std::uint32_t segments : {1U, 3U}) {
        std::vector<Item> paged;
        for (std::uint32_t i = 0; i < segments; ++i) {
          const auto part = ScanAll({.table = "posts",
                                     .index = index,
                                     .limit = limit,
                                     .segment = i,
                                     .segments = segments});
          paged.insert(paged.end(), part.begin(), part.end());
        }
        EXPECT_EQ(paged, all) << index << " by " << limit << ", seed " << seed_;
      }
    }
  }
}

// The item a page ended with is deleted before the next page is asked for.
TEST_P(TablePages, GoOnThoughTheirLastItemIsDeleted) {
  for (const bool direction : {true, false}) {
    for (const char* index : {"", "by_topic", "by_score"}) {
      QueryRequest request = {.table = "posts", .index = index, .key_condition = "#u = :u"};
      request.arguments.names = {{"#u", "user"}};
      request.arguments.values = {{":u", "u1"}};
      if (std::string(index) == "by_topic") {
        request.key_condition = "topic = :u";
        request.arguments = {.values = {{":u", "t1"}}};
      }
      request.forward = direction;
      const std::size_t expected = QueryAll(request).size();
      request.limit = 2;
      std::size_t seen = 0;
      std::vector<Item> deleted;
      for (;;) {
        const auto page = tables().Query(request);
        ASSERT_TRUE(page.has_value()) << page.status().ToString();
        seen += page->items.size();
        if (!page->last_key) break;
        const Item key = {{"user", page->last_key->at("user")}, {"nr", page->last_key->at("nr")}};
        deleted.push_back(*Get("posts", key));
        ASSERT_TRUE(tables().DeleteItem({.table = "posts", .key = key}).has_value());
        request.start_after = page->last_key;
      }
      EXPECT_EQ(seen, expected) << index << ", seed " << seed_;
      for (const Item& item : deleted) Put("posts", item);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Engines, TablePages, AllEngines(), NameOfEngine);

}  // namespace
}  // namespace mayfly

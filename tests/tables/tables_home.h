// tables_home.h - tables on each engine, on a manual clock.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "core/each_engine.h"
#include "tables/protocol_tables.h"

namespace mayfly {

inline Number N(std::int64_t value) { return {value}; }

// A number that is not an integer.
inline Number Decimal(std::string_view text) { return Number::Parse(text).value(); }

// The seconds of the ttl attribute for an item that dies this long after the start of the clock.
inline Number SecondsAfterStart(std::int64_t seconds) { return {ToMs(kStart) / 1000 + seconds}; }

// "posts": partition "user", sort "nr" (a number), ttl attribute "expires"; global index "by_topic"
// on topic and score, which projects "title"; local index "by_score", keys only.
inline TableSpec PostsSpec(TtlMode mode = TtlMode::kExact) {
  const KeyAttribute user = {"user", KeyType::kString};
  const KeyAttribute nr = {"nr", KeyType::kNumber};
  const KeyAttribute topic = {"topic", KeyType::kString};
  const KeyAttribute score = {"score", KeyType::kNumber};
  IndexSpec by_topic = {.name = "by_topic", .partition = topic, .sort = score};
  by_topic.projection = {.kind = IndexProjection::Kind::kInclude, .attributes = {"title"}};
  IndexSpec by_score = {.name = "by_score", .partition = user, .sort = score};
  by_score.projection = {.kind = IndexProjection::Kind::kKeysOnly};
  TableSpec spec = {.name = "posts", .partition = user, .sort = nr};
  spec.ttl_attribute = "expires";
  spec.ttl_mode = mode;
  spec.global_indexes = {by_topic};
  spec.local_indexes = {by_score};
  return spec;
}

// Partition "id" and nothing else.
inline TableSpec PlainSpec(const std::string& name = "plain") {
  return {.name = name, .partition = {"id", KeyType::kString}, .ttl_attribute = "expires"};
}

inline std::string MessageOf(const Status& status) { return std::string(status.message()); }
template <typename T>
std::string MessageOf(const Result<T>& result) {
  return std::string(result.status().message());
}

// A whole stream, page by page.
inline Result<std::vector<StreamRecord>> AllRecords(Tables& tables, const std::string& table,
                                                    const std::string& label) {
  std::vector<StreamRecord> all;
  while (true) {
    const std::uint64_t next = all.empty() ? 0 : all.back().sequence + 1;
    MAYFLY_TRY(const auto page, tables.ReadStream(table, label, next, SIZE_MAX));
    if (page.empty()) return all;
    all.insert(all.end(), page.begin(), page.end());
  }
}

class EachTables : public ::testing::TestWithParam<EngineKind> {
 protected:
  explicit EachTables(const DatabaseOptions& options = {}) : home_(GetParam(), options) {
    OpenTables();
  }

  // Index, rows and counters must agree after every test.
  void TearDown() override {
    tables_.reset();
    home_.ExpectClean();
  }

  void OpenTables() {
    auto opened = tables::ProtocolTables::Open(home_.database());
    ASSERT_TRUE(opened.has_value()) << opened.status().ToString();
    tables_ = *std::move(opened);
  }

  void Make(const TableSpec& spec) {
    const auto made = tables_->CreateTable(spec);
    ASSERT_TRUE(made.has_value()) << made.status().ToString();
  }

  void Put(const std::string& table, const Item& item) {
    const auto put = tables_->PutItem({.table = table, .item = item});
    ASSERT_TRUE(put.has_value()) << put.status().ToString();
    ASSERT_TRUE(put->written);
  }

  std::optional<Item> Get(const std::string& table, const Item& key) {
    const auto found = tables_->GetItem({.table = table, .key = key});
    EXPECT_TRUE(found.has_value()) << found.status().ToString();
    return found ? found->item : std::nullopt;
  }

  // All pages of a query, one after the other.
  std::vector<Item> QueryAll(QueryRequest request) {
    std::vector<Item> items;
    for (;;) {
      const auto page = tables_->Query(request);
      EXPECT_TRUE(page.has_value()) << page.status().ToString();
      if (!page) return items;
      items.insert(items.end(), page->items.begin(), page->items.end());
      if (!page->last_key) return items;
      request.start_after = page->last_key;
    }
  }

  std::vector<Item> ScanAll(ScanRequest request) {
    std::vector<Item> items;
    for (;;) {
      const auto page = tables_->Scan(request);
      EXPECT_TRUE(page.has_value()) << page.status().ToString();
      if (!page) return items;
      items.insert(items.end(), page->items.begin(), page->items.end());
      if (!page->last_key) return items;
      request.start_after = page->last_key;
    }
  }

  tables::ProtocolTables& tables() { return *tables_; }
  Database& database() { return home_.database(); }
  ManualClock& clock() { return home_.clock(); }

  DatabaseHome home_;
  std::unique_ptr<tables::ProtocolTables> tables_;
};

}  // namespace mayfly

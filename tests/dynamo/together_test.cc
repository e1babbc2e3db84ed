// Goal: requests that come together are answered as if they came one after the other, for each
// client; their writes share commits; long responses are left for later.
// Method: the service on real tables, on an engine that counts; groups of requests passed to it
// directly.
#include <gtest/gtest.h>

#include <deque>
#include <memory>
#include <string>
#include <vector>

#include "core/database_home.h"
#include "core/new_database.h"
#include "dynamo/service.h"
#include "dynamo/testing/asked.h"
#include "engine/memory/memory_engine.h"
#include "http/limits.h"
#include "mayfly/logger.h"
#include "tables/protocol_tables.h"
#include "tests/core/counting_engine.h"

namespace mayfly::dynamo {
namespace {

class Together : public ::testing::Test {
 protected:
  Together() { EXPECT_EQ(Ask("CreateTable", kCreateTab), 200); }

  // Sends one request. Returns the status.
  int Ask(const std::string& operation, const std::string& body) {
    return AnswerOf(service_, RequestOf("DynamoDB_20120810." + operation, body)).status;
  }

  // A request of a client, for the next group.
  http::Exchange& Add(char client, const std::string& operation, const std::string& body) {
    http::Exchange& exchange = exchanges_.emplace_back();
    exchange.client = &clients_[static_cast<std::size_t>(client - 'a')];
    exchange.request = RequestOf("DynamoDB_20120810." + operation, body);
    return exchange;
  }
  http::Exchange& Put(char client, const std::string& key, const std::string& text,
                      const std::string& more = "") {
    return Add(client, "PutItem",
               R"({"TableName":"tab","Item":{"p":{"S":")" + key + R"("},"t":{"S":")" + text +
                   "\"}}" + more + "}");
  }
  http::Exchange& Get(char client, const std::string& key) {
    return Add(client, "GetItem", R"({"TableName":"tab","Key":{"p":{"S":")" + key + R"("}}})");
  }

  // Passes the unanswered requests to the service, once.
  EngineCosts Answer() {
    std::vector<http::Exchange*> open;
    for (http::Exchange& exchange : exchanges_) {
      if (!exchange.response) open.push_back(&exchange);
    }
    *costs_ = {.disk_fails = costs_->disk_fails};
    service_.Answer(open);
    return *costs_;
  }

  static std::string BodyOf(const http::Exchange& exchange) {
    return exchange.response ? exchange.response->body : "no answer";
  }
  static int StatusOf(const http::Exchange& exchange) {
    return exchange.response ? exchange.response->status : 0;
  }
  static bool Has(const http::Exchange& exchange, const std::string& part) {
    return BodyOf(exchange).find(part) != std::string::npos;
  }

  ManualClock clock_{kStart};
  const std::shared_ptr<EngineCosts> costs_ = std::make_shared<EngineCosts>();
  const std::unique_ptr<Database> database_ = *core::NewDatabase(
      std::make_unique<CountingEngine>(engine::NewMemoryEngine(), costs_), {.clock = &clock_});
  const std::unique_ptr<tables::ProtocolTables> tables_ = *tables::ProtocolTables::Open(*database_);
  bool always_ = false;  // appendfsync.
  Service service_{*tables_, clock_, SilentLogger(), {.make_durable = [this] {
                     return always_ ? database_->Sync(Durability::kDisk) : Status();
                   }}};
  char clients_[26] = {};
  std::deque<http::Exchange> exchanges_;  // Their addresses are stable.
};

TEST_F(Together, WritesShareACommit) {
  for (int i = 0; i < 16; ++i) Put(static_cast<char>('a' + i), std::to_string(i), "x");
  EXPECT_EQ(Answer().commits, 1U);
  for (const http::Exchange& exchange : exchanges_) {
    EXPECT_EQ(StatusOf(exchange), 200);
    EXPECT_EQ(BodyOf(exchange), "{}");
  }
}

TEST_F(Together, AClientReadsItsOwnWrites) {
  Put('a', "1", "first");
  const http::Exchange& first = Get('a', "1");
  Put('a', "1", "second");
  const http::Exchange& second = Get('a', "1");
  Answer();
  EXPECT_TRUE(Has(first, "first")) << BodyOf(first);
  EXPECT_TRUE(Has(second, "second")) << BodyOf(second);
}

TEST_F(Together, ReadsOfOthersDoNotPartTheWrites) {
  Put('a', "1", "x");
  Get('b', "1");
  Put('c', "2", "x");
  Get('d', "1");
  Put('e', "3", "x");
  EXPECT_EQ(Answer().commits, 1U);
  for (const http::Exchange& exchange : exchanges_) EXPECT_EQ(StatusOf(exchange), 200);
}

TEST_F(Together, ARefusalIsItsOwn) {
  const http::Exchange& good = Put('a', "1", "x");
  const http::Exchange& no_json = Add('b', "PutItem", "{");
  const http::Exchange& no_table =
      Add('c', "PutItem", R"({"TableName":"gone","Item":{"p":{"S":"1"}}})");
  const http::Exchange& no_key = Add('d', "PutItem", R"({"TableName":"tab","Item":{}})");
  const http::Exchange& taken =
      Put('e', "1", "y", ",\"ConditionExpression\":\"attribute_not_exists(p)\"");
  const http::Exchange& no_operation = Add('f', "PutItems", "{}");
  const http::Exchange& last = Put('g', "2", "x");
  Answer();
  EXPECT_EQ(StatusOf(good), 200);
  EXPECT_TRUE(Has(no_json, "SerializationException")) << BodyOf(no_json);
  EXPECT_TRUE(Has(no_table, "ResourceNotFoundException")) << BodyOf(no_table);
  EXPECT_TRUE(Has(no_key, "ValidationException")) << BodyOf(no_key);
  EXPECT_TRUE(Has(taken, "ConditionalCheckFailedException")) << BodyOf(taken);
  EXPECT_TRUE(Has(no_operation, "UnknownOperationException")) << BodyOf(no_operation);
  EXPECT_EQ(StatusOf(last), 200);
}

TEST_F(Together, ChangesOfTablesStandBetweenTheWritesOfTheirClient) {
  const http::Exchange& before = Put('a', "1", "x");
  const http::Exchange& dropped = Add('a', "DeleteTable", R"({"TableName":"tab"})");
  const http::Exchange& after = Put('a', "2", "x");
  Answer();
  EXPECT_EQ(StatusOf(before), 200);
  EXPECT_EQ(StatusOf(dropped), 200);
  EXPECT_TRUE(Has(after, "ResourceNotFoundException")) << BodyOf(after);
}

TEST_F(Together, LongAnswersAreLeftForLater) {
  const std::string text(200'000, 'x');
  static_assert(http::kOutputBytesBeforeSend < 400'000);
  ASSERT_EQ(
      Ask("PutItem", R"({"TableName":"tab","Item":{"p":{"S":"1"},"t":{"S":")" + text + "\"}}}"),
      200);
  const http::Exchange& write = Put('a', "2", "x");
  for (int i = 0; i < 5; ++i) Get('b', "1");
  const http::Exchange& read = Get('a', "2");
  Answer();
  EXPECT_EQ(StatusOf(exchanges_[1]), 200);
  EXPECT_EQ(StatusOf(exchanges_[2]), 200);
  EXPECT_EQ(StatusOf(exchanges_[3]), 0);
  EXPECT_EQ(StatusOf(write), 200) << "a write waits for nobody's answers";
  Answer();
  Answer();
  EXPECT_TRUE(Has(read, "\"x\"")) << BodyOf(read);
}

// Each returns an item of 200 KB: once they have a megabyte, the rest waits, and so do later
// requests of its client.
TEST_F(Together, WritesWithLongAnswersAreLeftForLater) {
  const std::string text(200'000, 'x');
  for (int i = 0; i < 12; ++i) {
    ASSERT_EQ(Ask("PutItem", R"({"TableName":"tab","Item":{"p":{"S":")" + std::to_string(i) +
                                 R"("},"t":{"S":")" + text + "\"}}}"),
              200);
  }
  for (int i = 0; i < 12; ++i) {
    Put('a', std::to_string(i), "short", R"(,"ReturnValues":"ALL_OLD")");
  }
  const http::Exchange& read = Get('a', "11");
  int rounds = 0;
  for (; !read.response && rounds < 10; ++rounds) {
    Answer();
    std::size_t bytes = 0;
    for (http::Exchange& exchange : exchanges_) {
      if (exchange.response) bytes += exchange.response->body.size();
    }
    EXPECT_LE(bytes, static_cast<std::size_t>(rounds + 1) * 2'500'000);
  }
  EXPECT_GT(rounds, 1);
  EXPECT_TRUE(Has(read, "short")) << BodyOf(read).substr(0, 100);
  for (const http::Exchange& exchange : exchanges_) EXPECT_EQ(StatusOf(exchange), 200);
}

// Each operation that writes, and one that does not beside it.
TEST_F(Together, WhatIsAcknowledgedIsDurableWhereThatIsAsked) {
  const std::string item = R"({"p":{"S":"a"}})";
  const std::string named = R"({"TableName":"tab")";
  const std::string arn = R"({"ResourceArn":"arn:aws:dynamodb:mayfly:000000000000:table/tab")";
  const std::string own = "Mayfly_20261101.";
  const std::vector<std::pair<std::string, std::string>> writes = {
      {"PutItem", named + R"(,"Item":)" + item + "}"},
      {"UpdateItem", named + R"(,"Key":)" + item + R"(,"UpdateExpression":"SET x = p"})"},
      {"BatchWriteItem", R"({"RequestItems":{"tab":[{"PutRequest":{"Item":)" + item + "}}]}}"},
      {"TransactWriteItems",
       R"({"TransactItems":[{"Put":)" + named + R"(,"Item":)" + item + "}}]}"},
      {"UpdateTimeToLive",
       named + R"(,"TimeToLiveSpecification":{"AttributeName":"t","Enabled":true}})"},
      {own + "SetTTL", named + R"(,"Key":)" + item + R"(,"TtlSeconds":9})"},
      {own + "RemoveTTL", named + R"(,"Key":)" + item + "}"},
      {own + "SweepExpiredTTL", named + "}"},
      {"TagResource", arn + R"(,"Tags":[{"Key":"k","Value":"v"}]})"},
      {"UntagResource", arn + R"(,"TagKeys":["k"]})"},
      {"UpdateTable", named + R"(,"DeletionProtectionEnabled":false})"},
      {"DeleteItem", named + R"(,"Key":)" + item + "}"},
      {"DeleteTable", named + "}"},
      {"CreateTable", kCreateTab},
  };
  const auto ask = [&](const std::string& operation, const std::string& body) {
    *costs_ = {.disk_fails = costs_->disk_fails};
    const bool prefixed = operation.starts_with(own);
    return AnswerOf(service_, RequestOf((prefixed ? "" : "DynamoDB_20120810.") + operation, body));
  };
  for (const auto& [operation, body] : writes) {
    SCOPED_TRACE(operation);
    const http::Response plain = ask(operation, body);
    EXPECT_EQ(plain.status, 200) << plain.body;
    EXPECT_EQ(costs_->syncs, 0u);
    if (operation == "UpdateTimeToLive" || operation == "DeleteTable" || operation == "CreateTable")
      continue;  // Once is enough for these: a repetition is refused.
    always_ = true;
    EXPECT_EQ(ask(operation, body).status, 200);
    EXPECT_EQ(costs_->syncs, 1u);
    costs_->disk_fails = true;
    const http::Response failed = ask(operation, body);
    EXPECT_EQ(failed.status, 500) << failed.body;
    EXPECT_NE(failed.body.find("InternalServerError"), std::string::npos) << failed.body;
    costs_->disk_fails = false;
    always_ = false;
  }
  always_ = true;
  EXPECT_EQ(ask("DeleteTable", named + "}").status, 200);
  EXPECT_EQ(costs_->syncs, 1u);
  EXPECT_EQ(ask("CreateTable", kCreateTab).status, 200);
  EXPECT_EQ(costs_->syncs, 1u);
  EXPECT_EQ(ask("CreateTable", kCreateTab).status, 400);
  EXPECT_EQ(costs_->syncs, 0u) << "nothing was changed";
  for (const char* const read : {"GetItem", "Scan", "DescribeTable"}) {
    EXPECT_EQ(ask(read, named + R"(,"Key":)" + item + "}").status, 200) << read;
    EXPECT_EQ(costs_->syncs, 0u) << read;
  }
}

TEST_F(Together, OneSyncIsForAllThatAreAnsweredTogether) {
  always_ = true;
  for (char client = 'a'; client < 'i'; ++client) {
    for (int i = 0; i < 5; ++i) Put(client, std::string(1, client) + std::to_string(i), "text");
  }
  http::Exchange& read = Get('a', "a0");
  EXPECT_EQ(Answer().syncs, 1u);
  costs_->disk_fails = true;
  http::Exchange& unlucky = Put('a', "a0", "later");
  http::Exchange& reader = Get('b', "b0");
  Answer();
  EXPECT_EQ(StatusOf(read), 200);
  EXPECT_EQ(StatusOf(unlucky), 500) << "nobody may rely on it";
  EXPECT_EQ(StatusOf(reader), 200);
}

}  // namespace
}  // namespace mayfly::dynamo

// real_service.h - the service on real tables in memory, on a manual clock.
// Its table "law" holds an item that never dies, and, as the scene says, one beside it that dies
// 100 seconds after the start, one that never does, or none. They share a partition of the table
// and of both its indexes: "by_topic", which is global, and "by_score", which is local and holds
// keys only.
#pragma once

#include <gtest/gtest.h>

#include <algorithm>
#include <chrono>
#include <memory>
#include <string>
#include <string_view>

#include "core/database_home.h"
#include "dynamo/json/json.h"
#include "dynamo/operations/operations.h"
#include "dynamo/service.h"
#include "dynamo/testing/asked.h"
#include "law_words.h"
#include "mayfly/logger.h"
#include "tables/protocol_tables.h"

namespace mayfly::dynamo {

constexpr Millis kLifetime = std::chrono::seconds(100);

enum class Mortal : unsigned char { kDies, kLives, kIsNotThere };

struct TableManner {
  bool until_swept = false;  // Else exact.
  bool with_stream = false;
};

class RealService {
 public:
  explicit RealService(Mortal mortal, TableManner manner = {}) {
    tables_ = tables::ProtocolTables::Open(home_.database()).value();
    service_ = std::make_unique<Service>(*tables_, home_.clock(), SilentLogger());
    const std::string stream =
        R"(,"StreamSpecification":{"StreamEnabled":true,"StreamViewType":"NEW_AND_OLD_IMAGES"})";
    const std::string tags = R"(,"Tags":[{"Key":"mayfly:ttl-mode","Value":"until-swept"}])";
    Must("CreateTable", std::string("{@in,") + kTableWords + (manner.with_stream ? stream : "") +
                            (manner.until_swept ? tags : "") + "}");
    Must("UpdateTimeToLive",
         R"({@in,"TimeToLiveSpecification":{"AttributeName":"expires","Enabled":true}})");
    Upkeep();
    Must("PutItem", R"({@in,"Item":{"p":{"S":"home"},"s":{"N":"2"},"topic":{"S":"t"},
                       "score":{"N":"6"},"title":{"S":"other"}}})");
    if (mortal != Mortal::kIsNotThere) PutMortal(mortal == Mortal::kDies);
  }

  // Index, rows and counters must agree after every test.
  ~RealService() {
    service_.reset();
    tables_.reset();
    home_.ExpectClean();
  }
  RealService(const RealService&) = delete;
  RealService& operator=(const RealService&) = delete;

  // The body, whatever the status. An unknown operation fails the test.
  json::object Call(std::string_view operation, const std::string& body) {
    const http::Response response =
        AnswerOf(*service_, RequestOf(TargetOf(operation), Spell(body)));
    status = response.status;
    auto parsed = ParseJson(response.body);
    EXPECT_TRUE(parsed.has_value()) << response.body;
    return parsed ? parsed->as_object() : json::object();
  }

  // Of a call that must not fail.
  json::object Must(std::string_view operation, const std::string& body) {
    json::object reply = Call(operation, body);
    EXPECT_EQ(status, 200) << operation << " " << Spell(body) << " " << ToText(reply);
    return reply;
  }

  void PutMortal(bool dies) {
    // Long enough to consume more capacity units than a missing item.
    constexpr std::size_t kPaddingBytes = 5000;
    const std::int64_t instant = (ToMs(kStart) + kLifetime.count()) / 1000;
    Must("PutItem", R"({@in,"Item":{"p":{"S":"home"},"s":{"N":"1"},"topic":{"S":"t"},
                       "score":{"N":"5"},"title":{"S":"old"},"hits":{"N":"7"},
                       "padding":{"S":")" +
                        std::string(kPaddingBytes, 'x') + "\"}" +
                        (dies ? R"(,"expires":{"N":")" + std::to_string(instant) + "\"}" : "") +
                        "}}");
  }

  void Purge() { ASSERT_TRUE(home_.database().Purge().has_value()); }
  void Upkeep() { ASSERT_EQ(tables_->RunUpkeep().value(), 0U); }
  ManualClock& clock() { return home_.clock(); }

  int status = 0;  // Of the last call.

 private:
  static std::string TargetOf(std::string_view name) {
    const auto& all = AllOperations();
    const auto found = std::find_if(all.begin(), all.end(),
                                    [&](const Operation& each) { return each.name == name; });
    if (found == all.end()) {
      ADD_FAILURE() << name << " is no operation";
      return {};
    }
    return std::string(found->prefix) + "." + std::string(name);
  }

  DatabaseHome home_{EngineKind::kMemory};
  std::unique_ptr<tables::ProtocolTables> tables_;
  std::unique_ptr<Service> service_;
};

}  // namespace mayfly::dynamo

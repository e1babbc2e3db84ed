// Goal: a stream records each death once, as the service's deletion, and none before its instant.
// Method: the service on real tables and a manual clock; all records are read again each time.
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "real_service.h"

namespace mayfly::dynamo {
namespace {

using Told = std::vector<std::string>;

const std::string kInsert = R"(INSERT 1 nothing -> "old")";
const std::string kDeath =
    R"(REMOVE 1 "old" -> nothing by {"Type":"Service","PrincipalId":"dynamodb.amazonaws.com"})";

class StreamLaw : public testing::TestWithParam<bool> {
 protected:
  std::string StreamArn() {
    const json::object listed = service_.Must("ListStreams", "{@in}");
    return ToTextOf(listed.at("Streams").at(0).at("StreamArn"));
  }

  // The records of the item that dies, from the beginning: "INSERT 1 nothing -> "title"", and the
  // author if that was not a client.
  Told Records() {
    const std::string arn = StreamArn();
    const json::object described = service_.Must("DescribeStream", R"({"StreamArn":)" + arn + "}");
    const json::value& shard = described.at("StreamDescription").at("Shards").at(0).at("ShardId");
    const json::object iterator = service_.Must(
        "GetShardIterator", R"({"StreamArn":)" + arn + R"(,"ShardId":)" + ToTextOf(shard) +
                                R"(,"ShardIteratorType":"TRIM_HORIZON"})");
    const json::object reply = service_.Must(
        "GetRecords", R"({"ShardIterator":)" + ToTextOf(iterator.at("ShardIterator")) + "}");
    Told told;
    for (const json::value& record : reply.at("Records").as_array()) {
      const json::object& change = record.at("dynamodb").as_object();
      const std::string number(View(change.at("Keys").at("s").at("N").as_string()));
      if (number != "1") continue;
      std::string line(View(record.at("eventName").as_string()));
      line +=
          " " + number + " " + TitleIn(change, "OldImage") + " -> " + TitleIn(change, "NewImage");
      if (const json::value* who = record.as_object().if_contains("userIdentity")) {
        line += " by " + ToText(who->as_object());
      }
      told.push_back(line);
    }
    return told;
  }

  // By the test's parameter: the dead are purged by the database, or by a sweep.
  void RemoveTheDead() {
    if (GetParam()) {
      service_.Must("SweepExpiredTTL", "{@in}");
    } else {
      service_.Purge();
    }
    service_.Upkeep();
  }

  RealService service_{Mortal::kDies, {.with_stream = true}};

 private:
  static std::string ToTextOf(const json::value& text) {
    return "\"" + std::string(View(text.as_string())) + "\"";
  }

  static std::string TitleIn(const json::object& change, const char* image) {
    const json::value* const found = change.if_contains(image);
    if (found == nullptr) return "nothing";
    const json::value* const title = found->as_object().if_contains("title");
    return title == nullptr ? "no title" : ToTextOf(title->at("S"));
  }
};

TEST_P(StreamLaw, TellsADeathOnceAndNoneBeforeTheInstant) {
  service_.clock().Advance(kLifetime - Millis(1));
  RemoveTheDead();
  EXPECT_EQ(Records(), Told{kInsert});
  service_.clock().Advance(Millis(1));
  RemoveTheDead();
  EXPECT_EQ(Records(), (Told{kInsert, kDeath}));
  service_.clock().Advance(Millis(1));
  RemoveTheDead();
  EXPECT_EQ(Records(), (Told{kInsert, kDeath}));
}

// Not a MODIFY, and no old image: a dead item has no successor.
TEST_P(StreamLaw, TellsAPutOverTheDeadAsAnInsertAfterTheDeath) {
  service_.clock().Advance(kLifetime);
  service_.Must("PutItem", R"({@in,"Item":@new})");
  RemoveTheDead();
  EXPECT_EQ(Records(), (Told{kInsert, kDeath, R"(INSERT 1 nothing -> "new")"}));
}

TEST_P(StreamLaw, TellsAnUpdateOfTheDeadAsAnInsertAfterTheDeath) {
  service_.clock().Advance(kLifetime);
  service_.Must("UpdateItem", R"({@in,"Key":@key,"UpdateExpression":"ADD hits :n",@nine})");
  RemoveTheDead();
  EXPECT_EQ(Records(), (Told{kInsert, kDeath, "INSERT 1 nothing -> no title"}));
}

TEST_P(StreamLaw, TellsADeleteOfTheDeadAsTheDeathItWas) {
  service_.clock().Advance(kLifetime);
  service_.Must("DeleteItem", R"({@in,"Key":@key})");
  RemoveTheDead();
  EXPECT_EQ(Records(), (Told{kInsert, kDeath}));
}

TEST_P(StreamLaw, TellsADeleteOfTheLivingAsTheClients) {
  service_.clock().Advance(kLifetime - Millis(1));
  service_.Must("DeleteItem", R"({@in,"Key":@key})");
  service_.clock().Advance(Millis(1));
  RemoveTheDead();
  EXPECT_EQ(Records(), (Told{kInsert, R"(REMOVE 1 "old" -> nothing)"}));
}

TEST_P(StreamLaw, TellsNoDeathOfAnItemThatWasFreedInTime) {
  service_.clock().Advance(kLifetime - Millis(1));
  service_.Must("RemoveTTL", R"({@in,"Key":@key})");
  service_.clock().Advance(kLifetime);
  RemoveTheDead();
  EXPECT_EQ(Records(), (Told{kInsert, R"(MODIFY 1 "old" -> "old")"}));
}

INSTANTIATE_TEST_SUITE_P(By, StreamLaw, testing::Bool(),
                         [](const auto& each) { return each.param ? "Sweep" : "Purge"; });

}  // namespace
}  // namespace mayfly::dynamo

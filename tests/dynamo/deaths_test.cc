// Goal: some cases of law_test.cc with literal replies; and the items' deaths when the table's ttl
// mode changes. Method: the service on real tables and a manual clock.
#include <gtest/gtest.h>

#include <string>

#include "real_service.h"

namespace mayfly::dynamo {
namespace {

// Living items of the table "law".
int ItemCount(RealService& service) {
  return service.Must("DescribeTable", "{@in}").at("Table").at("ItemCount").to_number<int>();
}

std::string Left(RealService& service) {
  return ToText(service.Must("GetTTL", R"({@in,"Key":@key})"));
}

std::string Sweep(RealService& service) { return ToText(service.Must("SweepExpiredTTL", "{@in}")); }

TEST(DynamoDeaths, AnItemIsThereUntilItsInstantAndNotFromItOn) {
  RealService service(Mortal::kDies);
  const auto title = [&] {
    return ToText(service.Must("GetItem", R"({@in,"Key":@key,"ProjectionExpression":"title"})"));
  };
  const auto count = [&] {
    return ToText(service.Must("Query", R"({@in,"IndexName":"by_topic",@topic,"Select":"COUNT"})"));
  };
  service.clock().Advance(kLifetime - Millis(1));
  EXPECT_EQ(title(), R"({"Item":{"title":{"S":"old"}}})");
  EXPECT_EQ(count(), R"({"Count":2,"ScannedCount":2})");
  EXPECT_EQ(Left(service), R"({"RemainingSeconds":1})");
  service.clock().Advance(Millis(1));
  EXPECT_EQ(title(), "{}");
  EXPECT_EQ(count(), R"({"Count":1,"ScannedCount":1})");
  service.Call("GetTTL", R"({@in,"Key":@key})");
  EXPECT_EQ(service.status, 400);
  EXPECT_EQ(ToText(service.Must("UpdateItem", R"({@in,"Key":@key,"ReturnValues":"ALL_NEW",
                                "UpdateExpression":"ADD hits :n",@nine})")),
            R"({"Attributes":{"hits":{"N":"9"},"p":{"S":"home"},"s":{"N":"1"}}})");
}

TEST(DynamoDeaths, ASweepEndsWhatWasVisibleUntilThen) {
  RealService service(Mortal::kDies, {.until_swept = true});
  service.clock().Advance(kLifetime - Millis(1));
  EXPECT_EQ(Sweep(service), R"({"Deleted":0})");
  EXPECT_EQ(Left(service), R"({"RemainingSeconds":1})");
  service.clock().Advance(Millis(1));
  EXPECT_EQ(Left(service), R"({"RemainingSeconds":0})");
  service.clock().Advance(std::chrono::hours(1));
  EXPECT_EQ(Left(service), R"({"RemainingSeconds":0})");
  EXPECT_EQ(ItemCount(service), 2);
  EXPECT_EQ(Sweep(service), R"({"Deleted":1})");
  EXPECT_EQ(ItemCount(service), 1);
  EXPECT_EQ(Sweep(service), R"({"Deleted":0})");
}

TEST(DynamoDeaths, ATableThatBecomesExactLosesWhatASweepHadLeft) {
  for (const char* const mode : {"exact", ""}) {
    SCOPED_TRACE(mode);
    RealService service(Mortal::kDies, {.until_swept = true});
    service.clock().Advance(kLifetime);
    EXPECT_EQ(ItemCount(service), 2);
    if (std::string_view(mode).empty()) {
      service.Must("UntagResource", R"({@arn,"TagKeys":["mayfly:ttl-mode"]})");
    } else {
      service.Must("TagResource", R"({@arn,"Tags":[{"Key":"mayfly:ttl-mode","Value":"exact"}]})");
    }
    service.Upkeep();
    EXPECT_EQ(ItemCount(service), 1);
    EXPECT_EQ(ToText(service.Must("GetItem", R"({@in,"Key":@key})")), "{}");
    EXPECT_EQ(ToText(service.Must("Scan", R"({@in,"IndexName":"by_topic","Select":"COUNT"})")),
              R"({"Count":1,"ScannedCount":1})");
  }
}

TEST(DynamoDeaths, AnAttributeThatIsNamedAgainCountsAgain) {
  const auto enable = [](RealService& service, const char* enabled) {
    service.Must("UpdateTimeToLive",
                 std::string(R"({@in,"TimeToLiveSpecification":{"AttributeName":"expires",)") +
                     R"("Enabled":)" + enabled + "}}");
    service.Upkeep();
  };
  for (const Millis off : {Millis(-1), Millis(0), Millis(1)}) {
    SCOPED_TRACE(off.count());
    RealService service(Mortal::kDies);
    enable(service, "false");
    service.clock().Advance(kLifetime + off);
    EXPECT_EQ(ItemCount(service), 2);
    enable(service, "true");
    EXPECT_EQ(ItemCount(service), off < Millis(0) ? 2 : 1);
    service.clock().Advance(Millis(1));
    EXPECT_EQ(ItemCount(service), 1);
  }
}

}  // namespace
}  // namespace mayfly::dynamo

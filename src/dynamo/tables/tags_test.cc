// Goal: tags stay within DynamoDB's limits, whichever operation brings them. Method: a table of
// tags, each given to CreateTable and to TagResource of the service on fake tables.
#include <gtest/gtest.h>

#include <string>
#include <utility>
#include <vector>

#include "dynamo/testing/fake_service.h"

namespace mayfly::dynamo {
namespace {

using Given = std::vector<std::pair<std::string, std::string>>;

struct TagCase {
  TagCase(std::string what, Given given, std::string refusal)
      : name(std::move(what)), tags(std::move(given)), error(std::move(refusal)) {}

  std::string name;
  Given tags;
  std::string error;  // How it begins. Empty: accepted.
};

std::string Repeat(const std::string& text, int times) {
  std::string repeated;
  for (int i = 0; i < times; ++i) repeated += text;
  return repeated;
}

Given Numbered(int first, int last) {
  Given tags;
  for (int i = first; i < last; ++i) tags.emplace_back("k" + std::to_string(i), "v");
  return tags;
}

std::string TagsJson(const Given& tags) {
  std::string json;
  for (const auto& [key, value] : tags) {
    json += json.empty() ? "" : ",";
    json.append(R"({"Key":")").append(key).append(R"(","Value":")").append(value).append(R"("})");
  }
  return R"("Tags":[)" + json + "]";
}

std::string CreateBody(const Given& tags) {
  return R"({"TableName":"tab","BillingMode":"PAY_PER_REQUEST",
    "AttributeDefinitions":[{"AttributeName":"p","AttributeType":"S"}],
    "KeySchema":[{"AttributeName":"p","KeyType":"HASH"}],)" +
         TagsJson(tags) + "}";
}

std::string TagBody(const Given& tags) {
  return R"({"ResourceArn":"arn:aws:dynamodb:mayfly:000000000000:table/tab",)" + TagsJson(tags) +
         "}";
}

Given One(const std::string& key, const std::string& value) { return {std::pair(key, value)}; }

Given Keys(const std::vector<std::string>& keys) {
  Given tags;
  for (const std::string& key : keys) tags.emplace_back(key, "v");
  return tags;
}

std::vector<TagCase> Cases() {
  const std::string taken;
  const std::string wrong = "ValidationException: One or more parameter values were invalid: ";
  const std::string length = "ValidationException: 1 validation error detected: Value '";
  const std::string two_bytes = "\xC3\xA4";
  const std::string three_bytes = "\xE2\x82\xAC";
  const Given all_long = One(Repeat(two_bytes, 128), Repeat(three_bytes, 256));
  return {
      TagCase("one", One("k", "v"), taken),
      TagCase("an empty value", One("k", ""), taken),
      TagCase("an empty key", One("", "v"), length),
      TagCase("the longest key", One(Repeat("k", 128), "v"), taken),
      TagCase("a longer key", One(Repeat("k", 129), "v"), length),
      TagCase("the longest value", One("k", Repeat("v", 256)), taken),
      TagCase("a longer value", One("k", Repeat("v", 257)), length),
      TagCase("characters, not bytes", all_long, taken),
      TagCase("a character too many", One(Repeat(two_bytes, 129), "v"), length),
      TagCase("a key of AWS", One("aws:x", "v"), wrong),
      TagCase("nearly a key of AWS", Keys({"aws", "AWS:x", "my-aws:x"}), taken),
      TagCase("a key twice", Keys({"k", "other", "k"}), wrong),
      TagCase("keys that differ", Keys({"k", "K"}), taken),
      TagCase("fifty", Numbered(0, 50), taken),
      TagCase("fifty-one", Numbered(0, 51), wrong),
  };
}

TEST(Tags, AreCheckedByCreateTable) {
  for (const TagCase& each : Cases()) {
    FakeService service;
    if (each.error.empty()) {
      service.Text("CreateTable", CreateBody(each.tags));
      continue;
    }
    const std::string error = service.Error("CreateTable", CreateBody(each.tags));
    EXPECT_TRUE(error.starts_with(each.error)) << each.name << ": " << error;
    EXPECT_TRUE(service.tables.ListTables("", 10)->empty()) << each.name;
  }
}

TEST(Tags, AreCheckedByTagResource) {
  for (const TagCase& each : Cases()) {
    FakeService service;
    service.Text("CreateTable", CreateBody({}));
    const TableSpec before = service.tables.DescribeTable("tab")->spec;
    if (each.error.empty()) {
      service.Text("TagResource", TagBody(each.tags));
      continue;
    }
    const std::string error = service.Error("TagResource", TagBody(each.tags));
    EXPECT_TRUE(error.starts_with(each.error)) << each.name << ": " << error;
    EXPECT_EQ(service.tables.DescribeTable("tab")->spec, before) << each.name;
  }
}

TEST(Tags, ThatAreThereCount) {
  FakeService service;
  service.Text("CreateTable", CreateBody(Numbered(0, 30)));
  service.Text("TagResource", TagBody(Numbered(20, 50)));
  EXPECT_TRUE(service.Error("TagResource", TagBody(Numbered(49, 51)))
                  .starts_with("ValidationException: One or more parameter values were invalid: "));
  service.Text("TagResource", TagBody(One("k7", "another value")));
}

}  // namespace
}  // namespace mayfly::dynamo

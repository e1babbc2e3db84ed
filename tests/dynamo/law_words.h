// law_words.h - the long words of requests about the table "law", for tests to write short.
#pragma once

#include <map>
#include <string>
#include <string_view>

namespace mayfly::dynamo {

// Formatting would part the comments from what they are about.
// clang-format off
inline const std::map<std::string_view, std::string_view> kWords = {
    // Which table.
    {"@in", R"("TableName":"law")"},
    {"@arn", R"("ResourceArn":"arn:aws:dynamodb:eu-west-1:000000000000:table/law")"},
    // The key of the item that dies, the key of the one beside it, and a new item under the first
    // key, at another place of both indexes.
    {"@key", R"({"p":{"S":"home"},"s":{"N":"1"}})"},
    {"@other", R"({"p":{"S":"home"},"s":{"N":"2"}})"},
    {"@new", R"({"p":{"S":"home"},"s":{"N":"1"},"topic":{"S":"t"},"score":{"N":"9"},
                 "title":{"S":"new"}})"},
    // Conditions on keys that both items fulfil: of the table or local index, and of the global.
    {"@home", R"("KeyConditionExpression":"p = :p",
                 "ExpressionAttributeValues":{":p":{"S":"home"}})"},
    {"@topic", R"("KeyConditionExpression":"topic = :t",
                  "ExpressionAttributeValues":{":t":{"S":"t"}})"},
    // A value for :n; the wish to hear what a request cost.
    {"@nine", R"("ExpressionAttributeValues":{":n":{"N":"9"}})"},
    {"@units", R"("ReturnConsumedCapacity":"TOTAL")"},
};
// clang-format on

// What CreateTable is told of the table, but for its name.
inline constexpr const char* kTableWords = R"("BillingMode":"PAY_PER_REQUEST",
    "AttributeDefinitions":[{"AttributeName":"p","AttributeType":"S"},
                            {"AttributeName":"s","AttributeType":"N"},
                            {"AttributeName":"topic","AttributeType":"S"},
                            {"AttributeName":"score","AttributeType":"N"}],
    "KeySchema":[{"AttributeName":"p","KeyType":"HASH"},{"AttributeName":"s","KeyType":"RANGE"}],
    "GlobalSecondaryIndexes":[{"IndexName":"by_topic",
      "KeySchema":[{"AttributeName":"topic","KeyType":"HASH"},
                   {"AttributeName":"score","KeyType":"RANGE"}],
      "Projection":{"ProjectionType":"INCLUDE","NonKeyAttributes":["title"]}}],
    "LocalSecondaryIndexes":[{"IndexName":"by_score",
      "KeySchema":[{"AttributeName":"p","KeyType":"HASH"},
                   {"AttributeName":"score","KeyType":"RANGE"}],
      "Projection":{"ProjectionType":"KEYS_ONLY"}}])";

// The text with the meanings of its words.
inline std::string Spell(std::string text) {
  for (const auto& [word, meaning] : kWords) {
    for (std::size_t at = text.find(word); at != std::string::npos; at = text.find(word, at)) {
      text.replace(at, word.size(), meaning);
    }
  }
  return text;
}

}  // namespace mayfly::dynamo

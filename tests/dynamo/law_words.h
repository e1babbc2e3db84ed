// law_words.h - abbreviations for requests about the table "law".
#pragma once

#include <map>
#include <string>
#include <string_view>

namespace mayfly::dynamo {

// Formatting would separate the comments from their lines.
// clang-format off
inline const std::map<std::string_view, std::string_view> kWords = {
    // The table.
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
    // A value for :n; a request for the consumed capacity.
    {"@nine", R"("ExpressionAttributeValues":{":n":{"N":"9"}})"},
    {"@units", R"("ReturnConsumedCapacity":"TOTAL")"},
};
// clang-format on

// The body of CreateTable, but for the table's name.
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

// Expands the abbreviations.
inline std::string Spell(std::string text) {
  for (const auto& [word, meaning] : kWords) {
    for (std::size_t at = text.find(word); at != std::string::npos; at = text.find(word, at)) {
      text.replace(at, word.size(), meaning);
    }
  }
  return text;
}

}  // namespace mayfly::dynamo

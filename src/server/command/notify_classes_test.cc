// Goal: the setting notify-keyspace-events reads and prints as Redis', and says what is published.
// Method: a table of settings, with what Redis 7.0 answers.
#include "server/command/notify_classes.h"

#include <gtest/gtest.h>

#include <utility>

namespace mayfly::server {
namespace {

NotifyClasses Classes(std::string_view letters) {
  const std::optional<NotifyClasses> classes = NotifyClasses::Parse(letters);
  EXPECT_TRUE(classes.has_value()) << letters;
  return classes.value_or(NotifyClasses());
}

TEST(NotifyClasses, ReadAndPrintAsRedisDoes) {
  // clang-format off
  const std::pair<std::string_view, std::string_view> table[] = {
      {"",            ""},
      {"KEA",         "AKE"},
      {"AKE",         "AKE"},
      {"A",           "A"},
      {"$lshzxetdKE", "$lshzxetdKE"},
      {"g$lshzxet",   "g$lshzxet"},
      {"g$lshzxetd",  "A"},
      {"AKEmn",       "AKEm"},
      {"gKn",         "gnK"},
      {"mKE",         "KEm"},
      {"EKx",         "xKE"},
      {"gg",          "g"},
  };
  // clang-format on
  for (const auto& [given, shown] : table) EXPECT_EQ(Classes(given).ToString(), shown) << given;
}

TEST(NotifyClasses, RefuseALetterThatMeansNothing) {
  EXPECT_FALSE(NotifyClasses::Parse("KEq"));
  EXPECT_FALSE(NotifyClasses::Parse("a"));
}

TEST(NotifyClasses, WantAClassOnlyWithAPlaceToPublishIt) {
  EXPECT_FALSE(Classes("x").Wants(NotifyClass::kExpired));
  EXPECT_TRUE(Classes("xK").Wants(NotifyClass::kExpired));
  EXPECT_TRUE(Classes("xE").Wants(NotifyClass::kExpired));
  EXPECT_FALSE(Classes("xE").Wants(NotifyClass::kGeneric));
  EXPECT_FALSE(Classes("AKE").Wants(NotifyClass::kNew));
  EXPECT_FALSE(Classes("AKE").Wants(NotifyClass::kKeyMiss));
  EXPECT_TRUE(Classes("AKEmn").Wants(NotifyClass::kNew));
}

}  // namespace
}  // namespace mayfly::server

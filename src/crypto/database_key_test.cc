// Only its password opens a key, and a damaged one is refused.
// Method: every byte of the text changed, with and without a check line that fits.
#include "crypto/database_key.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include "base/checksum.h"

namespace mayfly::crypto {
namespace {

std::string Rechecked(const std::string& lines) {
  return lines + fmt::format("check {:016x}\n", Hash64(lines));
}

std::string LinesOf(const DatabaseKey& key) {
  return key.text().substr(0, key.text().rfind("check "));
}

StatusCode Opened(const std::string& text, Bytes password = "right") {
  return DatabaseKey::Open(text, password).status().code();
}

TEST(DatabaseKey, OpensWithItsPasswordAlone) {
  const auto key = DatabaseKey::Make("right").value();
  const auto again = DatabaseKey::Open(key->text(), "right");
  ASSERT_TRUE(again.has_value()) << again.status().ToString();
  EXPECT_EQ((*again)->Derive("p", "n").value().view(), key->Derive("p", "n").value().view());
  const auto refused = DatabaseKey::Open(key->text(), "wrong");
  EXPECT_EQ(refused.status().code(), StatusCode::kWrongPassword);
  EXPECT_EQ(refused.status().message(), "wrong password") << "and nothing of the password itself";
}

TEST(DatabaseKey, IsAnotherEachTime) {
  const auto one = DatabaseKey::Make("right").value();
  const auto two = DatabaseKey::Make("right").value();
  EXPECT_NE(one->text(), two->text());
  EXPECT_NE(one->Derive("p", "n").value().view(), two->Derive("p", "n").value().view());
}

TEST(DatabaseKey, StaysUnderAnotherPassword) {
  const auto key = DatabaseKey::Make("right").value();
  const auto changed = key->WithPassword("other").value();
  EXPECT_NE(changed->text(), key->text());
  EXPECT_EQ(Opened(changed->text()), StatusCode::kWrongPassword);
  const auto opened = DatabaseKey::Open(changed->text(), "other").value();
  EXPECT_EQ(opened->Derive("p", "n").value().view(), key->Derive("p", "n").value().view());
}

TEST(DatabaseKey, HasAPasswordOfAnyBytesWithinReason) {
  EXPECT_EQ(DatabaseKey::Make("").status().code(), StatusCode::kInvalid);
  const std::string longest(kPasswordBytesMax, 'x');
  EXPECT_EQ(DatabaseKey::Make(longest + "x").status().code(), StatusCode::kInvalid);
  const std::string zero("a\0b", 3);
  const auto key = DatabaseKey::Make(zero).value();
  EXPECT_EQ(Opened(key->text(), "a"), StatusCode::kWrongPassword);
  EXPECT_EQ(Opened(key->text(), zero), StatusCode::kOk);
}

TEST(DatabaseKey, TellsDamageFromAWrongPassword) {
  const std::string text = DatabaseKey::Make("right").value()->text();
  for (std::size_t i = 0; i < text.size(); ++i) {
    std::string bad = text;
    bad[i] = static_cast<char>(bad[i] ^ 1);
    EXPECT_EQ(Opened(bad), StatusCode::kCorruption) << "byte " << i;
    EXPECT_EQ(Opened(text.substr(0, i)), StatusCode::kCorruption) << "cut to " << i;
  }
  EXPECT_EQ(Opened(text + "x"), StatusCode::kCorruption);
}

TEST(DatabaseKey, BelievesNoLineThatWasExchanged) {
  const auto key = DatabaseKey::Make("right").value();
  std::string lines = LinesOf(*key);
  const std::size_t salt = lines.find("salt ") + 5;
  lines[salt] = lines[salt] == '0' ? '1' : '0';
  EXPECT_EQ(Opened(Rechecked(lines)), StatusCode::kWrongPassword);
}

TEST(DatabaseKey, AsksForNoMoreMemoryThanIsSane) {
  const std::string lines = LinesOf(*DatabaseKey::Make("right").value());
  for (const char* const cost : {"1099511627776 8 3", "32768 1000000 3", "32768 8 1000000",
                                 "32767 8 3", "0 8 3", "32768 0 3", "32768 8 0", "32768 8", "x"}) {
    std::string changed = lines;
    const std::size_t at = changed.find("scrypt ") + 7;
    changed.replace(at, changed.find('\n', at) - at, cost);
    EXPECT_EQ(Opened(Rechecked(changed)), StatusCode::kCorruption) << cost;
  }
}

TEST(DatabaseKey, RefusesALaterFormatByName) {
  std::string lines = LinesOf(*DatabaseKey::Make("right").value());
  lines.replace(lines.find("key 1"), 5, "key 2");
  EXPECT_EQ(Opened(Rechecked(lines)), StatusCode::kUnsupported);
}

}  // namespace
}  // namespace mayfly::crypto

// Whether every file has a key of its own, and a header tells whose it is.
// Method: many headers of one key; each bit of one changed.
#include "crypto/file_header.h"

#include <gtest/gtest.h>

#include <set>

namespace mayfly::crypto {
namespace {

TEST(FileHeader, NeverRepeatsANonceOrAKey) {
  const auto key = DatabaseKey::Make("password").value();
  std::set<std::string> seen;
  constexpr int kFiles = 1000;
  for (int i = 0; i < kFiles; ++i) {
    const FileHeader header = NewFileHeader(*key, "file").value();
    ASSERT_EQ(header.bytes.size(), kFileHeaderBytes);
    seen.insert(header.bytes);
    seen.insert(std::string(header.key.view()));
  }
  EXPECT_EQ(seen.size(), std::size_t{2 * kFiles});
}

TEST(FileHeader, GivesTheSameKeyWhenItIsReadAgain) {
  const auto key = DatabaseKey::Make("password").value();
  const FileHeader header = NewFileHeader(*key, "file").value();
  EXPECT_EQ(OpenFileHeader(*key, "file", header.bytes).value().view(), header.key.view());
  EXPECT_FALSE(OpenFileHeader(*key, "backup", header.bytes).has_value());
  const auto other = DatabaseKey::Make("password").value();
  EXPECT_EQ(OpenFileHeader(*other, "file", header.bytes).status().code(), StatusCode::kCorruption);
}

TEST(FileHeader, TellsDamage) {
  const auto key = DatabaseKey::Make("password").value();
  const FileHeader header = NewFileHeader(*key, "file").value();
  for (std::size_t bit = 0; bit < 8 * kFileHeaderBytes; ++bit) {
    std::string bad = header.bytes;
    bad[bit / 8] = static_cast<char>(bad[bit / 8] ^ (1 << (bit % 8)));
    EXPECT_FALSE(OpenFileHeader(*key, "file", bad).has_value()) << "bit " << bit;
  }
  EXPECT_FALSE(OpenFileHeader(*key, "file", header.bytes.substr(1)).has_value());
}

TEST(FileHeader, ShowsNothingOfTheKey) {
  const auto key = DatabaseKey::Make("password").value();
  const FileHeader header = NewFileHeader(*key, "file").value();
  EXPECT_EQ(header.bytes.find(header.key.view().substr(0, 8)), std::string::npos);
}

}  // namespace
}  // namespace mayfly::crypto

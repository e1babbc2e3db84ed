// Every file has a key of its own, and a header identifies its database.
// Method: many headers of one key; each bit of one changed.
#include "crypto/file_header.h"

#include <gtest/gtest.h>

#include <set>

namespace mayfly::crypto {
namespace {

TEST(FileHeader, NeverRepeatsANonceOrAKey) {
  const auto key = DatabaseKey::Make("password").value();
  std::set<std::string> seen;
  constexpr std::size_t kFiles = 1000;
  for (std::size_t i = 0; i < kFiles; ++i) {
    const FileHeader header = NewFileHeader(*key, "file").value();
    ASSERT_EQ(header.bytes.size(), kFileHeaderBytes);
    seen.insert(header.bytes);
    seen.insert(std::string(header.key.view()));
  }
  EXPECT_EQ(seen.size(), 2 * kFiles);
}

TEST(FileHeader, GivesTheSameKeyWhenItIsReadAgain) {
  const auto key = DatabaseKey::Make("password").value();
  const FileHeader header = NewFileHeader(*key, "file").value();
  EXPECT_EQ(OpenFileHeader(*key, "file", header.bytes).value().view(), header.key.view());
  EXPECT_FALSE(OpenFileHeader(*key, "backup", header.bytes).has_value());
  const auto other = DatabaseKey::Make("password").value();
  EXPECT_EQ(OpenFileHeader(*other, "file", header.bytes).status().code(), StatusCode::kCorruption);
}

TEST(FileHeader, TellsDamageOfNonceAndCheck) {
  const auto key = DatabaseKey::Make("password").value();
  const FileHeader header = NewFileHeader(*key, "file").value();
  constexpr std::size_t kMagicBytes = 8;
  for (std::size_t bit = 0; bit < 8 * kFileHeaderBytes; ++bit) {
    std::string bad = header.bytes;
    bad[bit / 8] = static_cast<char>(bad[bit / 8] ^ (1 << (bit % 8)));
    const auto opened = OpenFileHeader(*key, "file", bad);
    EXPECT_EQ(opened.has_value(), bit / 8 < kMagicBytes) << "bit " << bit;
    if (opened) {
      EXPECT_EQ(opened->view(), header.key.view());
    }
  }
  EXPECT_FALSE(OpenFileHeader(*key, "file", header.bytes.substr(1)).has_value());
}

TEST(FileHeader, IsReadFromABlockOfWhichASectorIsLost) {
  const auto key = DatabaseKey::Make("password").value();
  const FileHeader header = NewFileHeader(*key, "file").value();
  const std::string block = HeaderBlock(header);
  ASSERT_EQ(block.size(), kHeaderBlockBytes);
  EXPECT_EQ(OpenHeaderBlock(*key, "file", block).value().view(), header.key.view());
  constexpr std::size_t kSector = 4096;
  for (std::size_t sector = 0; sector < 2; ++sector) {
    for (const char filler : {'\0', 'x'}) {
      std::string bad = block;
      bad.replace(sector * kSector, kSector, kSector, filler);
      const auto opened = OpenHeaderBlock(*key, "file", bad);
      ASSERT_TRUE(opened.has_value()) << "sector " << sector;
      EXPECT_EQ(opened->view(), header.key.view());
    }
  }
  // The nonce of one copy, and the check of the other.
  for (const std::size_t nonce : {std::size_t{0}, kSector}) {
    std::string bad = block;
    bad.replace(nonce + 8, 32, 32, 'x');
    bad.replace((kSector - nonce) + 40, 24, 24, 'x');
    EXPECT_TRUE(OpenHeaderBlock(*key, "file", bad).has_value()) << nonce;
  }
  std::string bad = block;
  bad.replace(8, 1, 1, static_cast<char>(bad[8] ^ 1));
  bad.replace(kSector + 8, 1, 1, static_cast<char>(bad[kSector + 8] ^ 1));
  EXPECT_EQ(OpenHeaderBlock(*key, "file", bad).status().code(), StatusCode::kCorruption);
  EXPECT_FALSE(OpenHeaderBlock(*key, "file", block.substr(1)).has_value());
}

TEST(FileHeader, ShowsNothingOfTheKey) {
  const auto key = DatabaseKey::Make("password").value();
  const FileHeader header = NewFileHeader(*key, "file").value();
  EXPECT_EQ(header.bytes.find(header.key.view().substr(0, 8)), std::string::npos);
}

}  // namespace
}  // namespace mayfly::crypto

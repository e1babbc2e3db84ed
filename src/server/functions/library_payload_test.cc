// Goal: FUNCTION RESTORE takes what FUNCTION DUMP made, byte for byte as Redis does, and nothing
// else. Method: a payload that Redis 7.0.15 made; then every cut and every changed byte of one.
#include "server/functions/library_payload.h"

#include <gtest/gtest.h>

#include "rdb/footer.h"

namespace mayfly::server {
namespace {

TEST(LibraryPayload, GivesBackWhatItTook) {
  const LibraryTexts libraries = {{"one", "#!lua name=one\nreturn"},
                                  {"two", std::string(300, 'x')}};
  const auto texts = DecodeLibraries(EncodeLibraries(libraries));
  ASSERT_TRUE(texts);
  EXPECT_EQ(*texts, (std::vector<std::string>{libraries.at("one"), libraries.at("two")}));
  EXPECT_TRUE(DecodeLibraries(EncodeLibraries({}))->empty());
}

TEST(LibraryPayload, HasTheBytesOfRedis) {
  const std::string payload = EncodeLibraries({{"a", "#!lua name=a\n"}});
  EXPECT_EQ(payload.substr(0, 17), std::string("\xf5\x0d#!lua name=a\n\x0a\0", 17));
  EXPECT_EQ(payload.size(), 25u);
}

TEST(LibraryPayload, RefusesEveryCutAndEveryChangedByte) {
  const std::string payload = EncodeLibraries({{"a", "#!lua name=a\nreturn 1"}});
  for (std::size_t size = 0; size < payload.size(); ++size) {
    EXPECT_FALSE(DecodeLibraries(payload.substr(0, size))) << size;
    std::string changed = payload;
    changed[size] = static_cast<char>(changed[size] ^ 0x40);
    EXPECT_FALSE(DecodeLibraries(changed)) << size;
  }
}

TEST(LibraryPayload, NamesWhatIsNoLibrary) {
  const auto error = [](std::string bytes) {
    rdb::AppendFooter(bytes, 10);
    return std::string(DecodeLibraries(bytes).status().message());
  };
  EXPECT_EQ(error(std::string("\0\1a\1b", 5)), "given type is not a function");
  EXPECT_EQ(error("\xf5\x0a#!lua"), "failed loading the given functions payload");
}

}  // namespace
}  // namespace mayfly::server

// Goal: packed values of Redis are read, and malformed ones refused.
// Method: bytes by the description of each form, and every shortened version of them.
#include "rdb/packed_lists.h"

#include <gtest/gtest.h>

#include "rdb/listpack_writer.h"
#include "rdb/lzf.h"

namespace mayfly::rdb {
namespace {

using Values = std::vector<std::string>;

template <std::size_t kSize>
std::string Binary(const char (&text)[kSize]) {
  return std::string(text, kSize - 1);
}

constexpr std::uint64_t kMany = 1000;

TEST(Listpack, ReadsEveryEncoding) {
  // Numbers of 7, 13, 16, 24, 32 and 64 bits; strings with lengths of 6, 12 and 32 bits.
  std::string bytes;
  bytes += Binary("\x7f\x01");
  bytes += Binary("\xdf\xff\x02");
  bytes += Binary("\xf1\x18\xfc\x03");
  bytes += Binary("\xf2\xff\xff\x7f\x04");
  bytes += Binary("\xf3\x00\x00\x00\x80\x05");
  bytes += Binary("\xf4\xff\xff\xff\xff\xff\xff\xff\x7f\x09");
  bytes += Binary("\x82hi\x03");
  bytes += Binary("\xe0\x64") + std::string(100, 'x') + Binary("\x66");
  bytes += Binary("\xf0\x88\x13\x00\x00") + std::string(5000, 'y') + Binary("\x27\x8d");
  std::string pack(6, '\0');
  pack[0] = static_cast<char>(bytes.size() + 7);
  pack[1] = static_cast<char>((bytes.size() + 7) >> 8);
  pack[4] = 9;
  pack += bytes + '\xff';
  const auto values = ReadListpack(pack, kMany);
  ASSERT_TRUE(values);
  EXPECT_EQ(*values, (Values{"127", "-1", "-1000", "8388607", "-2147483648", "9223372036854775807",
                             "hi", std::string(100, 'x'), std::string(5000, 'y')}));
  for (std::size_t size = 0; size < pack.size(); ++size) {
    EXPECT_FALSE(ReadListpack(Bytes(pack).substr(0, size), kMany)) << size;
  }
  pack[4] = 8;
  EXPECT_FALSE(ReadListpack(pack, kMany)) << "the count does not fit";
}

TEST(Listpack, ReadsWhatIsWritten) {
  Values wanted;
  ListpackWriter writer;
  for (int bits = 0; bits < 64; ++bits) {
    const auto power = static_cast<std::int64_t>(std::uint64_t{1} << bits);
    for (const std::int64_t number : {power - (bits < 63 ? 1 : 0), power, bits < 63 ? -power : 0}) {
      writer.Number(number);
      wanted.push_back(std::to_string(number));
    }
  }
  for (const std::size_t size : {0u, 1u, 63u, 64u, 4095u, 4096u, 70000u, 3000000u}) {
    wanted.emplace_back(size, 'x');
    writer.Text(wanted.back());
  }
  for (const char* const text : {"17", "-1", "017", "+1", "9223372036854775808", " "}) {
    wanted.emplace_back(text);
    writer.Text(text);
  }
  const auto values = ReadListpack(writer.Whole(), kMany);
  ASSERT_TRUE(values);
  EXPECT_EQ(*values, wanted);
}

TEST(Ziplist, ReadsEveryEncoding) {
  std::string bytes;
  bytes += Binary("\x00\x02hi");
  bytes += Binary("\x04\xf1");                  // 0
  bytes += Binary("\x02\xfd");                  // 12
  bytes += Binary("\x02\xfe\xff");              // -1
  bytes += Binary("\x03\xc0\xe8\x03");          // 1000
  bytes += Binary("\x04\xf0\xff\xff\x7f");      // 8388607
  bytes += Binary("\x05\xd0\x00\x00\x00\x80");  // -2147483648
  bytes += Binary("\x06\xe0\xff\xff\xff\xff\xff\xff\xff\x7f");
  bytes += Binary("\x0a\x41\x2c") + std::string(300, 'x');
  bytes += Binary("\xfe\x2f\x01\x00\x00\x80\x00\x00\x00\x01z");
  std::string pack(10, '\0');
  pack[0] = static_cast<char>(bytes.size() + 11);
  pack[1] = static_cast<char>((bytes.size() + 11) >> 8);
  pack[8] = 10;
  pack += bytes + '\xff';
  const auto values = ReadZiplist(pack, kMany);
  ASSERT_TRUE(values);
  EXPECT_EQ(*values, (Values{"hi", "0", "12", "-1", "1000", "8388607", "-2147483648",
                             "9223372036854775807", std::string(300, 'x'), "z"}));
  for (std::size_t size = 0; size < pack.size(); ++size) {
    EXPECT_FALSE(ReadZiplist(Bytes(pack).substr(0, size), kMany)) << size;
  }
}

TEST(Intset, ReadsEveryWidth) {
  EXPECT_EQ(*ReadIntset(Binary("\x02\x00\x00\x00\x02\x00\x00\x00\xff\xff\x07\x00"), kMany),
            (Values{"-1", "7"}));
  EXPECT_EQ(*ReadIntset(Binary("\x04\x00\x00\x00\x01\x00\x00\x00\x00\x00\x00\x80"), kMany),
            (Values{"-2147483648"}));
  EXPECT_EQ(*ReadIntset(Binary("\x08\x00\x00\x00\x01\x00\x00\x00\xff\xff\xff\xff\xff\xff\xff\x7f"),
                        kMany),
            (Values{"9223372036854775807"}));
}

TEST(Intset, RefusesOtherWidthsAndWrongCounts) {
  EXPECT_FALSE(ReadIntset(Binary("\x03\x00\x00\x00\x01\x00\x00\x00\x01\x02\x03"), kMany));
  EXPECT_FALSE(ReadIntset(Binary("\x02\x00\x00\x00\x02\x00\x00\x00\xff\xff"), kMany));
  EXPECT_FALSE(ReadIntset(Binary("\x02\x00\x00\x00\x00\x00\x00\x80\xff\xff"), kMany));
  EXPECT_FALSE(ReadIntset("", kMany));
}

TEST(Lzf, UnpacksLiteralsAndReferencesThatReachIntoThemselves) {
  EXPECT_EQ(UnpackLzf(Binary("\x01"
                             "ab\x20\x01"),
                      5),
            "ababa");
  EXPECT_EQ(UnpackLzf(Binary("\x00"
                             "a\xe0\x05\x00"),
                      15),
            std::string(15, 'a'));
}

TEST(Lzf, RefusesWhatPointsOutsideOrIsOfAnotherSize) {
  EXPECT_FALSE(UnpackLzf(Binary("\x01"
                                "ab\x20\x02"),
                         5))
      << "before the beginning";
  EXPECT_FALSE(UnpackLzf(Binary("\x01"
                                "ab\x20\x01"),
                         4))
      << "too long";
  EXPECT_FALSE(UnpackLzf(Binary("\x01"
                                "ab\x20\x01"),
                         6))
      << "too short";
  EXPECT_FALSE(UnpackLzf(Binary("\x05"
                                "ab"),
                         6))
      << "cut off";
  EXPECT_FALSE(UnpackLzf(Binary("\xe0"), 9)) << "cut off";
}

TEST(PackedLists, AreReadNoFurtherThanAsked) {
  const std::string pack = Binary("\x0d\x00\x00\x00\x03\x00\x01\x01\x02\x01\x03\x01\xff");
  EXPECT_EQ(ReadListpack(pack, 3)->size(), 3u);
  EXPECT_EQ(ReadListpack(pack, 2)->size(), 2u);
}

}  // namespace
}  // namespace mayfly::rdb

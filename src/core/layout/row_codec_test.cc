// Goal: a row comes back as it was written, and bytes that are no row are refused by name.
// Method: round trips at the edges of deadlines and payloads; every truncation and every tag.
#include "core/layout/row_codec.h"

#include <gtest/gtest.h>

#include <limits>

namespace mayfly::core {
namespace {

std::string Encoded(std::optional<WallTime> deadline, Bytes payload,
                    std::optional<WallTime> timestamp = std::nullopt) {
  std::string row;
  AppendRow(row, {.deadline = deadline, .payload = payload, .timestamp = timestamp});
  return row;
}

TEST(RowCodec, GivesBackWhatWasWritten) {
  const std::optional<WallTime> deadlines[] = {
      std::nullopt, WallTimeFromMs(0), WallTimeFromMs(1), WallTimeFromMs(1'700'000'000'000),
      WallTimeFromMs(std::numeric_limits<std::int64_t>::max())};
  for (const auto& deadline : deadlines) {
    for (const std::string& payload : {std::string(), std::string("value"), std::string(1, '\0'),
                                       std::string(100'000, '\xff')}) {
      for (const auto& timestamp :
           {std::optional<WallTime>(), std::optional(WallTimeFromMs(-5)),
            std::optional(WallTimeFromMs(std::numeric_limits<std::int64_t>::min()))}) {
        const std::string row = Encoded(deadline, payload, timestamp);
        const auto decoded = DecodeRow(row);
        ASSERT_TRUE(decoded.has_value()) << decoded.status().ToString();
        EXPECT_EQ(decoded->deadline, deadline);
        EXPECT_EQ(decoded->payload, payload);
        EXPECT_EQ(decoded->timestamp, timestamp);
      }
    }
  }
}

TEST(RowCodec, HasStableBytes) {
  EXPECT_EQ(Encoded(std::nullopt, "v"), std::string("\x00v", 2));
  EXPECT_EQ(Encoded(WallTimeFromMs(0x0102), "v"), std::string("\x01\x02\x01\0\0\0\0\0\0v", 10));
  EXPECT_EQ(Encoded(std::nullopt, "v", WallTimeFromMs(-2)),
            std::string("\x02\xfe\xff\xff\xff\xff\xff\xff\xffv", 10));
}

TEST(RowCodec, GivesBackTheVersionOfACollection) {
  for (const std::uint64_t collection_id :
       {std::uint64_t{0}, std::uint64_t{0x0102}, ~std::uint64_t{0}}) {
    std::string row;
    AppendRow(row,
              {.deadline = WallTimeFromMs(5), .payload = "head", .collection_id = collection_id});
    const auto decoded = DecodeRow(row);
    ASSERT_TRUE(decoded.has_value()) << decoded.status().ToString();
    EXPECT_EQ(decoded->collection_id, collection_id);
    EXPECT_EQ(decoded->deadline, WallTimeFromMs(5));
    EXPECT_EQ(decoded->payload, "head");
    for (std::size_t size = 0; size + 4 < row.size(); ++size) {
      EXPECT_FALSE(DecodeRow(Bytes(row).substr(0, size)).has_value()) << size;
    }
  }
  std::string row;
  AppendRow(row, {.deadline = {}, .payload = "h", .collection_id = 0x0102});
  EXPECT_EQ(row, std::string("\x04\x02\x01\0\0\0\0\0\0h", 10));
}

TEST(RowCodec, CostsAPlainRowOneByte) { EXPECT_EQ(Encoded(std::nullopt, "12345").size(), 6u); }

TEST(RowCodec, RefusesEveryTruncationOfTheHead) {
  const std::string row = Encoded(WallTimeFromMs(1), "", WallTimeFromMs(2));
  for (std::size_t size = 0; size < row.size(); ++size) {
    EXPECT_EQ(DecodeRow(Bytes(row).substr(0, size)).status().code(), StatusCode::kCorruption)
        << size;
  }
}

TEST(RowCodec, RefusesADeadlineBefore1970) {
  std::string row = Encoded(WallTimeFromMs(1), "");
  row.back() = '\x80';
  EXPECT_EQ(DecodeRow(row).status().code(), StatusCode::kCorruption);
}

TEST(RowCodec, RefusesEveryUnknownTagAsUnsupported) {
  for (int tag = 8; tag < 256; ++tag) {
    std::string row = Encoded(WallTimeFromMs(1), "value");
    row.front() = static_cast<char>(tag);
    const Status status = DecodeRow(row).status();
    EXPECT_EQ(status.code(), StatusCode::kUnsupported) << tag;
    EXPECT_NE(status.message().find("newer"), std::string::npos) << status.message();
  }
}

}  // namespace
}  // namespace mayfly::core

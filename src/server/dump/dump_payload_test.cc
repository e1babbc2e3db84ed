// Goal: dumps are those of Redis: its own are read, ours come back, and damage is refused.
// Method: payloads that redis-server 7.0.15 gave for known values; round trips; every changed byte.
#include "server/dump/dump_payload.h"

#include <gtest/gtest.h>

#include <limits>

#include "base/coding.h"
#include "rdb/crc64.h"

namespace mayfly::server {
namespace {

using types::ValueType;
using Elements = std::vector<std::string>;

template <std::size_t kSize>
std::string Binary(const char (&text)[kSize]) {
  return std::string(text, kSize - 1);
}

DumpedValue Decoded(Bytes payload) {
  auto value = DecodeDump(payload);
  EXPECT_TRUE(value) << value.status().ToString();
  return value ? *std::move(value) : DumpedValue();
}

// A footer as Redis puts it behind a value.
std::string Closed(std::string bytes, std::uint8_t version = 10) {
  bytes += {static_cast<char>(version), '\0'};
  AppendLittleEndian64(bytes, rdb::Crc64(bytes));
  return bytes;
}

TEST(Dump, ReadsAListpackedListOfRedis) {
  const DumpedValue value = Decoded(Binary(
      "\x12\x01\x02\x10\x10\x00\x00\x00\x03\x00\x81\x61\x02\x01\x01\xf1\x78\xec\x03\xff\x0a\x00"
      "\xbe\x74\x77\x25\xa2\x71\x99\xb2"));
  EXPECT_EQ(value.type, ValueType::kList);
  EXPECT_EQ(value.elements, (Elements{"a", "1", "-5000"}));
}

TEST(Dump, ReadsHashesOfRedis) {
  const DumpedValue packed = Decoded(Binary(
      "\x10\x12\x12\x00\x00\x00\x04\x00\x81\x66\x02\x01\x01\x81\x67\x02\x81\x78\x02\xff\x0a\x00"
      "\xf2\xc5\xd7\x3b\x5b\x9b\xc3\x5a"));
  ASSERT_EQ(packed.type, ValueType::kHash);
  ASSERT_EQ(packed.fields.size(), 2u);
  EXPECT_EQ(packed.fields[0].name, "f");
  EXPECT_EQ(packed.fields[0].value, "1");
  EXPECT_EQ(packed.fields[1].name, "g");
  EXPECT_EQ(packed.fields[1].value, "x");
  const DumpedValue plain =
      Decoded(Binary("\x04\x01\x01\x66\xc0\x01\x0a\x00\x1a\x82\x6a\x52\x79\xbf\x95\xce"));
  ASSERT_EQ(plain.fields.size(), 1u);
  EXPECT_EQ(plain.fields[0].value, "1");
}

TEST(Dump, ReadsSetsOfRedis) {
  EXPECT_EQ(Decoded(Binary("\x0b\x0c\x02\x00\x00\x00\x02\x00\x00\x00\x01\x00\x02\x00\x0a\x00\x6f"
                           "\x79\x38\xb1\x34\xeb\x20\x2e"))
                .elements,
            (Elements{"1", "2"}));
  EXPECT_EQ(Decoded(Binary("\x02\x01\x01\x61\x0a\x00\x62\x96\xe9\x7e\x44\xd2\x1a\x6d")).elements,
            (Elements{"a"}));
}

TEST(Dump, ReadsSortedSetsOfRedis) {
  const DumpedValue packed = Decoded(Binary(
      "\x11\x14\x14\x00\x00\x00\x04\x00\x81\x61\x02\x83\x31\x2e\x35\x04\x81\x62\x02\x02\x01\xff"
      "\x0a\x00\xfa\x02\xb4\x25\xaf\x18\x87\x63"));
  ASSERT_EQ(packed.scores.size(), 2u);
  EXPECT_EQ(packed.scores[0].name, "a");
  EXPECT_EQ(packed.scores[0].score, 1.5);
  EXPECT_EQ(packed.scores[1].score, 2);
  const DumpedValue plain = Decoded(Binary(
      "\x05\x01\x01\x61\x00\x00\x00\x00\x00\x00\xf8\x3f\x0a\x00\x45\xa3\xa8\x8f\x44\xe9\x59\xda"));
  ASSERT_EQ(plain.scores.size(), 1u);
  EXPECT_EQ(plain.scores[0].score, 1.5);
}

TEST(Dump, ReadsAPackedStringOfRedis) {
  EXPECT_EQ(Decoded(Binary("\x00\xc3\x09\x3e\x01\x61\x61\xe0\x31\x00\x01\x61\x61\x0a\x00\xec\x49"
                           "\x42\xd6\xb3\x27\x5f\x7c"))
                .text,
            std::string(62, 'a'));
}

TEST(Dump, ReadsTheFormsOfOlderRedis) {
  // A list of one ziplist, a sorted set with decimal scores.
  EXPECT_EQ(Decoded(Closed(Binary("\x0e\x01\x0f\x0f\x00\x00\x00\x0a\x00\x00\x00\x01\x00\x00\x02hi"
                                  "\xff"),
                           9))
                .elements,
            (Elements{"hi"}));
  const DumpedValue value = Decoded(Closed(Binary("\x03\x02\x01"
                                                  "a\x03"
                                                  "1.5\x01"
                                                  "b\xfe"),
                                           6));
  ASSERT_EQ(value.scores.size(), 2u);
  EXPECT_EQ(value.scores[0].score, 1.5);
  EXPECT_EQ(value.scores[1].score, std::numeric_limits<double>::infinity());
}

TEST(Dump, StringsComeBack) {
  const std::string texts[] = {"",
                               "x",
                               "0",
                               "-1",
                               "127",
                               "-129",
                               "40000",
                               "-2147483648",
                               "2147483648",
                               "007",
                               std::string(63, 'a'),
                               std::string(64, 'a'),
                               std::string(20'000, 'a'),
                               std::string("\0\xff", 2)};
  for (const std::string& text : texts) {
    EXPECT_EQ(Decoded(EncodeDump({.text = text})).text, text);
  }
}

TEST(Dump, FieldsKeepTheirDeadlines) {
  DumpedValue value{.type = ValueType::kHash};
  // clang-format off
  value.fields = {
      {"forever", "1", std::nullopt},
      {"later",   "2", WallTimeFromMs(5'000'000)},
      {"sooner",  "3", WallTimeFromMs(1'000)},
  };
  // clang-format on
  const DumpedValue back = Decoded(EncodeDump(value));
  ASSERT_EQ(back.fields.size(), 3u);
  EXPECT_EQ(back.fields[0].deadline, std::nullopt);
  EXPECT_EQ(back.fields[1].deadline, WallTimeFromMs(5'000'000));
  EXPECT_EQ(back.fields[2].deadline, WallTimeFromMs(1'000));
}

TEST(Dump, EveryChangedOrMissingByteIsNoticed) {
  const std::string whole = EncodeDump({.type = ValueType::kSet, .elements = {"a", "17", "bcd"}});
  for (std::size_t i = 0; i < whole.size(); ++i) {
    std::string changed = whole;
    changed[i] = static_cast<char>(changed[i] ^ 0x10);
    EXPECT_FALSE(DecodeDump(changed)) << i;
    EXPECT_FALSE(DecodeDump(Bytes(whole).substr(0, i))) << i;
  }
}

DumpedValue SomeStream() {
  DumpedValue value{.type = ValueType::kStream};
  for (std::uint64_t i = 1; i <= 250; ++i) {
    const std::string name = i % 7 == 0 ? "other" : "field";
    value.entries.push_back({.id = {i / 2, i % 2 + 5}, .fields = {{name, std::to_string(i)}}});
  }
  rdb::StreamState& state = value.stream.emplace();
  state.last = {1000, 1};
  state.last_deleted = {99, 9};
  state.entries_added = 300;
  rdb::StreamGroup& group = state.groups.emplace_back();
  group = {.name = "g", .last = {50, 5}, .entries_read = 99, .pending = {}, .consumers = {}};
  group.consumers.push_back({.name = "a", .seen = WallTimeFromMs(7), .active = {}});
  group.consumers.push_back({.name = "", .seen = WallTimeFromMs(8), .active = {}});
  group.pending.push_back({{1, 1}, WallTimeFromMs(1234), 3, "a"});
  group.pending.push_back({{2, 0}, WallTimeFromMs(1235), 1, ""});
  state.groups.push_back(
      {.name = "h", .last = {}, .entries_read = {}, .pending = {}, .consumers = {}});
  return value;
}

TEST(Dump, StreamsComeBackAsTheyWere) {
  const DumpedValue value = SomeStream();
  const auto back = DecodeDump(EncodeDump(value));
  ASSERT_TRUE(back) << back.error().message();
  ASSERT_EQ(back->type, ValueType::kStream);
  ASSERT_EQ(back->entries.size(), value.entries.size());
  for (std::size_t i = 0; i < value.entries.size(); ++i) {
    EXPECT_EQ(back->entries[i].id, value.entries[i].id) << i;
    EXPECT_EQ(back->entries[i].fields, value.entries[i].fields) << i;
  }
  ASSERT_TRUE(back->stream);
  EXPECT_EQ(back->stream->entries, 250u);
  EXPECT_EQ(back->stream->last, value.stream->last);
  EXPECT_EQ(back->stream->last_deleted, value.stream->last_deleted);
  EXPECT_EQ(back->stream->entries_added, value.stream->entries_added);
  ASSERT_EQ(back->stream->groups.size(), 2u);
  const rdb::StreamGroup& group = back->stream->groups[0];
  EXPECT_EQ(group.entries_read, 99u);
  ASSERT_EQ(group.pending.size(), 2u);
  EXPECT_EQ(group.pending[0].consumer, "a");
  EXPECT_EQ(group.pending[0].deliveries, 3u);
  EXPECT_EQ(group.pending[1].delivered, WallTimeFromMs(1235));
  EXPECT_EQ(group.consumers.size(), 2u);
  EXPECT_EQ(back->stream->groups[1].entries_read, std::nullopt);
}

TEST(Dump, AStreamThatContradictsItselfIsRefused) {
  const auto refused = [](auto&& change) {
    DumpedValue value = SomeStream();
    change(value);
    return !DecodeDump(EncodeDump(value));
  };
  EXPECT_TRUE(refused([](DumpedValue& value) { value.entries[3].id = value.entries[2].id; }));
  EXPECT_TRUE(refused([](DumpedValue& value) { value.entries[0].id = {}; }));
  EXPECT_TRUE(refused([](DumpedValue& value) { value.stream->last = {1, 1}; }));
  EXPECT_TRUE(refused([](DumpedValue& value) { value.stream->groups[1].name = "g"; }));
  EXPECT_TRUE(refused([](DumpedValue& value) {
    auto& pending = value.stream->groups[0].pending;
    pending[1].id = pending[0].id;
  }));
  EXPECT_TRUE(refused([](DumpedValue& value) {
    rdb::StreamGroup& group = value.stream->groups[0];
    group.consumers[1].name = group.pending[1].consumer = "b";
    group.pending[0].consumer = "nobody";
  }));
  EXPECT_TRUE(refused([](DumpedValue& value) { value.stream->groups[0].consumers[1].name = "a"; }));
}

TEST(Dump, WhatIsNoValueIsRefusedThoughItsChecksumFits) {
  const std::string wrong[] = {
      Binary(""),          // No type.
      Binary("\x0f\x01"),  // A stream that ends early.
      Binary("\x02\x00"),  // An empty set.
      Binary("\x02\x02\x01"
             "a\x01"
             "a"),  // A name twice.
      Binary("\x01\x02\x01"
             "a"),  // Too few elements.
      Binary("\x01\x01\x01"
             "ab"),                                        // Too many bytes.
      Binary("\x01\x81\xff\xff\xff\xff\xff\xff\xff\xff"),  // More elements than bytes.
      Binary("\x05\x01\x01"
             "a\x00\x00\x00\x00\x00\x00\xf8\x7f"),  // nan
      Binary("\x03\x01\x01"
             "a\xfd"),  // nan
      Binary("\x00\xc3\x02\x40\xff\x00"
             "a"),  // Unpacks to less than it says.
  };
  for (const std::string& bytes : wrong) {
    const auto value = DecodeDump(Closed(bytes));
    ASSERT_FALSE(value);
    EXPECT_EQ(value.error().message(), "Bad data format");
  }
}

std::string RdbLength(std::size_t number) {
  std::string text = "\x80";
  for (int shift = 24; shift >= 0; shift -= 8) text += static_cast<char>(number >> shift & 0xff);
  return text;
}

// A string packed with LZF: `begin`, then its last `period` bytes repeated, `times` 264, then
// `end`.
std::string Packed(const std::string& begin, std::uint8_t period, std::size_t times,
                   const std::string& end) {
  const auto literal = [](const std::string& bytes) {
    return static_cast<char>(bytes.size() - 1) + bytes;
  };
  std::string packed = literal(begin);
  for (std::size_t i = 0; i < times; ++i) {
    packed += Binary("\xe0\xff");
    packed += static_cast<char>(period - 1);
  }
  packed += literal(end);
  return "\xc3" + RdbLength(packed.size()) + RdbLength(begin.size() + times * 264 + end.size()) +
         packed;
}

TEST(Dump, AllStringsTogetherAreBoundedAsOneIs) {
  const std::string one = Packed("a", 1, 250'000, "b");  // 66 MB, in 750 kB.
  EXPECT_EQ(Decoded(Closed(Binary("\x01\x03") + one + one + one)).elements.size(), 3u);
  std::string many = Binary("\x01\x14");
  for (int i = 0; i < 20; ++i) many += one;
  const auto value = DecodeDump(Closed(many));
  ASSERT_FALSE(value);
  EXPECT_NE(value.error().message().find("unpacks to more than"), std::string::npos)
      << value.error().message();
}

TEST(Dump, SmallValuesCountForWhatTheyTake) {
  // A set as a listpack of 53 MB: 26 million numbers in two bytes each.
  constexpr std::size_t kTimes = 200'000;
  const std::size_t bytes = 4 + 2 + 2 + kTimes * 264 + 1;
  std::string begin;
  for (int shift = 0; shift < 32; shift += 8) begin += static_cast<char>(bytes >> shift & 0xff);
  begin += Binary("\xff\xff\x07\x01");
  const auto value = DecodeDump(Closed(Binary("\x14") + Packed(begin, 2, kTimes, "\xff")));
  ASSERT_FALSE(value);
  EXPECT_NE(value.error().message().find("unpacks to more than"), std::string::npos)
      << value.error().message();
}

TEST(Dump, NewerVersionsAreRefused) {
  EXPECT_TRUE(DecodeDump(Closed(Binary("\x00\x01x"), 12)));
  const auto value = DecodeDump(Closed(Binary("\x00\x01x"), 13));
  ASSERT_FALSE(value);
  EXPECT_EQ(value.error().message(), "DUMP payload version or checksum are wrong");
}

}  // namespace
}  // namespace mayfly::server

// Goal: an RDB file of Redis is read to what it was made of; damage is noticed and told with its
// offset; and what the writer writes is read back.
// Method: a file of redis-server 7.0.15 with every type, in hexadecimal, whole, in pieces, cut off
// at every byte and changed at every byte; and files by the description of older forms.
#include "rdb/rdb_reader.h"

#include <gtest/gtest.h>

#include "base/coding.h"
#include "rdb/crc64.h"
#include "rdb/rdb_writer.h"
#include "rdb/testing/text_sink.h"

namespace mayfly::rdb {
namespace {

constexpr const char* kFile =
    "524544495330303130fa0972656469732d76657206372e302e3135fa0a72656469732d62697473c040fa0563"
    "74696d65c20d95fd6afa08757365642d6d656dc228331200fa08616f662d62617365c000f5404423216c7561"
    "206e616d653d6c69620a72656469732e72656769737465725f66756e6374696f6e282266222c2066756e6374"
    "696f6e28292072657475726e203120656e6429fe00fb0a0102056e616d6573020161016211017a1414000000"
    "040081610283312e35048162020201ff130273740110000000000000000100000000000000013d3d00000019"
    "00020101010201816102816202000102010001000101010201050103010101dfff0203010401050100010101"
    "0401010181630209010601ff0202050101020003010167010181ffffffffffffffff01000000000000000100"
    "00000000000001323d8eeea1010000010105616c696365323d8eeea101000001000000000000000100000000"
    "000000010b04696e74731404000000030000000100000002000000e0930400fc7b38d360ba01000000056479"
    "696e670178100168121200000004008166028176028167020701ff00016ec139300001730568656c6c6f0004"
    "6c6f6e67c30a40c802616261e0ba0101616212016c0102101000000003008161020101f178ec03fffe03fb01"
    "00100268330d0d0000000200816102816202ffffe152b9eec54992ea";

std::string FromHex(std::string_view hex) {
  std::string bytes;
  for (std::size_t i = 0; i + 1 < hex.size(); i += 2) {
    bytes.push_back(static_cast<char>(std::stoi(std::string(hex.substr(i, 2)), nullptr, 16)));
  }
  return bytes;
}

struct Told {
  std::string text;
  Status status;
};

Told Read(Bytes file, std::size_t piece = SIZE_MAX) {
  MemorySource source(file, piece);
  Input in(source, kElementBudget);
  TextSink sink;
  Status status = ReadRdb(in, sink);
  return {sink.text(), std::move(status)};
}

// A file of some version around keys, without a checksum.
std::string File(const std::string& version, const std::string& keys) {
  return "REDIS" + version + keys + "\xff" + std::string(8, '\0');
}

template <std::size_t kSize>
std::string BinaryText(const char (&text)[kSize]) {
  return std::string(text, kSize - 1);
}

TEST(RdbReader, ReadsAFileOfRedis) {
  const Told told = Read(FromHex(kFile));
  EXPECT_TRUE(told.status.ok()) << told.status.ToString();
  const std::string expected[] = {
      "aux redis-ver=7.0.15\n",
      "function #!lua name=lib\n",
      "0 string s: hello\n",
      "0 string n: 12345\n",
      "0 string dying until 1900000000123: x\n",
      "0 list l: a 1 -5000\n",
      "0 set ints: 1 2 300000\n",
      "0 zset z: a=1.5 b=2\n",
      "0 hash h: f=v g=7\n",
      "0 stream st: 1-1[a=1,b=2,] 2-5[c=9,] last=2-5 added=3 group g at 1-1 1-1:alicex1 alice\n",
      "3 hash h3: a=b\n",
  };
  for (const std::string& line : expected) {
    EXPECT_NE(told.text.find(line), std::string::npos) << line << "is not in\n" << told.text;
  }
  std::string doubled;
  for (int i = 0; i < 100; ++i) doubled += "ab";
  EXPECT_NE(told.text.find("0 string long: " + doubled + "\n"), std::string::npos);
}

TEST(RdbReader, HowBytesArriveMakesNoDifference) {
  const std::string file = FromHex(kFile);
  const std::string whole = Read(file).text;
  for (const std::size_t piece : {1u, 2u, 3u, 7u, 100u}) EXPECT_EQ(Read(file, piece).text, whole);
}

TEST(RdbReader, StandsBehindTheEnd) {
  const std::string file = FromHex(kFile);
  const std::string followed = file + "*1\r\n";
  MemorySource source(followed, SIZE_MAX);
  Input in(source, kElementBudget);
  TextSink sink;
  ASSERT_TRUE(ReadRdb(in, sink).ok());
  EXPECT_EQ(in.offset(), file.size());
  EXPECT_EQ(in.rest(), "*1\r\n");
}

TEST(RdbReader, EveryMissingOrChangedByteIsNoticed) {
  const std::string file = FromHex(kFile);
  for (std::size_t i = 0; i < file.size(); ++i) {
    const Told cut = Read(Bytes(file).substr(0, i));
    EXPECT_EQ(cut.status.code(), StatusCode::kCorruption) << i;
    EXPECT_NE(cut.status.message().find("offset "), std::string::npos) << cut.status.ToString();
    std::string changed = file;
    changed[i] = static_cast<char>(changed[i] ^ 0x04);
    EXPECT_FALSE(Read(changed).status.ok()) << i;
  }
}

TEST(RdbReader, TellsTheOffsetOfDamage) {
  EXPECT_EQ(Read("RODIS0009").status.message(), "offset 9: this is not an RDB file");
  EXPECT_EQ(Read(File("0009", "\xf3")).status.message(), "offset 10: no type has this number");
  const Told cut = Read("REDIS0009" + BinaryText("\x00\x01k\x05hel"));
  EXPECT_EQ(cut.status.message(), "offset 16: the bytes end too early");
}

TEST(RdbReader, NewerVersionsAreRefusedByName) {
  const Told told = Read(File("0013", ""));
  EXPECT_EQ(told.status.code(), StatusCode::kUnsupported);
  EXPECT_NE(told.status.message().find("version 13"), std::string::npos);
}

TEST(RdbReader, ReadsOlderForms) {
  EXPECT_EQ(Read(File("0009", BinaryText("\xfd\x10\x00\x00\x00\x00\x01k\x01v"))).text,
            "0 string k until 16000: v\n");
  EXPECT_EQ(Read(File("0003", BinaryText("\x09\x01h\x0d\x02\x01"
                                         "f\x01\x00v\x01g\x01\x01w_\xff")))
                .text,
            "0 hash h: f=v g=w\n");
  EXPECT_EQ(Read(File("0006", BinaryText("\x03\x01z\x01\x01"
                                         "a\x03"
                                         "1.5")))
                .text,
            "0 zset z: a=1.5\n");
}

TEST(RdbReader, ReadsDeadlinesOfFields) {
  EXPECT_EQ(Read(File("0012", BinaryText("\x18\x01h\xe8\x03\x00\x00\x00\x00\x00\x00\x03"
                                         "\x00\x01"
                                         "a\x01x\x01\x01"
                                         "b\x01y\x06\x01"
                                         "c\x01z")))
                .text,
            "0 hash h: a=x b=y@1000 c=z@1005\n");
}

TEST(RdbReader, ReadsOverModulesAndNamesThem) {
  std::string number;
  AppendBigEndian64(number, 0);
  const Told told =
      Read(File("0010", "\x07\x01j\x81" + number + BinaryText("\x02\x05\x05\x01x\x00")));
  EXPECT_TRUE(told.status.ok()) << told.status.ToString();
  EXPECT_EQ(told.text, "0 module j: of AAAAAAAAA\n");
}

TEST(RdbWriter, WhatIsWrittenIsReadBack) {
  Writer writer(kRdbVersion);
  writer.Aux("redis-ver", "7.0.0");
  writer.Database(2);
  writer.Key("k", WallTimeFromMs(1'900'000'000'001), BinaryText("\x00\x01v"));
  std::string file = writer.Take();
  writer.Key("17", std::nullopt,
             BinaryText("\x02\x02\x01"
                        "a\xc0\x05"));
  writer.End();
  file += writer.Take();
  const Told told = Read(file);
  EXPECT_TRUE(told.status.ok()) << told.status.ToString();
  EXPECT_EQ(told.text, "aux redis-ver=7.0.0\n2 string k until 1900000000001: v\n2 set 17: a 5\n");
}

// The check value of this checksum, as its catalogue has it.
TEST(Crc64, HasItsCheckValue) {
  EXPECT_EQ(Crc64("123456789"), 0xe9c6d914c4b8d9cau);
  EXPECT_EQ(Crc64("56789", Crc64("1234")), 0xe9c6d914c4b8d9cau);
}

}  // namespace
}  // namespace mayfly::rdb

// Goal: every reply has the bytes Redis sends, in both versions.
// Method: a table of calls with their bytes; deferred sizes against announced ones.
#include "wire/reply_writer.h"

#include <gtest/gtest.h>

#include <functional>
#include <limits>
#include <string>
#include <vector>

namespace mayfly {
namespace {

constexpr double kInfinite = std::numeric_limits<double>::infinity();

std::string Written(ProtocolVersion version, const std::function<void(ReplyWriter&)>& write) {
  OutputBuffer out;
  ReplyWriter writer(out, version);
  write(writer);
  return std::string(out.view());
}

struct WriterCase {
  std::function<void(ReplyWriter&)> write;
  std::string resp2;
  std::string resp3;
};

// Functions rather than braces: clang-format 14 breaks down over a table with lambdas in it.
WriterCase Differs(std::function<void(ReplyWriter&)> write, std::string resp2, std::string resp3) {
  return {std::move(write), std::move(resp2), std::move(resp3)};
}

WriterCase Same(std::function<void(ReplyWriter&)> write, const std::string& both) {
  return {std::move(write), both, both};
}

std::vector<WriterCase> WriterCases() {
  using W = ReplyWriter;
  return {
      Same([](W& w) { w.SimpleString("OK"); }, "+OK\r\n"),
      Same([](W& w) { w.Ok(); }, "+OK\r\n"),
      Same([](W& w) { w.SimpleString(""); }, "+\r\n"),
      Same([](W& w) { w.SimpleString("a\r\nb"); }, "+a  b\r\n"),
      Same([](W& w) { w.Error("ERR no"); }, "-ERR no\r\n"),
      Same([](W& w) { w.Error("\r\nERR a\nb\r\n-ERR c\n"); }, "-ERR a b  -ERR c\r\n"),
      Same([](W& w) { w.Error("\r\n"); }, "-\r\n"),
      Same([](W& w) { w.Integer(0); }, ":0\r\n"),
      Same([](W& w) { w.Integer(-12); }, ":-12\r\n"),
      Same([](W& w) { w.Integer(std::numeric_limits<std::int64_t>::min()); },
           ":-9223372036854775808\r\n"),
      Same([](W& w) { w.Bulk(""); }, "$0\r\n\r\n"),
      Same([](W& w) { w.Bulk(Bytes("a\0\r\n", 4)); }, std::string("$4\r\na\0\r\n\r\n", 10)),
      Same([](W& w) { w.Bulk(std::string(12, 'x')); }, "$12\r\nxxxxxxxxxxxx\r\n"),
      Same([](W& w) { w.Array(0); }, "*0\r\n"),
      Same([](W& w) { w.Array(1234567); }, "*1234567\r\n"),
      Differs([](W& w) { w.Null(); }, "$-1\r\n", "_\r\n"),
      Differs([](W& w) { w.NullArray(); }, "*-1\r\n", "_\r\n"),
      Differs([](W& w) { w.Map(6); }, "*12\r\n", "%6\r\n"),
      Differs([](W& w) { w.Set(3); }, "*3\r\n", "~3\r\n"),
      Differs([](W& w) { w.Push(3); }, "*3\r\n", ">3\r\n"),
      Differs([](W& w) { w.Boolean(true); }, ":1\r\n", "#t\r\n"),
      Differs([](W& w) { w.Boolean(false); }, ":0\r\n", "#f\r\n"),
      Differs([](W& w) { w.Double(0.1); }, "$19\r\n0.10000000000000001\r\n",
              ",0.10000000000000001\r\n"),
      Differs([](W& w) { w.Double(3); }, "$1\r\n3\r\n", ",3\r\n"),
      Differs([](W& w) { w.Double(kInfinite); }, "$3\r\ninf\r\n", ",inf\r\n"),
      Differs([](W& w) { w.Double(-kInfinite); }, "$4\r\n-inf\r\n", ",-inf\r\n"),
      Differs([](W& w) { w.Double(std::numeric_limits<double>::quiet_NaN()); }, "$3\r\nnan\r\n",
              ",nan\r\n"),
      Differs([](W& w) { w.BigNumber("-12345678901234567890"); },
              "$21\r\n-12345678901234567890\r\n", "(-12345678901234567890\r\n"),
      Differs([](W& w) { w.Verbatim("txt", "a\nb"); }, "$3\r\na\nb\r\n", "=7\r\ntxt:a\nb\r\n"),
      Differs([](W& w) { w.BulkError("ERR a\nb"); }, "-ERR a b\r\n", "!7\r\nERR a\nb\r\n"),
  };
}

TEST(ReplyWriter, WritesTheBytesOfEachVersion) {
  for (const WriterCase& c : WriterCases()) {
    EXPECT_EQ(Written(ProtocolVersion::kResp2, c.write), c.resp2);
    EXPECT_EQ(Written(ProtocolVersion::kResp3, c.write), c.resp3);
  }
  EXPECT_EQ(
      Written(ProtocolVersion::kResp3, [](ReplyWriter& w) { w.Begin(Aggregate::kAttribute, 1); }),
      "|1\r\n");
}

TEST(ReplyWriter, WritesSizesThatAreKnownLate) {
  for (const ProtocolVersion version : {ProtocolVersion::kResp2, ProtocolVersion::kResp3}) {
    for (const Aggregate kind :
         {Aggregate::kArray, Aggregate::kMap, Aggregate::kSet, Aggregate::kPush}) {
      for (const std::size_t size : {0u, 1u, 4u, 5u, 9u, 10u, 99u, 100u, 12'345u}) {
        const std::size_t values = kind == Aggregate::kMap ? 2 * size : size;
        const auto write = [&](ReplyWriter& w, bool late) {
          w.Integer(1);
          std::vector<ReplyWriter::Deferred> deferred;
          if (late) deferred.push_back(w.BeginDeferred(kind));
          if (!late) w.Begin(kind, size);
          for (std::size_t i = 0; i < values; ++i) w.Integer(static_cast<std::int64_t>(i));
          if (late) w.EndDeferred(deferred[0], size);
          w.Bulk("after");
        };
        EXPECT_EQ(Written(version, [&](ReplyWriter& w) { write(w, true); }),
                  Written(version, [&](ReplyWriter& w) { write(w, false); }));
      }
    }
  }
}

TEST(ReplyWriter, NestsSizesThatAreKnownLate) {
  OutputBuffer out;
  ReplyWriter writer(out, ProtocolVersion::kResp2);
  writer.SimpleString("sent");
  const auto outer = writer.BeginDeferred(Aggregate::kArray);
  out.Consume(3);  // Some of what was before the header.
  std::string expected = "*20\r\n";
  for (int i = 0; i < 20; ++i) {
    const auto inner = writer.BeginDeferred(Aggregate::kMap);
    const int pairs = i;
    expected += "*" + std::to_string(2 * pairs) + "\r\n";
    for (int value = 0; value < 2 * pairs; ++value) {
      writer.Integer(value);
      expected += ":" + std::to_string(value) + "\r\n";
    }
    writer.EndDeferred(inner, static_cast<std::size_t>(pairs));
  }
  writer.EndDeferred(outer, 20);
  EXPECT_EQ(out.view(), "nt\r\n" + expected);
}

TEST(ReplyWriterDeathTest, HasNoAttributesInResp2) {
  OutputBuffer out;
  ReplyWriter writer(out, ProtocolVersion::kResp2);
  EXPECT_DEATH(writer.Begin(Aggregate::kAttribute, 1), "no attributes");
}

}  // namespace
}  // namespace mayfly

// Goal: the parser reads what the writer writes, in both versions.
// Method: seeded random replies. RESP3 must give the same reply back; RESP2, which has fewer kinds,
// the reply it was converted to.
#include <gtest/gtest.h>

#include <cstring>
#include <string>
#include <vector>

#include "base/random.h"
#include "base/testing/environment.h"
#include "wire/decimal.h"
#include "wire/testing/pieces.h"
#include "wire/testing/replies.h"

namespace mayfly {
namespace {

using Kind = Reply::Kind;

std::string RandomLine(Random& random) {
  std::string text = random.Bytes(random.Below(30));
  for (char& c : text) {
    if (c == '\r' || c == '\n') c = '.';
  }
  return text;
}

double RandomDouble(Random& random) {
  if (random.OneIn(2)) return static_cast<double>(random.Below(1000)) / 10;
  const std::uint64_t bits = random.Next();
  double value = 0;
  std::memcpy(&value, &bits, sizeof(value));
  return value;
}

Reply RandomReply(Random& random, int depth);

Reply::Items RandomItems(Random& random, std::size_t count, int depth) {
  Reply::Items items;
  while (items.size() < count) items.push_back(RandomReply(random, depth - 1));
  return items;
}

Reply RandomReply(Random& random, int depth) {
  const std::size_t size = random.Below(6);
  Reply reply;
  switch (random.Below(depth > 0 ? 14 : 11)) {
    case 0: return Reply::Null();
    case 1: return Reply::NullArray();
    case 2: return Reply::Text(Kind::kSimpleString, RandomLine(random));
    case 3: return Reply::Text(Kind::kError, RandomLine(random));
    case 4: return Reply::Bulk(random.Bytes(random.OneIn(9) ? random.Below(5000) : size));
    case 5: return Reply::Text(Kind::kBulkError, random.Bytes(size));
    case 6: return Reply::Text(Kind::kVerbatim, "mkd:" + random.Bytes(size));
    case 7: return Reply::Text(Kind::kBigNumber, "-" + std::to_string(random.Next()) + "0123");
    case 8: return Reply::Integer(static_cast<std::int64_t>(random.Next()));
    case 9: return Reply::Double(RandomDouble(random));
    case 10: return Reply::Boolean(random.OneIn(2));
    case 11: reply = Reply::Array(RandomItems(random, size, depth)); break;
    case 12: reply = Reply::Of(Kind::kSet, RandomItems(random, size, depth)); break;
    default: reply = Reply::Of(Kind::kMap, RandomItems(random, 2 * size, depth)); break;
  }
  if (random.OneIn(5)) reply.attributes = RandomItems(random, 2, depth);
  return reply;
}

// What a client of RESP2 sees.
Reply InResp2(Reply reply) {
  reply.attributes.clear();
  char text[kDecimalBytesMax];
  switch (reply.kind) {
    case Kind::kVerbatim: return Reply::Bulk(reply.text().substr(4));
    case Kind::kBigNumber: return Reply::Bulk(reply.text());
    case Kind::kDouble: return Reply::Bulk({text, WriteDouble(text, reply.number())});
    case Kind::kBoolean: return Reply::Integer(reply.boolean() ? 1 : 0);
    case Kind::kBulkError: {
      OutputBuffer out;
      ReplyWriter(out, ProtocolVersion::kResp2).Error(reply.text());
      return Reply::Text(Kind::kError, std::string(out.view().substr(1, out.size() - 3)));
    }
    case Kind::kArray:
    case Kind::kSet:
    case Kind::kPush:
    case Kind::kMap:
      for (Reply& item : reply.items()) item = InResp2(std::move(item));
      reply.kind = Kind::kArray;
      return reply;
    default: return reply;
  }
}

TEST(ReplyRoundTrip, GivesBackRandomReplies) {
  const std::uint64_t seed = NumberFromEnvironment("MAYFLY_SEED", FreshSeed());
  SCOPED_TRACE("MAYFLY_SEED=" + std::to_string(seed));
  Random random(seed);
  for (int round = 0; round < 20'000; ++round) {
    Reply sent = RandomReply(random, 4);
    if (random.OneIn(10)) sent = Reply::Of(Kind::kPush, {sent, sent});
    const std::string resp3 = WireOf(sent, ProtocolVersion::kResp3);
    const Replies got3 = ParseReplies(RandomPieces(resp3, random.Between(1, 300), random));
    ASSERT_TRUE(got3.error.ok()) << got3.error.ToString();
    ASSERT_EQ(got3.replies.size(), 1);
    ASSERT_TRUE(got3.replies[0] == WithOneNull(sent)) << testing::PrintToString(resp3);

    const std::string resp2 = WireOf(sent, ProtocolVersion::kResp2);
    const Replies got2 = ParseReplies(RandomPieces(resp2, random.Between(1, 300), random));
    ASSERT_TRUE(got2.error.ok()) << got2.error.ToString();
    ASSERT_EQ(got2.replies.size(), 1);
    ASSERT_TRUE(got2.replies[0] == InResp2(sent)) << testing::PrintToString(resp2);
  }
}

}  // namespace
}  // namespace mayfly

// Goal: what is kept is read as it was appended, from any offset, and no more than asked for is
// dropped. Method: appends of many sizes against one plain string.
#include "server/feed/replication_log.h"

#include <gtest/gtest.h>

#include <string>

namespace mayfly::server {
namespace {

std::string ReadAll(const ReplicationLog& log, std::int64_t from, std::size_t step) {
  ByteBuffer out;
  std::string all;
  while (const std::size_t count = log.Read(from, step, out)) {
    from += static_cast<std::int64_t>(count);
    all += out.view();
    out.Clear();
  }
  return all;
}

TEST(ReplicationLog, IsReadFromAnyOffsetInAnySteps) {
  ReplicationLog log;
  log.Reset(1000);
  std::string whole;
  for (const std::size_t size :
       std::initializer_list<std::size_t>{1, 100, 70000, 0, 65536, 3, 200000}) {
    std::string piece(size, static_cast<char>('a' + static_cast<int>(size % 26)));
    whole += piece;
    log.Append(piece);
  }
  EXPECT_EQ(log.begin(), 1000);
  EXPECT_EQ(log.end(), 1000 + static_cast<std::int64_t>(whole.size()));
  for (const std::size_t from :
       {std::size_t{0}, std::size_t{1}, std::size_t{65'536}, whole.size() - 1, whole.size()}) {
    EXPECT_EQ(ReadAll(log, 1000 + static_cast<std::int64_t>(from), 50'000), whole.substr(from));
  }
}

TEST(ReplicationLog, IsCutInWholeBlocksAndGoesOn) {
  ReplicationLog log;
  log.Reset(0);
  log.Append(std::string(300'000, 'x'));
  log.Cut(200'000);
  EXPECT_LE(log.begin(), 200'000);
  EXPECT_GT(log.begin(), 100'000);
  log.Append("end");
  EXPECT_EQ(ReadAll(log, 299'999, 10), "xend");
  log.Cut(log.end());
  EXPECT_EQ(log.begin(), log.end());
  EXPECT_EQ(log.bytes(), 0U);
  log.Append("more");
  EXPECT_EQ(ReadAll(log, log.begin(), 10), "more");
}

}  // namespace
}  // namespace mayfly::server

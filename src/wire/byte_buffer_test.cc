// Goal: bytes leave as they came, and are not copied more than they should be.
// Method: seeded operations against a string, and a check of the capacity.
#include "wire/byte_buffer.h"

#include <gtest/gtest.h>

#include <string>
#include <utility>

#include "base/random.h"

namespace mayfly {
namespace {

TEST(ByteBuffer, HoldsWhatAStringWouldHold) {
  Random random(5);
  ByteBuffer buffer;
  std::string model;
  std::uint64_t consumed = 0;
  for (int i = 0; i < 20'000; ++i) {
    const std::uint64_t action = random.Below(10);
    if (action < 5) {
      const std::string bytes = random.Bytes(random.Below(200));
      buffer.Append(bytes);
      model += bytes;
    } else if (action < 8) {
      const std::size_t bytes = random.Below(model.size() + 1);
      buffer.Consume(bytes);
      model.erase(0, bytes);
      consumed += bytes;
    } else if (action < 9) {
      const std::size_t at = random.Below(model.size() + 1);
      const std::size_t bytes = random.Below(model.size() - at + 1);
      const std::string with = random.Bytes(random.Below(20));
      buffer.Replace(consumed + at, bytes, with);
      model.replace(at, bytes, with);
    } else {
      buffer.Release();
    }
    ASSERT_EQ(buffer.view(), model);
    ASSERT_EQ(buffer.end_offset(), consumed + model.size());
  }
}

TEST(ByteBuffer, IsSizedToWhatIsAskedFor) {
  ByteBuffer buffer;
  buffer.Reserve(1'000'000);
  EXPECT_EQ(buffer.capacity(), 1'000'000);
  EXPECT_EQ(buffer.room(), 1'000'000);
}

TEST(ByteBuffer, StaysSmallWhileBytesPassThrough) {
  ByteBuffer buffer;
  const std::string bytes(100, 'x');
  for (int i = 0; i < 100'000; ++i) {
    buffer.Append(bytes);
    buffer.Append(bytes);
    buffer.Consume(buffer.size() > 300 ? 300 : 100);
  }
  EXPECT_LT(buffer.capacity(), 4096);
}

TEST(ByteBuffer, ReleasesOnlyWhenEmpty) {
  ByteBuffer buffer;
  buffer.Append("abc");
  buffer.Release();
  EXPECT_EQ(buffer.view(), "abc");
  buffer.Clear();
  buffer.Release();
  EXPECT_EQ(buffer.capacity(), 0);
  buffer.Append("d");
  EXPECT_EQ(buffer.view(), "d");
}

TEST(ByteBuffer, NothingIsReplacedByNothingBeforeAnythingWasWritten) {
  ByteBuffer buffer;
  buffer.Replace(0, 0, {});  // For the undefined behaviour sanitizer: nothing is allocated yet.
  EXPECT_EQ(buffer.view(), "");
}

TEST(ByteBufferDeathTest, RefusesToReplaceWhatHasLeft) {
  ByteBuffer buffer;
  buffer.Append("abcdef");
  buffer.Consume(3);
  EXPECT_DEATH(buffer.Replace(2, 1, "x"), "left the buffer");
}

}  // namespace
}  // namespace mayfly

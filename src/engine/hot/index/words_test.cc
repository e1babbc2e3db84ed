// Goal: copies and comparisons by words are those of bytes, at every offset and length.
// Method: all small offsets and lengths, against memcpy and memcmp.
#include "engine/hot/index/words.h"

#include <gtest/gtest.h>

#include <cstring>
#include <string>

#include "base/random.h"

namespace mayfly::engine::hot {
namespace {

alignas(8) std::byte memory[128];

TEST(Words, CopyAnyBytesAndLeaveTheirNeighbours) {
  Random random(5);
  for (std::size_t offset = 0; offset < 16; ++offset) {
    for (std::size_t size = 0; size < 60; ++size) {
      std::string expected = random.Bytes(sizeof(memory));
      std::memcpy(memory, expected.data(), sizeof(memory));
      std::string out(size, '?');
      CopyOut(memory + offset, out.data(), size);
      ASSERT_EQ(out, expected.substr(offset, size)) << offset << " " << size;
      const std::string in = random.Bytes(size);
      CopyIn(memory + offset, in);
      expected.replace(offset, size, in);
      ASSERT_EQ(std::memcmp(memory, expected.data(), sizeof(memory)), 0) << offset << " " << size;
      Wipe(memory + offset, size);
      expected.replace(offset, size, std::string(size, '\0'));
      ASSERT_EQ(std::memcmp(memory, expected.data(), sizeof(memory)), 0) << offset << " " << size;
    }
  }
}

TEST(Words, CompareAndHashAsBytesDo) {
  Random random(6);
  static constexpr char kLetters[] = {'\0', 'a', '\x7f', '\xff'};
  const auto draw = [&] {
    std::string bytes(random.Below(20), '\0');
    for (char& letter : bytes) letter = kLetters[random.OneIn(3) ? random.Below(4) : 1];
    return bytes;
  };
  const auto sign = [](int order) { return (order > 0) - (order < 0); };
  for (int i = 0; i < 20000; ++i) {
    const std::string a = draw();
    const std::string b = draw();
    std::memset(memory, static_cast<int>(random.Below(256)), sizeof(memory));
    std::memcpy(memory, a.data(), a.size());
    ASSERT_EQ(CompareWords(memory, a.size(), b), sign(a.compare(b)));
    ASSERT_EQ(HashOfWords(memory, a.size(), 9), HashOf(a, 9));
    if (a.size() == b.size()) {
      ASSERT_EQ(EqualWords(memory, b), a == b);
    }
  }
}

}  // namespace
}  // namespace mayfly::engine::hot

// Goal: a holder is made once, reused while its type stays, and destroyed exactly once.
// Method: holders that count constructions and destructions; the sanitizers check the storage.
#include "mayfly/pinned_bytes.h"

#include <gtest/gtest.h>

#include <string>

namespace mayfly::engine {
namespace {

struct Lives {
  int made = 0;
  int gone = 0;
};

// A holder type of its own per number, each with its own count.
template <int kNumber>
struct Counted {
  static Lives& lives() {
    static Lives lives;
    return lives;
  }
  Counted() { ++lives().made; }
  ~Counted() { ++lives().gone; }
  Counted(const Counted&) = delete;
  Counted& operator=(const Counted&) = delete;

  std::string buffer;
};

TEST(PinnedBytes, ShowsNothingToBeginWith) {
  PinnedBytes bytes;
  EXPECT_TRUE(bytes.view().empty());
}

TEST(PinnedBytes, ShowsWhatItsHolderOwns) {
  PinnedBytes bytes;
  std::string& holder = bytes.Hold<std::string>();
  holder = "a value longer than any small string buffer";
  bytes.Show(holder);
  EXPECT_EQ(bytes.view(), "a value longer than any small string buffer");
}

TEST(PinnedBytes, UsesTheHolderAgainWithItsBuffer) {
  using Holder = Counted<1>;
  {
    PinnedBytes bytes;
    Holder& first = bytes.Hold<Holder>();
    first.buffer.assign(1000, 'x');
    const char* memory = first.buffer.data();
    for (int read = 0; read < 5; ++read) {
      Holder& again = bytes.Hold<Holder>();
      EXPECT_EQ(&again, &first);
      again.buffer.assign(500, 'y');
      EXPECT_EQ(again.buffer.data(), memory);
      bytes.Show(again.buffer);
    }
    EXPECT_EQ(Holder::lives().made, 1);
    EXPECT_EQ(Holder::lives().gone, 0);
  }
  EXPECT_EQ(Holder::lives().made, 1);
  EXPECT_EQ(Holder::lives().gone, 1);
}

TEST(PinnedBytes, RecyclesTheMemoryOfACopyAndReleasesOtherHolders) {
  constexpr std::size_t kBytesMax = 2000;
  PinnedBytes bytes;
  std::string& copy = bytes.Hold<std::string>();
  copy.assign(1000, 'x');
  const char* const memory = copy.data();
  bytes.Show(copy);
  bytes.Recycle(kBytesMax);
  EXPECT_TRUE(bytes.view().empty());
  EXPECT_EQ(&bytes.Hold<std::string>(), &copy);
  copy.assign(1000, 'y');
  EXPECT_EQ(copy.data(), memory);
  copy.assign(2 * kBytesMax, 'z');
  bytes.Recycle(kBytesMax);
  EXPECT_LT(bytes.Hold<std::string>().capacity(), kBytesMax) << "too much to keep";

  using Pin = Counted<9>;
  bytes.Hold<Pin>();
  bytes.Recycle(kBytesMax);
  EXPECT_EQ(Pin::lives().gone, 1) << "it may pin more than its bytes";
}

TEST(PinnedBytes, SwapsTheHolderWhenTheTypeChanges) {
  using One = Counted<2>;
  using Other = Counted<3>;
  {
    PinnedBytes bytes;
    bytes.Hold<One>().buffer = "one";
    bytes.Show(bytes.Hold<One>().buffer);
    bytes.Hold<Other>().buffer = "other";
    EXPECT_TRUE(bytes.view().empty()) << "the view went with its holder";
    EXPECT_EQ(One::lives().gone, 1);
    EXPECT_EQ(Other::lives().made, 1);
    EXPECT_TRUE(bytes.Hold<One>().buffer.empty()) << "a new holder, not the old one's bytes";
    EXPECT_EQ(Other::lives().gone, 1);
  }
  EXPECT_EQ(One::lives().made, 2);
  EXPECT_EQ(One::lives().gone, 2);
  EXPECT_EQ(Other::lives().made, 1);
  EXPECT_EQ(Other::lives().gone, 1);
}

TEST(PinnedBytes, ResetLetsGoOnce) {
  using Holder = Counted<4>;
  {
    PinnedBytes bytes;
    bytes.Reset();
    bytes.Show(bytes.Hold<Holder>().buffer = "held");
    bytes.Reset();
    EXPECT_TRUE(bytes.view().empty());
    EXPECT_EQ(Holder::lives().gone, 1);
    bytes.Reset();
    EXPECT_EQ(Holder::lives().gone, 1);
    bytes.Hold<Holder>();
    EXPECT_EQ(Holder::lives().made, 2);
  }
  EXPECT_EQ(Holder::lives().gone, 2);
}

TEST(PinnedBytes, TellsHoldersApartThatNeedNoDestruction) {
  struct Small {
    int number = 1;
  };
  struct Large {
    int number = 2;
    char rest[100] = {};
  };
  PinnedBytes bytes;
  bytes.Hold<Small>().number = 7;
  EXPECT_EQ(bytes.Hold<Small>().number, 7);
  EXPECT_EQ(bytes.Hold<Large>().number, 2);
  EXPECT_EQ(bytes.Hold<Small>().number, 1);
}

TEST(PinnedBytes, AlignsItsHolder) {
  struct alignas(std::max_align_t) Aligned {
    std::max_align_t member;
  };
  PinnedBytes bytes;
  EXPECT_EQ(reinterpret_cast<std::uintptr_t>(&bytes.Hold<Aligned>()) % alignof(Aligned), 0u);
}

TEST(PinnedBytes, StaysEmptyWhenAHolderCannotBeMade) {
  struct Thrower {
    Thrower() { throw 1; }
  };
  PinnedBytes bytes;
  bytes.Show(bytes.Hold<Counted<5>>().buffer = "held");
  EXPECT_THROW(bytes.Hold<Thrower>(), int);
  EXPECT_TRUE(bytes.view().empty());
  EXPECT_EQ(Counted<5>::lives().gone, 1);
}

}  // namespace
}  // namespace mayfly::engine

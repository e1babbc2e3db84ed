// Goal: a HyperLogLog's bytes and counts are Redis', growth included; damaged bytes are refused.
// Method: values that redis-server 7.0 made, random elements against sets, bytes changed at random.
#include "types/hyperloglog/hyperloglog.h"

#include <gtest/gtest.h>

#include <set>

#include "base/random.h"
#include "types/hyperloglog/dense_registers.h"
#include "types/hyperloglog/sparse_registers.h"

namespace mayfly::types {
namespace {

constexpr std::size_t kSparseMax = 3000;
constexpr std::size_t kHead = 16;

std::string Element(std::uint64_t number) { return "e" + std::to_string(number); }

HyperLogLog Of(std::uint64_t elements, std::size_t sparse_max = kSparseMax) {
  HyperLogLog made;
  for (std::uint64_t i = 0; i < elements; ++i) {
    EXPECT_TRUE(made.Add(Element(i), sparse_max).has_value());
  }
  return made;
}

TEST(HyperLogLog, MakesTheRunsThatRedisMakes) {
  HyperLogLog made;
  for (const Bytes element : {"a", "b", "c"}) EXPECT_TRUE(made.Add(element, kSparseMax).value());
  EXPECT_EQ(made.value(), std::string("HYLL\x01\0\0\0\0\0\0\0\0\0\0\x80"
                                      "\x60\xf3\x80\x50\xb1\x84\x4b\xfb\x80\x42\x5a",
                                      27));
  EXPECT_FALSE(made.Add("a", kSparseMax).value());
  EXPECT_TRUE(made.Add("", kSparseMax).value());
  EXPECT_TRUE(made.Add("a longer element, of more than eight bytes", kSparseMax).value());
  EXPECT_EQ(made.DescribeRuns().value(),
            "Z:2726 v:4,1 Z:3211 v:2,1 Z:2497 v:1,1 Z:4274 v:2,1 Z:3068 v:1,1 Z:603");
}

TEST(HyperLogLog, CountsWhatRedisCounts) {
  const struct {
    std::uint64_t elements;
    std::uint64_t count;
    std::size_t bytes;
  } cases[] = {{0, 0, 18},         {10, 10, 48},         {100, 100, 285},
               {1000, 1008, 1906}, {10000, 9973, 12304}, {100000, 100853, 12304}};
  for (const auto& one : cases) {
    const HyperLogLog made = Of(one.elements);
    EXPECT_EQ(made.Count().value(), one.count);
    EXPECT_EQ(made.value().size(), one.bytes);
  }
}

TEST(HyperLogLog, SparseAndDenseAgree) {
  const std::uint64_t seed = FreshSeed();
  SCOPED_TRACE(seed);
  Random random(seed);
  HyperLogLog sparse;
  HyperLogLog dense;
  EXPECT_TRUE(dense.MakeDense().value());
  EXPECT_FALSE(dense.MakeDense().value());
  for (int i = 0; i < 3000; ++i) {
    const std::string element = Element(random.Next());
    ASSERT_EQ(sparse.Add(element, 100'000).value(), dense.Add(element, 0).value());
    if (i % 100 == 0) {
      ASSERT_EQ(sparse.Count().value(), dense.Count().value());
    }
  }
  const bool sparse_runs = sparse.encoding() == HyperLogLog::Encoding::kSparse;
  Registers one = {};
  Registers other = {};
  EXPECT_TRUE(sparse.MergeInto(one).ok() && dense.MergeInto(other).ok());
  EXPECT_EQ(one, other);
  EXPECT_EQ(sparse.MakeDense().value(), sparse_runs);
  EXPECT_EQ(sparse.value(), dense.value());
}

TEST(HyperLogLog, BecomesDenseAtTheBoundAndNotBefore) {
  HyperLogLog made = Of(10);
  const std::size_t bytes = made.value().size();
  for (std::uint64_t i = 10; made.encoding() == HyperLogLog::Encoding::kSparse; ++i) {
    ASSERT_LE(made.value().size(), bytes + 5);
    ASSERT_TRUE(made.Add(Element(i), bytes + 5).has_value());
  }
  EXPECT_EQ(made.value().size(), kHead + kDenseBytes);
  // A rank that runs have no room for.
  Registers high = {};
  high[7] = kSparseRankMax + 1;
  HyperLogLog one;
  EXPECT_TRUE(one.Raise(high, kSparseMax).value());
  EXPECT_EQ(one.encoding(), HyperLogLog::Encoding::kDense);
  EXPECT_EQ(DenseRegister(one.value().substr(kHead), 7), kSparseRankMax + 1);
}

TEST(HyperLogLog, AUnionIsWhatAllElementsTogetherMake) {
  Registers merged = {};
  for (std::uint64_t part = 0; part < 3; ++part) {
    HyperLogLog some;
    for (std::uint64_t i = 0; i < 2000; ++i) {
      EXPECT_TRUE(some.Add(Element(part * 1000 + i), part == 1 ? 0 : 9000).has_value());
    }
    EXPECT_TRUE(some.MergeInto(merged).ok());
  }
  EXPECT_EQ(Estimate(CountsOf(merged)), Of(4000).Count().value());
  HyperLogLog raised;
  EXPECT_TRUE(raised.Raise(merged, kSparseMax).value());
  EXPECT_FALSE(raised.Raise(merged, kSparseMax).value());
  EXPECT_EQ(raised.Count().value(), Of(4000).Count().value());
}

TEST(HyperLogLog, TheEstimateIsKnownUntilAChange) {
  HyperLogLog made;
  EXPECT_EQ(made.stored_estimate(), 0u);
  EXPECT_TRUE(made.Add("a", kSparseMax).value());
  EXPECT_EQ(made.stored_estimate(), std::nullopt);
  made.StoreEstimate(0x0102030405060708);
  EXPECT_EQ(made.stored_estimate(), 0x0102030405060708u);
  EXPECT_EQ(made.value().substr(8, 8), "\x08\x07\x06\x05\x04\x03\x02\x01");
  EXPECT_FALSE(made.Add("a", kSparseMax).value());
  EXPECT_TRUE(made.stored_estimate().has_value());
  EXPECT_TRUE(made.Add("b", kSparseMax).value());
  EXPECT_EQ(made.stored_estimate(), std::nullopt);
}

TEST(HyperLogLog, AValueIsChangedInACopy) {
  const std::string stored(Of(50).value());
  HyperLogLog read = *HyperLogLog::Read(stored);
  EXPECT_TRUE(read.Add("another", kSparseMax).value());
  EXPECT_EQ(stored, Of(50).value());
  EXPECT_NE(read.value(), stored);
}

TEST(HyperLogLog, OtherBytesAreRefused) {
  const std::string good(Of(50).value());
  const std::string dense(Of(50, 0).value());
  const auto with = [](std::string bytes, std::size_t at, char byte) {
    bytes[at] = byte;
    return bytes;
  };
  for (const std::string& bad :
       {std::string(), std::string("HYLL"), good.substr(0, 15), with(good, 0, 'h'),
        with(good, 4, '\2'), with(good, 4, '\0'), dense + "x", dense.substr(0, dense.size() - 1)}) {
    EXPECT_FALSE(HyperLogLog::Read(bad).has_value()) << bad.size();
  }
  // The head is right, the runs are not.
  const std::string head = good.substr(0, kHead);
  for (const std::string& bad : {good + "hello", good.substr(0, good.size() - 1), head,
                                 head + '\x7f', head + "\x7f\xff\x80", head + "\x7f\xfe"}) {
    HyperLogLog read = *HyperLogLog::Read(bad);
    EXPECT_EQ(read.Count().error().code(), StatusCode::kInvalid) << bad.size();
    Registers registers = {};
    EXPECT_EQ(read.MergeInto(registers).code(), StatusCode::kInvalid);
    EXPECT_EQ(read.Add("a", kSparseMax).error().code(), StatusCode::kInvalid);
    EXPECT_EQ(read.MakeDense().error().code(), StatusCode::kInvalid);
    EXPECT_EQ(read.DescribeRuns().error().code(), StatusCode::kInvalid);
    EXPECT_EQ(read.value(), bad);
  }
  EXPECT_EQ(HyperLogLog::Read(head + "\x7f\xff")->Count().value(), 0u);
}

TEST(HyperLogLog, RegistersAtTheirHighestCountAsTheMostThereIs) {
  std::string bytes(Of(1, 0).value());
  for (std::size_t i = kHead; i < bytes.size(); ++i) bytes[i] = '\xff';
  EXPECT_EQ(HyperLogLog::Read(bytes)->Count().value(),
            static_cast<std::uint64_t>(std::numeric_limits<std::int64_t>::max()));
}

TEST(HyperLogLog, EveryRegisterIsItsOwn) {
  const std::uint64_t seed = FreshSeed();
  SCOPED_TRACE(seed);
  Random random(seed);
  std::string dense(kDenseBytes, '\0');
  Registers wanted = {};
  for (int i = 0; i < 100'000; ++i) {
    const std::size_t index = random.Next() % kRegisters;
    wanted[index] = static_cast<std::uint8_t>(random.Next() % (kRegisterMax + 1));
    SetDenseRegister(std::span<char, kDenseBytes>(dense.data(), kDenseBytes), index, wanted[index]);
  }
  for (std::size_t i = 0; i < kRegisters; ++i) ASSERT_EQ(DenseRegister(dense, i), wanted[i]) << i;
  EXPECT_EQ(CountDense(dense), CountsOf(wanted));
}

TEST(HyperLogLog, BytesChangedAtRandomDoNoHarm) {
  const std::uint64_t seed = FreshSeed();
  SCOPED_TRACE(seed);
  Random random(seed);
  for (int round = 0; round < 2000; ++round) {
    std::string bytes(Of(random.Next() % 200).value());
    for (std::uint64_t i = random.Next() % 5; i > 0; --i) {
      bytes[random.Next() % bytes.size()] = static_cast<char>(random.Next());
    }
    auto read = HyperLogLog::Read(bytes);
    if (!read) continue;
    const Result<bool> added = read->Add("x", kSparseMax);
    EXPECT_EQ(read->Count().has_value(), added.has_value());
  }
}

}  // namespace
}  // namespace mayfly::types

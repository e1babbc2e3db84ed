// Goal: the keys of a command are found where its line says, each with what is done to it.
// Method: tables of arguments, well-formed and not.
#include "server/command/key_spec.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <string>

namespace mayfly::server {
namespace {

constexpr KeyFlags kRead = kRO | kAccess;
constexpr KeyFlags kReplace = kOW | kUpdate;

// "1:RO", a blank between each; "none": the arguments do not say.
std::string Find(const KeySpecs& keys, const std::vector<Bytes>& args) {
  std::vector<KeyUse> uses;
  if (!FindKeys(keys, args, uses)) {
    EXPECT_TRUE(uses.empty());
    return "none";
  }
  std::string text;
  for (const KeyUse& use : uses) {
    const char* const how = (use.flags & kRO) != 0 ? "RO" : (use.flags & kOW) != 0 ? "OW" : "RW";
    text += fmt::format("{}{}:{}", text.empty() ? "" : " ", use.position, how);
  }
  return text;
}

TEST(KeySpecs, RangesOfPositions) {
  EXPECT_EQ(Find(kNoKeys, {"ping", "a"}), "");
  EXPECT_EQ(Find(OneKey(kRead), {"get", "a"}), "1:RO");
  EXPECT_EQ(Find(SubcommandKey(kRO), {"object", "encoding", "a"}), "2:RO");
  EXPECT_EQ(Find(AllKeys(kRead), {"mget", "a", "b"}), "1:RO 2:RO");
  EXPECT_EQ(Find(AllButLast(kRead), {"blpop", "a", "b", "0"}), "1:RO 2:RO");
  EXPECT_EQ(Find(KeyValuePairs(kReplace), {"mset", "a", "1", "b", "2"}), "1:OW 3:OW");
  EXPECT_EQ(Find(KeyValuePairs(kReplace), {"mset", "a", "1", "b"}), "1:OW 3:OW");
  EXPECT_EQ(Find(TwoAlike(kRead), {"lcs", "a", "b", "len"}), "1:RO 2:RO");
  EXPECT_EQ(Find(TwoKeys(kRead, kReplace), {"copy", "a", "b"}), "1:RO 2:OW");
  EXPECT_EQ(Find(TargetAndKeys(kReplace, kRead), {"sinterstore", "d", "a", "b"}), "1:OW 2:RO 3:RO");
  EXPECT_EQ(Find(TargetAndKeys(kReplace, kRead, 2), {"bitop", "and", "d", "a"}), "2:OW 3:RO");
}

TEST(KeySpecs, WhatEndsTooEarlyHasNoKeys) {
  EXPECT_EQ(Find(OneKey(kRead), {"get"}), "none");
  EXPECT_EQ(Find(AllKeys(kRead), {"mget"}), "none");
  EXPECT_EQ(Find(AllButLast(kRead), {"blpop", "0"}), "none");
  EXPECT_EQ(Find(TwoKeys(kRead, kReplace), {"copy", "a"}), "none");
  EXPECT_EQ(Find(TargetAndKeys(kReplace, kRead), {"sinterstore", "d"}), "none");
}

TEST(KeySpecs, KeysBehindTheirNumber) {
  const KeySpecs union_keys = NumberedKeys(kRead);
  EXPECT_EQ(Find(union_keys, {"zunion", "2", "a", "b", "withscores"}), "2:RO 3:RO");
  EXPECT_EQ(Find(NumberedKeys(kRead, 2), {"eval", "s", "1", "a", "b"}), "3:RO");
  EXPECT_EQ(Find(TargetAndNumberedKeys(kReplace, kRead), {"zunionstore", "d", "1", "a"}),
            "1:OW 3:RO");
  for (const Bytes number : {"0", "-1", "x", "3", "9223372036854775807", "4294967297", ""}) {
    EXPECT_EQ(Find(union_keys, {"zunion", number, "a", "b"}), "none") << number;
    EXPECT_EQ(Find(TargetAndNumberedKeys(kReplace, kRead), {"zunionstore", "d", number, "a"}),
              "none");
  }
  EXPECT_EQ(Find(union_keys, {"zunion"}), "none");
  const KeySpecs pairs = NumberedPairs(kReplace);
  EXPECT_EQ(Find(pairs, {"msetex", "2", "a", "1", "b", "2", "nx"}), "2:OW 4:OW");
  EXPECT_EQ(Find(pairs, {"msetex", "2", "a", "1", "b"}), "none");
  EXPECT_EQ(Find(pairs, {"msetex", "1", "a"}), "none");
}

TEST(KeySpecs, ARangeMayBeEmptyWhereTheLineAllowsIt) {
  const KeySpecs keys = TargetAndKeys(kReplace, kRead | kMayBeNone);
  EXPECT_EQ(Find(keys, {"pfmerge", "d"}), "1:OW");
  EXPECT_EQ(Find(keys, {"pfmerge", "d", "a"}), "1:OW 2:RO");
  EXPECT_EQ(Find(keys, {"pfmerge"}), "none");
}

TEST(KeySpecs, AKeyBehindAWordMayBeMissing) {
  const KeySpecs keys{.specs = {KeyAt(1, kRead), KeyAfterWord("STORE", 2, kReplace)},
                      .find = [](std::span<const Bytes> args, std::vector<KeyUse>& uses) {
                        if (args.size() > 3) uses.push_back({3, kReplace});
                      }};
  EXPECT_EQ(Find(keys, {"georadius", "a"}), "1:RO");
  EXPECT_EQ(Find(keys, {"georadius", "a", "store", "b"}), "1:RO 3:OW");
  EXPECT_TRUE(HasMovableKeys(keys));
}

TEST(KeySpecs, SomeReadsStoreSomething) {
  EXPECT_TRUE(ChangesKeys(AllKeys(kRW | kAccess)));
  EXPECT_FALSE(ChangesKeys(AllKeys(kRead)));
  EXPECT_FALSE(ChangesKeys(OneKey(kNotKey)));
}

TEST(KeySpecs, ArgumentsMayDecideWhatIsDone) {
  constexpr KeySpecs kKeys = VariableKey(kRW | kAccess | kUpdate, [](std::span<const Bytes> args) {
    return args.size() > 2 ? kReplace : kRead;
  });
  EXPECT_EQ(Find(kKeys, {"x", "a"}), "1:RO");
  EXPECT_EQ(Find(kKeys, {"x", "a", "b"}), "1:OW");
  EXPECT_NE(kKeys.specs[0].flags & kVariable, 0u);
}

TEST(KeySpecs, ChannelsAreNoKeys) {
  EXPECT_EQ(Find(OneKey(kNotKey), {"spublish", "c", "m"}), "");
  EXPECT_FALSE(HasKeys(OneKey(kNotKey)));
  EXPECT_FALSE(HasKeys(kNoKeys));
  EXPECT_TRUE(HasKeys(OneKey(kRead)));
}

TEST(KeySpecs, ReadsAreCountedUnlessTheLineSaysOtherwise) {
  EXPECT_TRUE(IsCounted(kRead));
  EXPECT_TRUE(IsCounted(kRO));
  EXPECT_FALSE(IsCounted(kRO | kUncounted));
  EXPECT_FALSE(IsCounted(kRW | kAccess | kUpdate));
  EXPECT_TRUE(IsCounted(kRW | kAccess | kUpdate | kCounted));
}

}  // namespace
}  // namespace mayfly::server

// The table of commands: names in any case, subcommands, arities, keys, names not offered.
// Method: small families.
#include "server/command/command_table.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace mayfly::server {
namespace {

Answer Nothing(Call& /*call*/) { return {}; }

// clang-format off
constexpr CommandSpec kSubs[] = {
    {"one", 3, kReadOnly, kNoKeys, Nothing, "One."},
};
constexpr CommandSpec kMoreSubs[] = {
    {"two", -2, kReadOnly, SubcommandKey(kRO), Nothing, "Two."},
};
constexpr CommandSpec kCommands[] = {
    {"box",   -2, 0,      kNoKeys,                      nullptr, "A container.", kSubs},
    {"mset",  -3, kWrite, KeyValuePairs(kOW | kUpdate), Nothing, "Pairs."},
    {"plain", 2,  0,      OneKey(kRO | kAccess),        Nothing, "Plain."},
};
constexpr CommandSpec kOthers[] = {
    {"box", -2, 0, kNoKeys, nullptr, "The same container.", kMoreSubs},
};
// clang-format on

class Table : public testing::Test {
 protected:
  std::string Error(std::vector<Bytes> args) {
    Answer error;
    table_.Resolve(args, error);
    return error.ok() ? "" : error.error();
  }

  CommandTable table_{{{"a", Category::kString, kCommands}, {"b", Category::kHash, kOthers}}};
};

TEST_F(Table, FindsNamesInAnyCase) {
  EXPECT_EQ(table_.Find("PlAiN")->full_name, "plain");
  EXPECT_EQ(table_.Find("plainer"), nullptr);
  EXPECT_EQ(table_.Find(std::string(1000, 'x')), nullptr);
  EXPECT_EQ(table_.FindFullName("BOX|ONE")->full_name, "box|one");
}

TEST_F(Table, ARenamedCommandAnswersToItsNewNameAlone) {
  ASSERT_TRUE(table_.Rename("PLAIN", "Odd").ok());
  ASSERT_TRUE(table_.Rename("mset", "").ok());
  EXPECT_EQ(Error({"oDD", "k"}), "");
  EXPECT_EQ(Error({"plain", "k"}), "ERR unknown command 'plain', with args beginning with: 'k' ");
  EXPECT_EQ(Error({"mset", "k", "v"}).substr(0, 26), "ERR unknown command 'mset'");
  EXPECT_EQ(table_.Find("plain")->full_name, "plain") << "rules of ACL keep to it";
  EXPECT_FALSE(table_.Rename("plain", "x").ok()) << "it is gone";
  EXPECT_FALSE(table_.Rename("box", "odd").ok()) << "there is one";
  EXPECT_FALSE(table_.Rename("none", "x").ok());
  ASSERT_TRUE(table_.Rename("odd", "plain").ok());
  EXPECT_EQ(Error({"plain", "k"}), "");
}

TEST_F(Table, FamiliesMayShareAContainer) {
  EXPECT_EQ(table_.commands().size(), 3u);
  EXPECT_EQ(table_.FindFullName("box|two")->category, Category::kHash);
  EXPECT_EQ(table_.FindFullName("box|one")->category, Category::kString);
  EXPECT_EQ(&table_.EntryOf(kCommands[0]), &table_.EntryOf(kOthers[0]));
  EXPECT_EQ(table_.EntryOf(kMoreSubs[0]).full_name, "box|two");
}

TEST_F(Table, ErrorsAreRedis) {
  EXPECT_EQ(Error({"plain", "k"}), "");
  EXPECT_EQ(Error({"plain"}), "ERR wrong number of arguments for 'plain' command");
  EXPECT_EQ(Error({"box"}), "ERR wrong number of arguments for 'box' command");
  EXPECT_EQ(Error({"box", "one"}), "ERR wrong number of arguments for 'box|one' command");
  EXPECT_EQ(Error({"box", "six"}), "ERR unknown subcommand 'six'. Try BOX HELP.");
  EXPECT_EQ(Error({"none", "a", "b"}),
            "ERR unknown command 'none', with args beginning with: 'a' 'b' ");
  EXPECT_EQ(Error({"MIGRATE"}),
            "ERR 'migrate' is not offered by mayfly yet: moving keys between servers; DUMP and "
            "RESTORE are");
  EXPECT_EQ(UnofferedText("MODULE|Load"),
            "'module|load' is not offered by mayfly yet: modules; functions are");
}

}  // namespace
}  // namespace mayfly::server

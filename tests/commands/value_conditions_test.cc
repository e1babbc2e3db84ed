// Goal: a string is replaced or deleted only if it is what the client expects; several are written
// with one deadline, or none of them.
// Method: replies as Redis 8.4 and Valkey 9 give them, on plain maps and a manual clock.
#include "commands/conversation.h"

namespace mayfly::server {
namespace {

class ValueConditions : public testing::Test {
 protected:
  std::string Text(const std::string& line) { return tester_.Text(line); }

  CommandTester tester_{{StringFamily(), ListFamily(), KeyFamily(), ExpiryFamily()}};
};

constexpr char kOther[] = "0000000000000000";
constexpr char kBadDigest[] = "ERR a digest must be exactly 16 hexadecimal characters";

TEST_F(ValueConditions, SetComparesTheValue) {
  Converse(tester_, {{"SET k a IFEQ x", "(nil)"},  // A missing key is different from everything.
                     {"EXISTS k", "0"},
                     {"SET k a IFNE x", "OK"},
                     {"SET k b IFEQ x", "(nil)"},
                     {"SET k b IFNE a", "(nil)"},
                     {"SET k b ifeq a", "OK"},
                     {"SET k c IFEQ b GET", "b"},
                     {"SET k d IFEQ b GET", "c"},
                     {"SET k d GET IFNE c", "c"},
                     {"GET k", "c"},
                     {"SET none d IFEQ b GET", "(nil)"},
                     {"SET k d IFEQ c PX 500", "OK"},
                     {"PTTL k", "500"},
                     {"SET k e IFEQ d KEEPTTL", "OK"},
                     {"PTTL k", "500"},
                     {"SET k e IFEQ x", "(nil)"},
                     {"PTTL k", "500"},
                     {"SET k f IFEQ e", "OK"},
                     {"PTTL k", "-1"}});
}

TEST_F(ValueConditions, TheDeadAreAbsent) {
  Text("SET k a PX 100");
  tester_.clock().Advance(Millis(99));
  Converse(tester_, {{"SET k a IFEQ a KEEPTTL", "OK"}, {"DELEX k IFEQ x", "0"}});
  tester_.clock().Advance(Millis(1));
  Converse(tester_, {{"SET k b IFEQ a", "(nil)"},
                     {"DELIFEQ k a", "0"},
                     {"DIGEST k", "(nil)"},
                     {"MSETEX 1 k b XX", "0"},
                     {"SET k b IFNE a", "OK"}});
}

TEST_F(ValueConditions, DigestsAreThoseThatClientsCompute) {
  const std::string value =
      "v8lf0c11xh8ymlqztfd3eeq16kfn4sspw7fqmnuuq3k3t75em5wdizgcdw7uc26nnf961u2jkfzkjytls2kwlj7626s"
      "d";
  Text("SET k " + value);
  const std::string digest = Text("DIGEST k");
  EXPECT_EQ(digest, "00006c38adf31777");
  Converse(tester_, {{"SET k b IFDEQ " + std::string(kOther), "(nil)"},
                     {"SET k b IFDNE " + digest, "(nil)"},
                     {"SET k " + value + " IFDNE " + kOther, "OK"},
                     {"SET k b IFDEQ 00006C38ADF31777", "OK"},
                     {"DIGEST none", "(nil)"},
                     {"SET none b IFDEQ 12", "(nil)"},
                     {"SET none b IFDNE 12", "OK"}});
  Refuse(tester_, kBadDigest,
         {"SET k v IFDEQ 00006c38adf3177", "SET k v IFDNE 00006c38adf31777a", "DELEX k IFDEQ x",
          "SET k v IFDEQ 00006c38adf3177x"});
  EXPECT_EQ(Text("GET k"), "b");
}

TEST_F(ValueConditions, DeletesWhatIsExpected) {
  Converse(tester_,
           {{"RPUSH l a", "1"},
            {"SET k a", "OK"},
            {"DELEX k IFEQ b", "0"},
            {"DELEX k IFNE a", "0"},
            {"DELEX k IFNE b", "1"},
            {"DELEX k IFNE b", "0"},
            {"DELEX k", "0"},
            {"SET k a", "OK"},
            {"DELIFEQ k b", "0"},
            {"DELIFEQ k a", "1"},
            {"SET k a", "OK"},
            {"DELEX k IFDEQ " + std::string(kOther), "0"},
            {"DELEX k IFDNE " + std::string(kOther), "1"},
            {"DELEX l IFEQ a", "ERR Key should be of string type if conditions are specified"},
            {"DELEX k EQ a", "ERR Invalid condition. Use IFEQ, IFNE, IFDEQ, or IFDNE"},
            {"DELEX k IFEQ", WrongArityOf("delex")},
            {"DELEX k IFEQ a b", WrongArityOf("delex")},
            {"DELEX l", "1"}});
  Text("SET k a");
  Text("DELIFEQ k a");
  EXPECT_EQ(tester_.notifications(), (Notes{"g del 0 k"}));
}

TEST_F(ValueConditions, OtherTypesAreNotCompared) {
  Text("RPUSH l a");
  Refuse(tester_, kWrongType,
         {"SET l v IFEQ a", "SET l v IFNE a", "SET l v IFDEQ 12", "DELIFEQ l a", "DIGEST l"});
  EXPECT_EQ(Text("LLEN l"), "1");
}

TEST_F(ValueConditions, OneConditionAtMost) {
  Refuse(tester_, kSyntaxError,
         {"SET k v IFEQ a NX", "SET k v XX IFEQ a", "SET k v IFEQ a IFNE b", "SET k v IFEQ",
          "GETEX k IFEQ a", "MSETEX 1 k v IFEQ a"});
}

TEST_F(ValueConditions, SeveralWithOneDeadline) {
  Converse(tester_, {{"MSETEX 2 a 1 b 2 PX 100", "1"},
                     {"PTTL a", "100"},
                     {"PTTL b", "100"},
                     {"MSETEX 2 a 3 c 4 NX", "0"},
                     {"MSETEX 2 a 3 c 4 XX", "0"},
                     {"EXISTS c", "0"},
                     {"MSETEX 2 a 3 b 4 XX KEEPTTL", "1"},
                     {"MGET a b", "[3, 4]"},
                     {"PTTL b", "100"},
                     {"MSETEX 2 c 5 d 6 NX EXAT 1700000010", "1"},
                     {"PTTL d", "10000"},
                     {"MSETEX 1 a 7", "1"},
                     {"PTTL a", "-1"}});
  Refuse(tester_, "ERR invalid numkeys value",
         {"MSETEX 0 k v", "MSETEX key1 val1 EX 10", "MSETEX 2147483648 k v", "MSETEX -1 k v"});
  Refuse(tester_, "ERR wrong number of key-value pairs",
         {"MSETEX 2 k1 v1 k2", "MSETEX 2147483647 k v EX 10"});
  Refuse(tester_, kSyntaxError,
         {"MSETEX 1 k v NX XX", "MSETEX 1 k v EX 10 PX 5", "MSETEX 1 k v KEEPTTL EX 10",
          "MSETEX 1 k v GET", "MSETEX 1 k v x"});
  EXPECT_EQ(Text("MSETEX 1 k v EX 0"), "ERR invalid expire time in 'msetex' command");
  EXPECT_EQ(Text("EXISTS k"), "0");
}

}  // namespace
}  // namespace mayfly::server

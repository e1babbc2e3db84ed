// Goal: cmsgpack writes the bytes that Redis' does, reads back what it wrote, and takes nothing
// from a package that lies. Method: scripts that show bytes as hexadecimal digits.
#include <gtest/gtest.h>

#include "server/scripting/testing/script_runner.h"

namespace mayfly::server {
namespace {

class MessagePack : public testing::Test {
 protected:
  std::string Run(const std::string& text) { return WireOfScript(engine_, host_, text); }

  // The package of a Lua expression.
  std::string Packed(const std::string& expression) {
    const std::string wire =
        Run("return (string.gsub(cmsgpack.pack(" + expression +
            "),'.',function(c) return string.format('%02x',string.byte(c)) end))");
    return wire.substr(wire.find(' ') + 1);
  }

  // What is wrong with a package, written as a Lua string.
  std::string Complaint(const std::string& package) {
    return Run("local ok,why=pcall(cmsgpack.unpack,'" + package + "') return why");
  }

  ManualClock clock_{WallTimeFromMs(1'700'000'000'000)};
  ScriptEngine engine_{clock_, {.memory_bytes_max = std::size_t{8} * 1024 * 1024}};
  PlainScriptHost host_;
};

TEST_F(MessagePack, WritesEachNumberInItsShortestForm) {
  EXPECT_EQ(Packed("0,127,-32"), "007fe0");
  EXPECT_EQ(Packed("128,255,256"), "cc80ccffcd0100");
  EXPECT_EQ(Packed("65535,65536"), "cdffffce00010000");
  EXPECT_EQ(Packed("4294967295,4294967296"), "ceffffffffcf0000000100000000");
  EXPECT_EQ(Packed("-33,-128,-129"), "d0dfd080d1ff7f");
  EXPECT_EQ(Packed("-32768,-32769"), "d18000d2ffff7fff");
  EXPECT_EQ(Packed("-2147483648,-2147483649"), "d280000000d3ffffffff7fffffff");
  EXPECT_EQ(Packed("-1099511627776"), "d3ffffff0000000000");
  EXPECT_EQ(Packed("0.5,0.1"), "ca3f000000cb3fb999999999999a");
  EXPECT_EQ(Packed("1/0"), "ca7f800000");
}

TEST_F(MessagePack, WritesTheOtherValues) {
  EXPECT_EQ(Packed("nil,true,false,'ab'"), "c0c3c2a26162");
  EXPECT_EQ(Packed("string.rep('x',32)").substr(0, 6), "d92078");
  EXPECT_EQ(Packed("string.rep('x',256)").substr(0, 8), "da010078");
  EXPECT_EQ(Packed("string.rep('x',65536)").substr(0, 12), "db0001000078");
  EXPECT_EQ(Packed("{},{1,'a'}"), "909201a161");
  EXPECT_EQ(Packed("{a=1}"), "81a16101");
  EXPECT_EQ(Packed("{[2]=1}"), "810201");
  EXPECT_EQ(Packed("{[1.5]=1}"), "81ca3fc0000001");
  EXPECT_EQ(Packed("{1,2,3,4,5,6,7,8,9,10,11,12,13,14,15,16}").substr(0, 8), "dc001001");
  EXPECT_EQ(Packed("print_is_not_here").substr(0, 4), "user");  // An error, not a package.
  EXPECT_EQ(Packed("string.len"), "c0");
}

TEST_F(MessagePack, ReadsBackWhatItWrote) {
  EXPECT_EQ(Run("local t=cmsgpack.unpack(cmsgpack.pack({1,-200,'x',{a=true,b=0.25},70000}))"
                "return {t[1],t[2],t[3],tostring(t[4].a),tostring(t[4].b),t[5]}"),
            "*6 :1 :-200 $1 x $4 true $4 0.25 :70000");
  EXPECT_EQ(Run("return {cmsgpack.unpack(cmsgpack.pack(1,'a',nil,2))}"), "*2 :1 $1 a");
  // What no signed number holds, as Redis reads it.
  EXPECT_EQ(Run(R"(return cmsgpack.unpack('\207' .. string.rep('\255', 8)))"), ":-1");
  EXPECT_EQ(Run("local t={} for i=1,70000 do t[i]=i end "
                "local u=cmsgpack.unpack(cmsgpack.pack(t)) return {#u,u[70000]}"),
            "*2 :70000 :70000");
}

TEST_F(MessagePack, ReadsPiecesFromAnOffset) {
  EXPECT_EQ(Run("return {cmsgpack.unpack_one(cmsgpack.pack(5,6,7))}"), "*2 :1 :5");
  EXPECT_EQ(Run("return {cmsgpack.unpack_one(cmsgpack.pack(5,6,7),2)}"), "*2 :-1 :7");
  EXPECT_EQ(Run("return {cmsgpack.unpack_limit(cmsgpack.pack(5,6,7),2)}"), "*3 :2 :5 :6");
  EXPECT_EQ(Run("return {cmsgpack.unpack_limit(cmsgpack.pack(5,6,7),2,1)}"), "*3 :-1 :6 :7");
  EXPECT_EQ(Run("local ok,why=pcall(cmsgpack.unpack_one,'a',2) return why"),
            "$43 Start offset 2 greater than input length 1.");
}

TEST_F(MessagePack, CutsTablesOffAtItsDepth) {
  EXPECT_EQ(Run("local a={} a[1]=a local s=cmsgpack.pack(a) return {#s,string.byte(s,17)}"),
            "*2 :17 :192");
  // Ten times in itself, sixteen deep: more than any memory.
  EXPECT_NE(
      Run("local a={} for i=1,10 do a[i]=a end return #cmsgpack.pack(a)").find("not enough memory"),
      std::string::npos);
}

TEST_F(MessagePack, BelievesNoPackage) {
  for (const char* const cut :
       {R"(\161)", R"(\205)", R"(\219\255\255\255\255)", R"(\145)", R"(\221\255\255\255\255)",
        R"(\223\255\255\255\255\1)", R"(\203\1)"}) {
    EXPECT_EQ(Complaint(cut), "$23 Missing bytes in input.") << cut;
  }
  EXPECT_EQ(Complaint(R"(\193)"), "$25 Bad data format in input.");        // No tag.
  EXPECT_EQ(Complaint(R"(\129\192\1)"), "$25 Bad data format in input.");  // nil as a key.
  EXPECT_EQ(Run("local ok,why=pcall(cmsgpack.unpack,string.rep('\\145',5000)) return why"),
            "$25 Bad data format in input.");
  EXPECT_EQ(Run("local ok,why=pcall(cmsgpack.unpack,string.rep('\\1',9000)) return ok"), "$-1");
}

TEST_F(MessagePack, CannotBeChanged) {
  EXPECT_NE(Run("cmsgpack.pack=1").find("Attempt to modify a readonly table"), std::string::npos);
}

}  // namespace
}  // namespace mayfly::server

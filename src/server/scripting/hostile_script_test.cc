// Goal: no script can end the process, hold its thread for good or act as another user's.
// Method: the published faults of Redis' Lua and its libraries, one test each, and what was found
// beside them; after each attempt the engine still runs scripts.
#include <gtest/gtest.h>

#include "server/scripting/testing/script_runner.h"

namespace mayfly::server {
namespace {

constexpr std::size_t kMemoryBytes = std::size_t{16} * 1024 * 1024;

class HostileScript : public testing::Test {
 protected:
  std::string Run(Bytes text) {
    std::string wire = WireOfScript(engine_, host_, text);
    EXPECT_EQ(WireOfScript(engine_, host_, "return 1"), ":1") << text;
    return wire;
  }

  // Runs a script that must raise an error which says this.
  void ExpectError(Bytes text, std::string_view says) {
    const std::string wire = Run(text);
    EXPECT_TRUE(wire.starts_with("-ERR") && wire.find(says) != std::string::npos)
        << text << "\n  " << wire;
  }

  ManualClock clock_{WallTimeFromMs(1'700'000'000'000)};
  ScriptEngine engine_{clock_, {.memory_bytes_max = kMemoryBytes}};
  PlainScriptHost host_;
};

TEST_F(HostileScript, HexDigitsAreAtMostEight) {  // CVE-2024-31449.
  EXPECT_EQ(Run("return bit.tohex(1,-2147483648)"), "$8 00000001");
  EXPECT_EQ(Run("return bit.tohex(65535,-2147483648)"), "$8 0000FFFF");
  EXPECT_EQ(Run("return bit.tohex(65535,2147483647)"), "$8 0000ffff");
  EXPECT_EQ(Run("return bit.tohex(255,-4)"), "$4 00FF");
  EXPECT_EQ(Run("return bit.tohex(255,0)"), "$0 ");
  EXPECT_EQ(Run("return bit.tohex(-1)"), "$8 ffffffff");
}

TEST_F(HostileScript, BitsAreThoseOfRedis) {
  EXPECT_EQ(Run("return {bit.tobit(0xffffffff),bit.tobit(2^32+1),bit.tobit(0.5),bit.tobit(1.5)}"),
            "*4 :-1 :1 :0 :2");
  EXPECT_EQ(Run("return {bit.bnot(0),bit.bswap(0x12345678),bit.band(7,5,4),bit.bor(1,2,4),"
                "bit.bxor(7,2)}"),
            "*5 :-1 :2018915346 :4 :7 :5");
  EXPECT_EQ(Run("return {bit.lshift(1,31),bit.rshift(-1,28),bit.arshift(-8,1),bit.rol(1,33),"
                "bit.ror(1,1),bit.lshift(1,-1)}"),
            "*6 :-2147483648 :15 :-4 :2 :-2147483648 :-2147483648");
  ExpectError("return bit.band()", "number expected, got no value");
  ExpectError("return bit.band(1,{})", "number expected, got table");
}

TEST_F(HostileScript, UnpackCountsWithoutOverflow) {  // CVE-2025-46817.
  for (const char* const range : {"0, 2147483647", "-2, 2147483647", "-2147483648, 2147483647",
                                  "-2147483648, -2", "1, 1e9", "-1e300, 1"}) {
    ExpectError(fmt::format("return {{unpack({{1,2,3}}, {})}}", range),
                "too many results to unpack");
  }
  EXPECT_EQ(Run("return {unpack({1,2,3}, -1, -2)}"), "*0");
  EXPECT_EQ(Run("return {unpack({1,2,3}, 2)}"), "*2 :2 :3");
  EXPECT_EQ(Run("return {unpack({1,2,3}, 2, 3)}"), "*2 :2 :3");
  EXPECT_EQ(Run("return select('#', unpack({}, 2147483646, 2147483647))"), ":2");
  ExpectError("return unpack(1)", "table expected, got number");
}

TEST_F(HostileScript, FixedArgumentsOfAFunctionWithMoreHaveRoom) {  // CVE-2014-5461.
  std::string names = "a1";
  for (int i = 2; i <= 150; ++i) names += fmt::format(",a{}", i);
  ExpectError(fmt::format("local function f({},...) return 1+f() end f()", names), "");
}

TEST_F(HostileScript, BytecodeIsRefusedWhereverItComesFrom) {  // CVE-2015-4335.
  const std::string script =
      "local d=string.dump(function() return 1 end) local parts={{},{}} "
      "local function reader(...) local p={...} return function() return table.remove(p,1) end end "
      "return {(loadstring(d)) and 1 or 0,(load(reader(d))) and 1 or 0,"
      "(load(reader(d:sub(1,1),d:sub(2)))) and 1 or 0}";
  EXPECT_EQ(Run(script), "*3 :0 :0 :0");
  EXPECT_EQ(Run(Bytes("\033Lua\x51\0\1\4\x8\4\x8\0", 12)),
            "ERR Error compiling script (new function): attempt to load chunk with wrong mode");
}

TEST_F(HostileScript, PackingDeepAndManyValuesStaysOnTheStack) {  // CVE-2018-11218, CVE-2021-32626.
  Run("local t={} for i=1,5000 do t={t} end return cmsgpack.pack(t)");
  ExpectError("return cmsgpack.unpack(string.rep('\\145',100000)..'\\192')", "");
  ExpectError("return {cmsgpack.unpack(string.rep('\\1',100000))}", "stack");
  ExpectError(
      "local t={1} for i=1,14 do local u={} for j=1,8 do u[j]=t end t=u end "
      "return #cmsgpack.pack(t)",
      "not enough memory");
  Run("local t={} for i=1,3000 do t={t} end return t");
}

TEST_F(HostileScript, FormatsOfStructsAreBounded) {  // CVE-2018-11219, CVE-2020-14147.
  ExpectError("return struct.pack('>I2147483648',10)", "integral size overflow");
  ExpectError("return struct.pack('i99999999999999999999',10)", "integral size overflow");
  ExpectError("return struct.pack('>I33',10)", "integral size 33 is larger than limit of 32");
  ExpectError("return struct.unpack('>I32769',string.rep('x',40))", "larger than limit of 32");
  ExpectError("return struct.unpack('c2147483639','x')", "data string too short");
  ExpectError("return struct.unpack('!2147483648i','x')", "integral size overflow");
  ExpectError("return struct.unpack('Lc0',string.rep('\\255',8)..'x')", "data string too short");
  ExpectError("return struct.unpack('dc0',struct.pack('d',-1)..'x')", "data string too short");
  ExpectError("return struct.unpack('b','x',2147483647)", "data string too short");
  ExpectError("return struct.unpack('b','x',-1)", "data string too short");
  ExpectError("return struct.unpack('b','x',1e300)", "data string too short");
  ExpectError("return struct.unpack(string.rep('b',1e5),string.rep('x',1e5))", "stack overflow");
}

TEST_F(HostileScript, NoScriptLeavesCodeForTheNext) {  // CVE-2022-24735, CVE-2025-46818.
  for (const char* const attempt :
       {"getmetatable('').__index=function() return 'mine' end",
        "getmetatable('').__add=function() return 'mine' end",
        "getmetatable(redis).__index=function() return 'mine' end",
        "rawset(getmetatable(''),'__index',{})", "setmetatable(getmetatable(''),{})",
        "setmetatable(string,{})", "string.len=nil", "struct.pack=nil", "cjson.null=1"}) {
    ExpectError(attempt, "Attempt to modify a readonly table");
  }
  for (const char* const value : {"1", "true", "nil", "'x'", "cjson.null", "print", "string.len"}) {
    const std::string wire = Run(fmt::format("setmetatable({}, {{}})", value));
    EXPECT_TRUE(wire.starts_with("-ERR")) << value << " " << wire;
  }
  for (const char* const value : {"1", "true", "nil", "cjson.null", "string.len"}) {
    EXPECT_EQ(Run(fmt::format("return getmetatable({})", value)), "$-1") << value;
  }
  EXPECT_EQ(Run("return {('x'):len(),(pcall(function() return 1+'x' end))}"), "*2 :1 $-1");
}

TEST_F(HostileScript, NothingOfDebiansLuaLeadsOut) {  // CVE-2022-0543.
  for (const char* const name : {"package", "require", "module", "io", "debug", "dofile"}) {
    ExpectError(fmt::format("return {}", name), "nonexistent global variable");
  }
  EXPECT_EQ(Run("return {os.execute==nil,os.exit==nil,os.getenv==nil,os.remove==nil}"),
            "*4 :1 :1 :1 :1");
}

TEST_F(HostileScript, ErrorsOfAnyShapeAreAnswered) {  // CVE-2022-24736.
  for (const char* const raised :
       {"nil", "{}", "{err={}}", "{err=1}", "{err=nil}", "setmetatable({},{__index=error})",
        "function() end", "cjson.null", "1/0", "{ok=1,err='x'}", "''", "{err=''}", "true"}) {
    const std::string wire = Run(fmt::format("error({})", raised));
    EXPECT_TRUE(wire.starts_with("-")) << raised << " " << wire;
  }
  Run("return redis.error_reply({})");
  Run("return {err=setmetatable({},{__tostring=error})}");
  ExpectError("xpcall(error, error) error(setmetatable({},{__index=function(t,k) error(t) end}))",
              "");
}

TEST_F(HostileScript, JsonStaysWithinTheMemoryOfScripts) {  // CVE-2022-24834.
  ExpectError("local t={1} for i=1,40 do t={t,t} end return cjson.encode(t)", "not enough memory");
  ExpectError("local s=string.rep('\\1',4e6) return #cjson.encode({s,s,s,s})", "not enough memory");
  ExpectError("cjson.encode_sparse_array(false,0) return cjson.encode({[2147483647]=1})",
              "not enough memory");
  EXPECT_EQ(Run("return #cjson.encode(string.rep('\\1',5e5))"), ":3000002");
}

TEST_F(HostileScript, FailedDecodingLosesNoMemory) {
  // Each of them fills its memory, fails and is discarded.
  for (int i = 0; i < 10; ++i) {
    ExpectError("return cjson.decode('['..string.rep('\"x\",{},',400000)..'1]')",
                "not enough memory");
    if (HasFailure()) break;
  }
}

TEST_F(HostileScript, TheCollectorTakesNothingTheCompilerHolds) {  // CVE-2025-49844.
  // Names that have no other reference, texts that make the compiler allocate, a collector under
  // pressure.
  EXPECT_EQ(
      Run("local n=0 for i=1,300 do local body='local t={} '..string.rep('t.x'..i..'=1 ',500) "
          "local f=loadstring(body,'@'..string.rep('n',100)..i) if f then n=n+1 end "
          "local g,e=loadstring('x=','@'..string.rep('m',100)..i) if e then n=n+1 end "
          "collectgarbage() end return n"),
      ":600");
  EXPECT_EQ(Run("local n,parts=0,{} for i=1,200 do parts[i]='local a'..(i%150)..'='..i..' ' end "
                "local i=0 local f=load(function() i=i+1 collectgarbage() "
                "local trash={} for j=1,50 do trash[j]=('x'):rep(j)..i end "
                "return parts[i] end, '@'..('q'):rep(50)..1) return type(f)"),
            "$8 function");
}

TEST_F(HostileScript, ScriptsDoNotDriveTheCollector) {  // CVE-2024-46981.
  EXPECT_EQ(Run("return {collectgarbage('stop'),collectgarbage('setpause',0),"
                "collectgarbage('setstepmul',-2147483648),collectgarbage('restart')}"),
            "*4 :0 :150 :200 :0");
  for (const char* const argument : {"0", "-1", "2147483647", "-2147483648", "1e300", "0/0"}) {
    for (const char* const word : {"step", "collect", "setpause", "setstepmul", "count"}) {
      Run(fmt::format("return collectgarbage('{}',{}) ~= nil", word, argument));
    }
  }
  ExpectError("collectgarbage('generational')", "invalid option");
  ExpectError("collectgarbage('stop') local t={} while true do t[#t+1]={} end",
              "not enough memory");
  ExpectError("return newproxy(true)", "nonexistent global variable");
}

TEST_F(HostileScript, LongBracketsAreCountedAndBounded) {  // CVE-2025-46819.
  EXPECT_EQ(Run("return #[" + std::string(100000, '=') + "[x]" + std::string(100000, '=') + "]"),
            ":1");
  EXPECT_NE(Run("return [" + std::string(100000, '=')).find("invalid long string delimiter"),
            std::string::npos);
  ScriptEngine large(clock_, {.memory_bytes_max = std::size_t{512} * 1024 * 1024});
  EXPECT_EQ(
      WireOfScript(large, host_, "local f,e=loadstring(string.rep('=',70*1024*1024)) return e"),
      "$16 script too large");
}

TEST_F(HostileScript, DeepTextsDoNotOverflowTheStack) {
  for (const char* const part : {"(", "{", "not ", "-", "function() ", "if a then ", "a[",
                                 "a=", "do ", "while a do ", "''..", "a^", "f'x'", "a.b", "[["}) {
    std::string text = "local a,f=1 return ";
    for (int i = 0; i < 20000; ++i) text += part;
    WireOfScript(engine_, host_, text);
  }
  std::string assignment = "local a ";
  for (int i = 0; i < 20000; ++i) assignment += "a,";
  WireOfScript(engine_, host_, assignment + "a=1");
  EXPECT_EQ(Run("return 2"), ":2");
}

TEST_F(HostileScript, LoopsInsideOfFunctionsEnd) {
  ExpectError("local t={1} table.insert(t,-2147483648,1)", "position out of bounds");
  ExpectError("local t={1} table.insert(t,2147483648,1)", "position out of bounds");
  EXPECT_EQ(Run("local t={1,2} table.insert(t,1,0) table.insert(t,3) return t"), "*4 :0 :1 :2 :3");
  EXPECT_EQ(Run("return #string.rep('',2147483647)"), ":0");
}

}  // namespace
}  // namespace mayfly::server

// Goal: a script cannot leave its sandbox, change what the next one sees, or take all memory.
// Method: a table of attempts with the expected results; after each, a probe checks that the
// sandbox is unchanged.
#include <gtest/gtest.h>

#include "server/scripting/testing/script_runner.h"

namespace mayfly::server {
namespace {

constexpr std::size_t kSandboxBytes = std::size_t{8} * 1024 * 1024;

class ScriptSandbox : public testing::Test {
 protected:
  std::string Run(Bytes text) { return WireOfScript(engine_, host_, text); }

  ManualClock clock_{WallTimeFromMs(1'700'000'000'000)};
  ScriptEngine engine_{clock_,
                       {.memory_bytes_max = kSandboxBytes,
                        .redis_version = "7.0.15",
                        .reply = {.bytes_max = 1'000'000, .values_max = 10'000}}};
  PlainScriptHost host_;
};

TEST_F(ScriptSandbox, HasNoWayToFilesCodeOrOtherFunctions) {
  for (const char* const name :
       {"io", "debug", "package", "require", "module", "dofile", "loadfile", "print", "getfenv",
        "setfenv", "newproxy", "__redis__err__handler"}) {
    EXPECT_EQ(Run(std::string("return ") + name),
              std::string("-ERR user_script:1: Script attempted to access nonexistent global "
                          "variable '") +
                  name + "' script: {sha}, on @user_script:1.");
  }
  EXPECT_EQ(Run("local t={} for k in pairs(os) do t[#t+1]=k end return t"), "*1 $5 clock");
  EXPECT_EQ(Run("return cjson.new"), "$-1");
}

TEST_F(ScriptSandbox, RefusesEveryWayToChangeASharedTable) {
  const char* const kWithPlace[] = {"redis=1",
                                    "_G={}",
                                    "redis.call=1",
                                    "cjson.encode=1",
                                    "string.foo=1",
                                    "KEYS={}",
                                    "math.random=nil",
                                    "bit.band=nil",
                                    "getmetatable(_G).__index={}",
                                    "_G.x=1",
                                    "os.clock=nil",
                                    "getmetatable('').__index=1",
                                    "_G._G.redis=nil",
                                    "getmetatable(redis).__newindex=nil",
                                    "table.sort=1",
                                    "coroutine.wrap=1"};
  for (const char* const script : kWithPlace) {
    EXPECT_EQ(Run(script),
              "-ERR user_script:1: Attempt to modify a readonly table script: {sha}, on "
              "@user_script:1.")
        << script;
  }
  const char* const kWithout[] = {
      "setmetatable(_G,{})",
      "setmetatable(redis,nil)",
      "rawset(_G,'x',1)",
      "rawset(string,'x',1)",
      "table.insert(string,1)",
      "table.sort(string)",
      "table.remove(string)",
      "setmetatable(getmetatable(_G),{})",
      "rawset(getmetatable(''),1,1)",
  };
  for (const char* const script : kWithout) {
    EXPECT_EQ(Run(script),
              "-ERR Attempt to modify a readonly table script: {sha}, on @user_script:1.")
        << script;
  }
  EXPECT_EQ(Run("return {redis.call('set','a','b').ok,('x'):rep(3),string.foo==nil}"),
            "*3 $2 OK $3 xxx :1");
}

TEST_F(ScriptSandbox, WalksOverASharedTableWithoutHandingItOut) {
  EXPECT_EQ(Run("local n=0 for k,v in pairs(bit) do n=n+1 end return n"), ":12");
  EXPECT_EQ(Run("local f,t=pairs(bit) t.x=1"),
            "-ERR user_script:1: Attempt to modify a readonly table script: {sha}, on "
            "@user_script:1.");
  EXPECT_EQ(Run("return type(next(bit))"), "$6 string");
  EXPECT_EQ(Run("return rawget(_G,'x')"), "$-1");
  EXPECT_EQ(Run("return type(rawget(string,'len'))"), "$8 function");
  EXPECT_EQ(Run("local n=0 table.foreach(bit,function() n=n+1 end) return n"), ":12");
  EXPECT_EQ(Run("local n=0 for k in pairs({1,2,a=3}) do n=n+1 end return n"), ":3");
  EXPECT_EQ(Run("pairs(1)"),
            "-ERR user_script:1: bad argument #1 to 'pairs' (table expected, got number) script: "
            "{sha}, on @user_script:1.");
}

TEST_F(ScriptSandbox, TakesNoBytecode) {
  EXPECT_EQ(Run("return {loadstring(string.dump(function() return 1 end))}"), "*0");
  EXPECT_EQ(Run("local d=string.dump(function() return 1 end) local f,e=load(function() local x=d "
                "d=nil return x end) return {f==nil,e}"),
            "*2 :1 $37 attempt to load chunk with wrong mode");
  // An empty piece ends the text; the reader is not called again.
  EXPECT_EQ(Run("local d,i=string.dump(function() return 1 end),0 return {load(function() i=i+1 "
                "return ({'',d})[i] end)() == nil,i}"),
            "*2 :1 :1");
  EXPECT_EQ(Run(Bytes("\033Lua", 4)),
            "ERR Error compiling script (new function): attempt to load chunk with wrong mode");
}

TEST_F(ScriptSandbox, LoadedCodeLivesInTheSameWorld) {
  EXPECT_EQ(Run("return loadstring('x=1')()"),
            "-ERR [string \"x=1\"]:1: Attempt to modify a readonly table script: {sha}, on x=1:1.");
}

TEST_F(ScriptSandbox, ForgetsHowAScriptSetJson) {
  EXPECT_EQ(Run("cjson.encode_number_precision(3) return cjson.encode(3.14159)"), "$4 3.14");
  EXPECT_EQ(Run("return cjson.encode(3.14159)"), "$7 3.14159");
  EXPECT_EQ(Run("return cjson.decode_max_depth(1000000)"),
            "-ERR user_script:1: bad argument #1 to 'decode_max_depth' (expected integer between 1 "
            "and 1000) "
            "script: {sha}, on @user_script:1.");
  EXPECT_EQ(Run("cjson.decode_max_depth(3) return {pcall(cjson.decode,'[[[[1]]]]')}").substr(0, 6),
            "*2 $-1");
  EXPECT_EQ(Run("return cjson.decode('[[[[1]]]]')"), "*1 *1 *1 *1 :1");
}

TEST_F(ScriptSandbox, SurvivesMemoryBombs) {
  const std::string nested =
      "local function f() return f end while true do coroutine.wrap(f) f=coroutine.create(f) "
      "local g=f f=function() return g end end";
  const std::string bombs[] = {
      "local s='x' while true do s=s..s end",
      "return #string.rep('x',1e9)",
      "local t={} while true do t[#t+1]={} end",
      "local t={} for i=1,1e9 do t[i]=string.rep('x',1000)..i end",
      nested,
      "return table.concat({string.rep('x',7e6),string.rep('y',7e6)})",
  };
  for (const std::string& script : bombs) {
    EXPECT_EQ(Run(script), "-ERR not enough memory script: {sha}") << script;
    EXPECT_LE(engine_.memory_bytes(), kSandboxBytes) << script;
    EXPECT_EQ(Run("return 1"), ":1") << script;
  }
  EXPECT_EQ(Run("local ok,e=pcall(string.rep,'x',1e9) return e"), "$17 not enough memory");
}

TEST_F(ScriptSandbox, ReturnsWhatWasGarbageBeforeTheNextRun) {
  for (int i = 0; i < 40; ++i) {
    ASSERT_EQ(Run("local t={} for i=1,20 do t[i]=string.rep('x',1e5)..i end return #t"), ":20")
        << i;
  }
}

TEST_F(ScriptSandbox, BoundsTheStack) {
  EXPECT_EQ(Run("return (string.find(string.rep('a',100),string.rep('a?',2000)))"), ":1");
  EXPECT_EQ(Run("return #string.rep('',1e9)"), ":0");
  EXPECT_NE(Run("local f f=function() return pcall(f) end return {f()}"), "");
  EXPECT_NE(Run("local f f=function() return coroutine.wrap(f)() end f()").find("C stack overflow"),
            std::string::npos);
  EXPECT_NE(Run("return " + std::string(100000, '(') + "1").find("ERR Error compiling"),
            std::string::npos);
  EXPECT_NE(Run("return loadstring('return '..string.rep('{',1e5))"), "");
  EXPECT_EQ(Run("local t={} for i=1,5000 do t={t} end return cjson.encode(t)"),
            "-ERR user_script:1: Cannot serialise, excessive nesting (1001) script: {sha}, on "
            "@user_script:1.");
}

TEST_F(ScriptSandbox, RefusesAReplyThatIsManyTimesItself) {
  EXPECT_EQ(Run("local t={1} for i=1,40 do t={t,t} end return t"),
            "ERR the script's reply is too large");
  EXPECT_EQ(Run("local s,t=string.rep('x',1e5),{} for i=1,20 do t[i]=s end return t"),
            "ERR the script's reply is too large");
}

TEST_F(ScriptSandbox, AStoppedCollectorIsStartedAgain) {
  EXPECT_EQ(Run("collectgarbage('stop') return 1"), ":1");
  EXPECT_EQ(Run("for i=1,200 do local s=string.rep('x',1e5)..i end return 1"), ":1");
}

}  // namespace
}  // namespace mayfly::server

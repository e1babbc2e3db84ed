// Goal: scripts reply, fail and convert values as in Redis 7.0.
// Method: tables of scripts with the replies and errors that a real server 7.0.15 gave.
#include "server/scripting/script_engine.h"

#include <gtest/gtest.h>

#include "server/scripting/testing/script_runner.h"

namespace mayfly::server {
namespace {

class ScriptEngineTest : public testing::Test {
 protected:
  std::string Run(Bytes text) { return WireOfScript(engine_, host_, text); }
  std::string Run3(Bytes text) {
    return WireOfScript(engine_, host_, text, {}, {}, ProtocolVersion::kResp3);
  }

  ManualClock clock_{WallTimeFromMs(1'700'000'000'000)};
  ScriptEngine engine_{clock_};
  PlainScriptHost host_;
};

struct ScriptCase {
  const char* script;
  const char* reply;
};

TEST_F(ScriptEngineTest, ValuesBecomeRepliesOfResp2) {
  // clang-format off
  const ScriptCase kTable[] = {
      {"return 3.99",                                                 ":3"},
      {"return -3.99",                                                ":-3"},
      {"return 1e300",                                                ":-9223372036854775808"},
      {"return 0/0",                                                  ":-9223372036854775808"},
      {"return 9007199254740993",                                     ":9007199254740992"},
      {"return 'a\\r\\nb'",                                           "$4 a b"},
      {"return true",                                                 ":1"},
      {"return false",                                                "$-1"},
      {"return nil",                                                  "$-1"},
      {"return",                                                      "$-1"},
      {"",                                                            "$-1"},
      {"return function() end",                                       "$-1"},
      {"return {1,2,nil,4}",                                          "*2 :1 :2"},
      {"return {1,function() end,3}",                                 "*3 :1 $-1 :3"},
      {"return {1,{2,'x',{}},false,3.5}",                             "*4 :1 *3 :2 $1 x *0 $-1 :3"},
      {"return {ok='fine'}",                                          "+fine"},
      {"return {ok='a\\r\\nb'}",                                      "+a  b"},
      {"return {ok=1}",                                               "*0"},
      {"return {err='MY foo'}",                                       "-MY foo"},
      {"return {err='a\\r\\nb'}",                                     "-a  b"},
      {"return {err=1}",                                              "*0"},
      {"return {double=3.25}",                                        "$4 3.25"},
      {"return {double='x'}",                                         "*0"},
      {"return {map={a=1}}",                                          "*2 $1 a :1"},
      {"return {map=1}",                                              "*0"},
      {"return {set={a=1}}",                                          "*1 $1 a"},
      {"return {big_number='12\\r\\n'}",                              "$4 12  "},
      {"return {verbatim_string={string='abc',format='txt'}}",        "$3 abc"},
      {"return {verbatim_string={string='abc'}}",                     "*0"},
      {"return redis.status_reply('foo')",                            "+foo"},
      {"return redis.status_reply()",                                 "-ERR wrong number or type of arguments"},
      {"return redis.error_reply('foo')",                             "-ERR foo"},
      {"return redis.error_reply('-foo bar')",                        "-foo bar"},
      {"return redis.error_reply('MY bar')",                          "-MY bar"},
      {"return redis.error_reply(1)",                                 "-ERR wrong number or type of arguments"},
      {"return setmetatable({},{__index=function() return 'x' end})", "*0"},
  };
  // clang-format on
  for (const ScriptCase& one : kTable) EXPECT_EQ(Run(one.script), one.reply) << one.script;
}

TEST_F(ScriptEngineTest, ValuesBecomeRepliesOfResp3) {
  // clang-format off
  const ScriptCase kTable[] = {
      {"return true",                                          ":1"},
      {"return false",                                         "_"},
      {"redis.setresp(3) return true",                         "#t"},
      {"redis.setresp(3) return {false,true}",                 "*2 #f #t"},
      {"return {double=1.5}",                                  ",1.5"},
      {"return {map={a=1}}",                                   "%1 $1 a :1"},
      {"return {set={a=1}}",                                   "~1 $1 a"},
      {"return {big_number='12'}",                             "(12"},
      {"return {big_number='12\\r\\n:1'}",                     "(12  :1"},
      {"return {verbatim_string={string='abc',format='txt'}}", "=7 txt:abc"},
  };
  // clang-format on
  for (const ScriptCase& one : kTable) EXPECT_EQ(Run3(one.script), one.reply) << one.script;
}

TEST_F(ScriptEngineTest, ErrorsSayWhereTheyHappened) {
  const ScriptCase kTable[] = {
      {"error('x')", "-ERR user_script:1: x script: {sha}, on @user_script:1."},
      {"error('x',0)", "-ERR x script: {sha}, on @user_script:1."},
      {"error({err='MY foo'})", "-MY foo script: {sha}, on @user_script:1."},
      {"error({})", "-ERR unknown error script: {sha}, on @user_script:1."},
      {"error()", "-ERR nil script: {sha}, on @user_script:1."},
      {"error(12)", "-ERR user_script:1: 12 script: {sha}, on @user_script:1."},
      {"error(true)", "-ERR true script: {sha}, on @user_script:1."},
      {"error('a\\r\\nb')", "-ERR user_script:1: a  b script: {sha}, on @user_script:1."},
      {"local a = 1\n\nreturn x.y",
       "-ERR user_script:3: Script attempted to access nonexistent global variable 'x' script: "
       "{sha}, on @user_script:3."},
      {"#!lua\nreturn x",
       "-ERR user_script:2: Script attempted to access nonexistent global variable 'x' script: "
       "{sha}, on @user_script:2."},
      {"x=1",
       "-ERR user_script:1: Attempt to modify a readonly table script: {sha}, on @user_script:1."},
      {"return nil+1",
       "-ERR user_script:1: attempt to perform arithmetic on a nil value script: {sha}, on "
       "@user_script:1."},
      {"local c=coroutine.wrap(function() error('x') end) return c()",
       "-ERR user_script:1: user_script:1: x script: {sha}, on @user_script:1."},
      {"local function f() return 1+f() end return f()",
       "-ERR user_script:1: stack overflow script: {sha}, on @user_script:1."},
      {"return (",
       "ERR Error compiling script (new function): user_script:1: unexpected symbol near '<eof>'"},
  };
  for (const ScriptCase& one : kTable) EXPECT_EQ(Run(one.script), one.reply) << one.script;
  EXPECT_TRUE(Run("local t={} t[1]=t return t").ends_with("-ERR reached lua stack limit"));
}

TEST_F(ScriptEngineTest, CallsOfCommandsFailAsInRedis) {
  const ScriptCase kTable[] = {
      {"return redis.call('nope')",
       "-ERR Unknown Redis command called from script script: {sha}, on @user_script:1."},
      {"return redis.call()",
       "-ERR Please specify at least one argument for this redis lib call script: {sha}, on "
       "@user_script:1."},
      {"return redis.pcall()", "-ERR Please specify at least one argument for this redis lib call"},
      {"return redis.call('set','a',{})",
       "-ERR Lua redis lib command arguments must be strings or integers script: {sha}, on "
       "@user_script:1."},
      {"return redis.pcall('set','a',true)",
       "-ERR Lua redis lib command arguments must be strings or integers"},
      {"return redis.pcall('incr','l')",
       "-WRONGTYPE Operation against a key holding the wrong kind of value"},
      {"\nlocal function f()\n return redis.call('incr','l') end\nreturn f()",
       "-WRONGTYPE Operation against a key holding the wrong kind of value script: {sha}, on "
       "@user_script:3."},
      {"local ok,e=pcall(redis.call,'incr','l') return {type(e),e}",
       "*2 $6 string $65 WRONGTYPE Operation against a key holding the wrong kind of value"},
      {"local ok,e=xpcall(function() return redis.call('incr','l') end, function(e) return "
       "type(e)..e.err:sub(1,5) end) return e",
       "$10 tableWRONG"},
      {"local t=redis.pcall('incr','l') return {t.ignore_error_stats_update,t.err:sub(1,9)}",
       "*2 :1 $9 WRONGTYPE"},
      {"return redis.call('get','nokey') == false", ":1"},
      {"redis.setresp(3) return type(redis.call('get','nokey'))", "$3 nil"},
      {"return redis.call('set','a',3.3).ok .. redis.call('get','a')", "$20 OK3.2999999999999998"},
      {"redis.call('set','a',1e20) return redis.call('get','a')", "$5 1e+20"},
      {"redis.call('set','a',12) return redis.call('get','a')", "$2 12"},
  };
  for (const ScriptCase& one : kTable) EXPECT_EQ(Run(one.script), one.reply) << one.script;
}

TEST_F(ScriptEngineTest, RepliesOfResp3BecomeTables) {
  host_.replies["map"] =
      Reply::Of(Reply::Kind::kMap, {Reply::Bulk("a"), Reply::Integer(1), Reply::Null(), Reply()});
  host_.replies["members"] = Reply::Of(Reply::Kind::kSet, {Reply::Bulk("m")});
  host_.replies["double"] = Reply::Double(1.5);
  host_.replies["bool"] = Reply::Boolean(true);
  host_.replies["big"] = Reply::Text(Reply::Kind::kBigNumber, "123");
  host_.replies["verbatim"] = Reply::Text(Reply::Kind::kVerbatim, "txt:hello");
  host_.replies["array"] = Reply::Array({Reply::Integer(1), Reply::Null(), Reply::Integer(3)});
  const ScriptCase kTable[] = {
      {"redis.setresp(3) local t=redis.call('map') return {type(t.map),t.map.a}", "*2 $5 table :1"},
      {"redis.setresp(3) return redis.call('map')", "*2 $1 a :1"},
      {"redis.setresp(3) return redis.call('members').set.m", ":1"},
      {"redis.setresp(3) return tostring(redis.call('double').double)", "$3 1.5"},
      {"redis.setresp(3) return redis.call('bool') == true", ":1"},
      {"redis.setresp(3) return redis.call('big').big_number", "$3 123"},
      {"redis.setresp(3) local v=redis.call('verbatim').verbatim_string return v.format..v.string",
       "$8 txthello"},
      {"redis.setresp(3) return redis.call('array')", "*1 :1"},
      {"return redis.call('map')", "$5 resp2"},
      {"redis.setresp(3) redis.setresp(2) return redis.call('map')", "$5 resp2"},
  };
  for (const ScriptCase& one : kTable) EXPECT_EQ(Run(one.script), one.reply) << one.script;
}

TEST_F(ScriptEngineTest, TheLibraryChecksItsArguments) {
  const ScriptCase kTable[] = {
      {"return redis.sha1hex('')", "$40 da39a3ee5e6b4b0d3255bfef95601890afd80709"},
      {"return redis.sha1hex(1)", "$40 356a192b7913b04c54574d18c28d46e6395428ab"},
      {"return redis.sha1hex()",
       "-ERR wrong number of arguments script: {sha}, on @user_script:1."},
      {"return redis.log()",
       "-ERR redis.log() requires two arguments or more. script: {sha}, on @user_script:1."},
      {"return redis.log('x','a')",
       "-ERR First argument must be a number (log level). script: {sha}, on @user_script:1."},
      {"return redis.log(99,'a')", "-ERR Invalid debug level. script: {sha}, on @user_script:1."},
      {"redis.log(redis.LOG_WARNING,'a','b',3)", "$-1"},
      {"return redis.setresp()",
       "-ERR redis.setresp() requires one argument. script: {sha}, on @user_script:1."},
      {"return redis.setresp(4)",
       "-ERR RESP version must be 2 or 3. script: {sha}, on @user_script:1."},
      {"return redis.set_repl()",
       "-ERR redis.set_repl() requires two arguments. script: {sha}, on @user_script:1."},
      {"return redis.set_repl(9)",
       "-ERR Invalid replication flags. Use REPL_AOF, REPL_REPLICA, REPL_ALL or REPL_NONE. script: "
       "{sha}, on @user_script:1."},
      {"return redis.set_repl(redis.REPL_ALL)", "$-1"},
      {"return redis.replicate_commands()", ":1"},
      {"return redis.acl_check_cmd('get','a')", ":1"},
      {"return redis.acl_check_cmd('set','a')", "$-1"},
      {"return redis.acl_check_cmd('nope')",
       "-ERR Invalid command passed to redis.acl_check_cmd() script: {sha}, on @user_script:1."},
      {"return {redis.REDIS_VERSION,redis.REDIS_VERSION_NUM}", "*2 $6 7.0.15 :458767"},
  };
  for (const ScriptCase& one : kTable) EXPECT_EQ(Run(one.script), one.reply) << one.script;
  EXPECT_EQ(host_.log, (std::vector<std::string>{"2 a b 3"}));
}

TEST_F(ScriptEngineTest, LibrariesComeWithJsonAndBits) {
  const ScriptCase kTable[] = {
      {"return cjson.encode({1,2,{a=1}})", "$13 [1,2,{\"a\":1}]"},
      {"return cjson.decode('[1,2,null,3]')[4]", ":3"},
      {"return {cjson.encode({}),cjson.encode(cjson.null),cjson.encode(1.5)}",
       "*3 $2 {} $4 null $3 1.5"},
      {"return cjson.decode('x')",
       "-ERR user_script:1: Expected value but found invalid token at character 1 script: {sha}, "
       "on "
       "@user_script:1."},
      {"return bit.band(7,3)", ":3"},
      {"return loadstring('return 1+1')()", ":2"},
      {"local i=0 return load(function() i=i+1 return ({'return ','7'})[i] end)()", ":7"},
      {"return {loadstring('x x')}", "*0"},
      {"return type(os.clock())", "$6 number"},
      {"return cmsgpack.unpack(cmsgpack.pack('a'))", "$1 a"},
      {"return struct.unpack('>h',struct.pack('>h',7))", ":7"},
  };
  for (const ScriptCase& one : kTable) EXPECT_EQ(Run(one.script), one.reply) << one.script;
}

TEST_F(ScriptEngineTest, KeysAndArgumentsAreTheRunsOwn) {
  EXPECT_EQ(
      WireOfScript(engine_, host_, "return {KEYS[1],KEYS[2],#ARGV,ARGV[1]}", {"a", "b"}, {"c"}),
      "*4 $1 a $1 b :1 $1 c");
  EXPECT_EQ(WireOfScript(engine_, host_, "KEYS[1]='x' return KEYS", {"a"}), "*1 $1 x");
  EXPECT_EQ(WireOfScript(engine_, host_, "return {#KEYS,#ARGV}"), "*2 :0 :0");
}

TEST_F(ScriptEngineTest, ARunDrawsNewRandomNumbersUnlessItSeedsThem) {
  const char* const script = "return {tostring(math.random()),tostring(math.random())}";
  EXPECT_NE(Run(script), Run(script));
  for (int i = 0; i < 2; ++i) {
    EXPECT_EQ(Run("math.randomseed(42) return tostring(math.random())"), "$16 0.74452500033403");
  }
  EXPECT_EQ(Run("return math.random(5,1)"),
            "-ERR user_script:1: bad argument #2 to 'random' (interval is empty) script: {sha}, on "
            "@user_script:1.");
}

TEST_F(ScriptEngineTest, KeepsScriptsUntilTheyAreFlushed) {
  const std::string sha = (*engine_.Load("return 1"))->sha;
  EXPECT_FALSE(engine_.Load("return ("));
  EXPECT_EQ(engine_.count(), 1u);
  EXPECT_NE(engine_.Find("E0E1F9FABFC9D4800C877A703B823AC0578FF8DB"), nullptr);
  EXPECT_EQ(engine_.Find("abc"), nullptr);
  engine_.Flush();
  EXPECT_EQ(engine_.Find(sha), nullptr);
}

TEST_F(ScriptEngineTest, ManyScriptsDoNotFillTheState) {
  for (int i = 0; i < 3 * kCompiledScriptsMax; ++i) {
    const std::string script = "return " + std::to_string(i);
    ASSERT_EQ(Run(script), ":" + std::to_string(i));
  }
  EXPECT_EQ(Run("return 1"), ":1");
  EXPECT_EQ(engine_.count(), kEvaluatedScriptsMax);
}

TEST_F(ScriptEngineTest, OfThoseNobodyAskedToKeepTheLatestUsedStay) {
  const std::string for_good = (*engine_.Load("return 'a'", ScriptEngine::Keep::kForGood))->sha;
  const std::string later = (*engine_.Load("return 'b'"))->sha;
  const std::string used = (*engine_.Load("return 'c'"))->sha;
  const std::string unused = (*engine_.Load("return 'd'"))->sha;
  ASSERT_TRUE(engine_.Load("return 'b'", ScriptEngine::Keep::kForGood));
  for (std::size_t i = 0; i < kEvaluatedScriptsMax; ++i) {
    ASSERT_NE(engine_.Use(used), nullptr);
    ASSERT_TRUE(engine_.Load("return " + std::to_string(i)));
  }
  EXPECT_NE(engine_.Find(for_good), nullptr);
  EXPECT_NE(engine_.Find(later), nullptr);
  EXPECT_NE(engine_.Find(used), nullptr);
  EXPECT_EQ(engine_.Find(unused), nullptr);
  EXPECT_EQ(engine_.count(), kEvaluatedScriptsMax + 2);
  engine_.Flush();
  EXPECT_EQ(engine_.count(), 0u);
  EXPECT_EQ(Run("return 1"), ":1");
}

TEST_F(ScriptEngineTest, TheDebuggersFunctionsDoNothing) {
  EXPECT_EQ(Run("return tostring(redis.breakpoint())"), "$5 false");
  EXPECT_EQ(Run("return select('#', redis.debug('x', {}))"), ":0");
}

}  // namespace
}  // namespace mayfly::server

// Goal: the statistics of scripts: the commands they call, the errors of both, and the cached
// scripts. Method: a script, then lines of INFO; CONFIG RESETSTAT before each.
#include <gtest/gtest.h>

#include "server/front_served.h"

namespace mayfly::server {
namespace {

class ScriptFigures : public testing::Test {
 protected:
  // The value behind the name in INFO; empty if missing.
  std::string Info(const std::string& section, const std::string& name) {
    const std::string text = client_.Text("INFO " + section);
    const std::size_t at = text.find(name + ":");
    if (at == std::string::npos) return "";
    const std::size_t begin = at + name.size() + 1;
    return text.substr(begin, text.find_first_of("\r\n", begin) - begin);
  }

  // Without the times: "calls, rejected, failed".
  std::string Counts(const std::string& command) {
    const std::string line = Info("commandstats", "cmdstat_" + command);
    if (line.empty()) return "";
    std::string counts;
    for (const char* const name : {"calls=", ",rejected_calls=", ",failed_calls="}) {
      const std::size_t begin = line.find(name) + std::string(name).size();
      counts += line.substr(begin, line.find(',', begin) - begin) + " ";
    }
    return counts;
  }

  std::string Run(const std::string& command) {
    EXPECT_EQ(client_.Text("CONFIG RESETSTAT"), "OK");
    return client_.Text(command);
  }

  FrontServed served_;
  TestClient client_{served_.port()};
};

TEST_F(ScriptFigures, ACommandThatAScriptCallsIsCountedAsIfAClientHad) {
  EXPECT_EQ(Run("EVAL 'redis.call(\"set\",KEYS[1],1) return redis.call(\"get\",KEYS[1])' 1 a"),
            "1");
  EXPECT_EQ(Counts("set"), "1 0 0 ");
  EXPECT_EQ(Counts("get"), "1 0 0 ");
  EXPECT_EQ(Counts("eval"), "1 0 0 ");
  EXPECT_EQ(Info("stats", "total_error_replies"), "0");
}

TEST_F(ScriptFigures, AnErrorOfACommandIsCountedOnceHoweverFarItTravels) {
  client_.Text("SET a word");
  for (const char* const script : {"EVAL 'return redis.call(\"incr\",KEYS[1])' 1 a",
                                   "EVAL 'return redis.pcall(\"incr\",KEYS[1])' 1 a"}) {
    EXPECT_TRUE(Run(script).starts_with("ERR value is not an integer or out of range")) << script;
    EXPECT_EQ(Info("errorstats", "errorstat_ERR"), "count=1");
    EXPECT_EQ(Info("stats", "total_error_replies"), "1");
    EXPECT_EQ(Counts("incr"), "1 0 1 ");
    EXPECT_EQ(Counts("eval"), "1 0 1 ");
  }
  EXPECT_EQ(Run("EVAL 'redis.pcall(\"incr\",KEYS[1]) return 5' 1 a"), "5");
  EXPECT_EQ(Info("errorstats", "errorstat_ERR"), "count=1");
  EXPECT_EQ(Counts("incr"), "1 0 1 ");
  EXPECT_EQ(Counts("eval"), "1 0 0 ");
}

TEST_F(ScriptFigures, ACommandThatIsNotLetRunIsRejected) {
  EXPECT_TRUE(Run("EVAL_RO 'return redis.call(\"set\",KEYS[1],1)' 1 a").starts_with("ERR Write"));
  EXPECT_EQ(Counts("set"), "0 1 0 ");
  EXPECT_EQ(Counts("eval_ro"), "1 0 1 ");
  EXPECT_EQ(Info("stats", "total_error_replies"), "1");
  EXPECT_TRUE(Run("EVAL 'return redis.call(\"select\",99)' 0").starts_with("ERR DB index"));
  EXPECT_EQ(Counts("select"), "1 0 1 ");
  EXPECT_EQ(Info("stats", "total_error_replies"), "1");
}

TEST_F(ScriptFigures, AnErrorThatTheScriptMakesIsTheScripts) {
  EXPECT_EQ(Run("EVAL 'return redis.error_reply(\"MINE is this\")' 0"), "MINE is this");
  EXPECT_EQ(Info("errorstats", "errorstat_MINE"), "count=1");
  EXPECT_EQ(Counts("eval"), "1 0 1 ");
  EXPECT_TRUE(Run("EVAL 'return redis.call(\"ping\",{})' 0").starts_with("ERR Lua redis lib"));
  EXPECT_EQ(Info("errorstats", "errorstat_ERR"), "count=1");
  EXPECT_EQ(Info("stats", "total_error_replies"), "1");
  EXPECT_EQ(Counts("ping"), "");
}

TEST_F(ScriptFigures, WhatIsNotOfferedSaysSo) {
  EXPECT_TRUE(
      Run("EVAL 'return redis.call(\"CLUSTER\",\"RESET\")' 0")
          .starts_with("ERR This Redis command is not allowed from script: 'cluster|reset' "
                       "is not offered by mayfly yet: the servers of a cluster share slots by "
                       "themselves script: "));
}

TEST_F(ScriptFigures, KeptScriptsAreCountedUntilTheyAreFlushed) {
  EXPECT_EQ(Info("memory", "number_of_cached_scripts"), "0");
  client_.Text("EVAL 'return 1' 0");
  client_.Text("EVAL 'return 2' 0");
  EXPECT_EQ(Info("memory", "number_of_cached_scripts"), "2");
  EXPECT_NE(Info("memory", "used_memory_lua"), "0");
  EXPECT_EQ(client_.Text("SCRIPT FLUSH ASYNC"), "OK");
  EXPECT_EQ(Info("memory", "number_of_cached_scripts"), "0");
  EXPECT_EQ(client_.Text("EVAL 'return 1' 0"), "1");
}

TEST_F(ScriptFigures, AScriptSeesASetInOrderWhenItAsksForNone) {
  client_.Text("SADD s m c z aa b k");
  EXPECT_EQ(client_.Text("EVAL 'return redis.call(\"sort\",KEYS[1],\"by\",\"_\")' 1 s"),
            client_.Text("SORT s ALPHA"));
}

}  // namespace
}  // namespace mayfly::server

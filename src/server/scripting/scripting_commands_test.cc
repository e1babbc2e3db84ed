// Goal: EVAL and its like run commands within their own transaction, and refuse what they must.
// Method: the family on the command tester, with GET, SET and a few more to call.
#include "server/scripting/scripting_commands.h"

#include <gtest/gtest.h>

#include "server/scripting/script_context.h"
#include "server/testing/command_tester.h"

namespace mayfly::server {
namespace {

Answer Get(Call& call) {
  core::FoundRow row;
  if (Status status = call.space().Find(call.args[1], row); !status.ok()) return status;
  if (row.exists) {
    call.reply.Bulk(row.value);
  } else {
    call.reply.Null();
  }
  return {};
}

Answer Set(Call& call) {
  Status status = call.space().Put(call.args[1], call.args[2], Lifetime::Default());
  if (!status.ok()) return status;
  if (call.args[2] == "bad") return Status::Invalid("a bad value");
  call.Notify(NotifyClass::kString, "set", call.args[1]);
  call.reply.Ok();
  return {};
}

Answer Select(Call&) { return Status::Internal("a script's SELECT is the script's own"); }
Answer Multi(Call&) { return Status::Internal("not from a script"); }

Answer Publish(Call& call) {
  EXPECT_EQ(call.transaction, nullptr);
  call.reply.Integer(0);
  return {};
}

// clang-format off
constexpr CommandSpec kCommands[] = {
    {"get",     2, kReadOnly | kFast,              OneKey(kRO | kAccess), Get,     "Get."},
    {"multi",   1, kNoScript | kNoRows,            kNoKeys,               Multi,   "Begin a transaction."},
    {"publish", 3, kPubSub | kNoRows | kPublishes, kNoKeys,               Publish, "Publish."},
    {"select",  2, kNoRows | kSelects,             kNoKeys,               Select,  "Select."},
    {"set",     3, kWrite | kDenyOom,              OneKey(kOW | kUpdate), Set,     "Set."},
};
// clang-format on

class ScriptingCommands : public testing::Test, public ScriptContext {
 protected:
  ScriptingCommands() { tester_.SetScripts(this); }

  ScriptEngine& engine() override { return engine_; }
  const CommandSpec* Find(std::span<const Bytes> args) override {
    for (const CommandSpec& spec : kCommands) {
      if (spec.name == args[0]) return &spec;
    }
    return nullptr;
  }
  std::optional<std::string> Refusal(const CommandSpec&, std::span<const Bytes> args,
                                     bool) override {
    if (args.size() > 1 && args[1] == "secret") return "NOPERM not yours";
    return std::nullopt;
  }
  bool refuses_writes() const override { return refuses_writes_; }
  bool lacks_followers() const override { return lacks_followers_; }
  bool out_of_memory() const override { return out_of_memory_; }
  void Log(LogLevel, Bytes) override {}

  std::string Text(const std::string& line) { return tester_.Text(line); }
  std::string Eval(const std::string& script, std::vector<std::string> rest = {"0"}) {
    return Run("eval", script, std::move(rest));
  }
  std::string Run(const std::string& command, const std::string& script,
                  std::vector<std::string> rest = {"0"}) {
    rest.insert(rest.begin(), {command, script});
    const std::string text = TextOf(tester_.RunArgs(rest));
    return text.substr(0, text.find(" script: "));
  }

  ManualClock clock_{WallTimeFromMs(0)};
  ScriptEngine engine_{clock_};
  CommandTester tester_{{ScriptingFamily(), {"string", Category::kString, kCommands}}};
  bool refuses_writes_ = false;
  bool lacks_followers_ = false;
  bool out_of_memory_ = false;
};

TEST_F(ScriptingCommands, RunCommandsOnTheirKeys) {
  EXPECT_EQ(Eval("return redis.call('set',KEYS[1],ARGV[1])", {"1", "k", "v"}), "OK");
  EXPECT_EQ(tester_.notifications(), (std::vector<std::string>{"$ set 0 k"}));
  EXPECT_EQ(Text("GET k"), "v");
  EXPECT_EQ(Eval("redis.call('set','a','1') return redis.call('get','a')"), "1");
}

TEST_F(ScriptingCommands, KeepWhatWasWrittenBeforeAnError) {
  EXPECT_EQ(Eval("redis.call('set','a','1') error('x')"), "ERR user_script:1: x");
  EXPECT_EQ(Text("GET a"), "1");
  EXPECT_EQ(Eval("redis.call('set','b','1') redis.call('set','b','bad')"), "ERR a bad value");
  EXPECT_EQ(Text("GET b"), "1");
  EXPECT_EQ(Eval("return redis.pcall('set','c','bad').err"), "ERR a bad value");
  EXPECT_EQ(Text("GET c"), "(nil)");
}

TEST_F(ScriptingCommands, RefuseCommandsThatScriptsMayNotRun) {
  EXPECT_EQ(Eval("redis.call('nope')"), "ERR Unknown Redis command called from script");
  EXPECT_EQ(Eval("redis.call('get')"),
            "ERR Wrong number of args calling Redis command from script");
  EXPECT_EQ(Eval("redis.call('multi')"), "ERR This Redis command is not allowed from script");
  EXPECT_EQ(Eval("redis.call('get','secret')"), "NOPERM not yours");
  EXPECT_EQ(Eval("return {redis.acl_check_cmd('get','a'),redis.acl_check_cmd('get','secret')}"),
            "[1, (nil)]");
  EXPECT_EQ(Eval("return redis.call('publish','a','b')"), "0");
}

TEST_F(ScriptingCommands, ReadOnlyScriptsDoNotWrite) {
  const std::string refusal = "ERR Write commands are not allowed from read-only scripts.";
  EXPECT_EQ(Run("eval_ro", "return redis.call('set','a','1')"), refusal);
  EXPECT_EQ(Run("eval_ro", "return redis.call('publish','a','1')"), refusal);
  EXPECT_EQ(Run("eval_ro", "return redis.call('get','a')"), "(nil)");
  EXPECT_EQ(Eval("#!lua flags=no-writes\nreturn redis.call('set','a','1')"), refusal);
  EXPECT_EQ(Run("eval_ro", "#!lua\nreturn 1"),
            "ERR Can not execute a script with write flag using *_ro command.");
  EXPECT_EQ(Run("eval_ro", "#!lua flags=no-writes\nreturn 1"), "1");
  const std::string sha = Text("SCRIPT LOAD \"return redis.call('set','a','1')\"");
  EXPECT_EQ(Run("evalsha_ro", sha), refusal);
  EXPECT_EQ(Run("evalsha", sha), "OK");
}

TEST_F(ScriptingCommands, SelectHoldsForTheScriptAlone) {
  EXPECT_EQ(Eval("redis.call('select','3') return redis.call('set','a','three')"), "OK");
  EXPECT_EQ(Text("GET a"), "(nil)");
  tester_.SelectDatabase(3);
  EXPECT_EQ(Text("GET a"), "three");
  EXPECT_EQ(Eval("redis.call('select','99')"), "ERR DB index is out of range");
  EXPECT_EQ(Eval("redis.call('select','x')"), "ERR value is not an integer or out of range");
}

TEST_F(ScriptingCommands, WithoutMemoryOnlyWhatNeedsNoneRuns) {
  out_of_memory_ = true;
  const std::string refusal = "OOM command not allowed when used memory > 'maxmemory'.";
  EXPECT_EQ(Eval("return redis.call('get','a')"), "(nil)");
  EXPECT_EQ(Eval("return redis.call('set','a','1')"), refusal);
  EXPECT_EQ(Eval("#!lua\nreturn 1"),
            "OOM allow-oom flag is not set on the script, can not run it when used memory > "
            "'maxmemory'");
  EXPECT_EQ(Eval("#!lua flags=no-writes\nreturn 1"), "1");
  EXPECT_EQ(Eval("#!lua flags=allow-oom\nreturn redis.call('set','a','1')"), "OK");
}

TEST_F(ScriptingCommands, WhereWritesAreRefusedThoseThatDeclareThemAreNotBegun) {
  lacks_followers_ = true;
  const std::string few = "NOREPLICAS Not enough good replicas to write.";
  EXPECT_EQ(Eval("#!lua\nreturn redis.call('get','a')"), few);
  EXPECT_EQ(Eval("#!lua flags=no-writes\nreturn redis.call('get','a')"), "(nil)");
  EXPECT_EQ(Eval("return redis.call('get','a')"), "(nil)");
  EXPECT_EQ(Eval("return redis.call('set','a','1')"), few);
  refuses_writes_ = true;
  const std::string refusal = "READONLY Can not run script with write flag on readonly replica.";
  EXPECT_EQ(Eval("#!lua\nreturn 1"), refusal);
  EXPECT_EQ(Run("eval_ro", "#!lua\nreturn 1"), refusal);
  EXPECT_EQ(Eval("#!lua flags=no-writes\nreturn 1"), "1");
  EXPECT_EQ(Eval("return redis.call('get','a')"), "(nil)");
}

TEST_F(ScriptingCommands, CheckTheNumberOfKeys) {
  EXPECT_EQ(Text("EVAL x"), "ERR wrong number of arguments for 'eval' command");
  EXPECT_EQ(Eval("return 1", {"x"}), "ERR value is not an integer or out of range");
  EXPECT_EQ(Eval("return 1", {"-1"}), "ERR Number of keys can't be negative");
  EXPECT_EQ(Eval("return 1", {"2", "a"}),
            "ERR Number of keys can't be greater than number of args");
  EXPECT_EQ(engine_.count(), 0u);
  std::vector<KeyUse> keys;
  const std::vector<Bytes> args = {"eval", "s", "2", "a", "b", "c"};
  EXPECT_TRUE(FindKeys(ScriptingFamily().commands[0].keys, args, keys));
  ASSERT_EQ(keys.size(), 2u);
  EXPECT_EQ(keys[0].position, 3);
  EXPECT_EQ(keys[1].position, 4);
}

TEST_F(ScriptingCommands, KeptScriptsRunByTheirName) {
  EXPECT_EQ(Run("evalsha", "e0e1f9fabfc9d4800c877a703b823ac0578ff8db"),
            "NOSCRIPT No matching script. Please use EVAL.");
  EXPECT_EQ(Text("SCRIPT LOAD \"return 1\""), "e0e1f9fabfc9d4800c877a703b823ac0578ff8db");
  EXPECT_EQ(Run("evalsha", "E0E1F9FABFC9D4800C877A703B823AC0578FF8DB"), "1");
  EXPECT_EQ(Text("SCRIPT EXISTS a e0e1f9fabfc9d4800c877a703b823ac0578ff8db"), "[0, 1]");
  EXPECT_EQ(Text("SCRIPT FLUSH bad"), "ERR SCRIPT FLUSH only support SYNC|ASYNC option");
  EXPECT_EQ(Text("SCRIPT FLUSH async"), "OK");
  EXPECT_EQ(Text("SCRIPT EXISTS e0e1f9fabfc9d4800c877a703b823ac0578ff8db"), "[0]");
  Eval("return 1");
  EXPECT_EQ(Run("evalsha", "e0e1f9fabfc9d4800c877a703b823ac0578ff8db"), "1");
}

TEST_F(ScriptingCommands, ScriptSubcommandsAnswerAsRedisDoes) {
  EXPECT_EQ(Text("SCRIPT LOAD \"return (\""),
            "ERR Error compiling script (new function): user_script:1: unexpected symbol near "
            "'<eof>'");
  EXPECT_EQ(Text("SCRIPT KILL"), "NOTBUSY No scripts in execution right now.");
  EXPECT_EQ(Text("SCRIPT DEBUG no"), "OK");
  EXPECT_EQ(Text("SCRIPT DEBUG yes"), "ERR there is no debugger for scripts");
  EXPECT_EQ(Text("SCRIPT DEBUG maybe"), "ERR Use SCRIPT DEBUG YES/SYNC/NO");
  EXPECT_EQ(tester_.Run("SCRIPT HELP").items().size(), 13u);
  tester_.SetScripts(nullptr);
  EXPECT_EQ(Eval("return 1"), "ERR scripts are not offered here");
}

}  // namespace
}  // namespace mayfly::server

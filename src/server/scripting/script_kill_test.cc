// Goal: a script that does not end can be stopped, unless it has written; others see how long it
// ran. Method: the script runs on a thread and says through its host that it has begun; then it is
// killed.
#include <gtest/gtest.h>

#include <future>

#include "server/scripting/testing/script_runner.h"

namespace mayfly::server {
namespace {

using Outcome = ScriptEngine::KillOutcome;

class ScriptKill : public testing::Test {
 protected:
  // Starts a script and waits until it calls a command for the nth time.
  std::future<std::string> Start(std::string text, int calls = 1) {
    auto begun = std::make_shared<std::promise<void>>();
    host_.on_call = [begun, left = calls]() mutable {
      if (--left == 0) begun->set_value();
    };
    std::future<std::string> reply = std::async(std::launch::async, [this, text = std::move(text)] {
      return WireOfScript(engine_, host_, text);
    });
    begun->get_future().wait();
    return reply;
  }

  ManualClock clock_{WallTimeFromMs(1'700'000'000'000)};
  ScriptEngine engine_{clock_};
  PlainScriptHost host_;
};

TEST_F(ScriptKill, NothingRuns) {
  EXPECT_EQ(engine_.Kill(ScriptEngine::Kind::kScript), Outcome::kNothingRuns);
  EXPECT_FALSE(engine_.running());
}

TEST_F(ScriptKill, EndsAnEndlessLoop) {
  const char* const kLoops[] = {
      "while true do end",
      "while true do pcall(function() while true do end end) end",
      "local function f() return f() end f()",
      "while true do xpcall(function() while true do end end, function() end) end",
      "coroutine.wrap(function() while true do pcall(function() while true do end end) end end)()",
      "while true do coroutine.resume(coroutine.create(function() while true do end end)) end",
      "while true do redis.pcall('get','a') end",
      "repeat until false",
  };
  for (const char* const loop : kLoops) {
    std::future<std::string> reply = Start(std::string("redis.call('get','a') ") + loop);
    EXPECT_EQ(engine_.Kill(ScriptEngine::Kind::kScript), Outcome::kKilled) << loop;
    EXPECT_EQ(reply.get(),
              "-ERR Script killed by user with SCRIPT KILL... script: {sha}, on @user_script:1.")
        << loop;
    host_.on_call = nullptr;
    EXPECT_EQ(WireOfScript(engine_, host_, "for i=1,100000 do end return 1"), ":1") << loop;
  }
  EXPECT_EQ(engine_.Kill(ScriptEngine::Kind::kScript), Outcome::kNothingRuns);
}

// Few instructions, much time: each makes a long string.
class CountingHost final : public PlainScriptHost {
 public:
  void Breathe(ScriptRun& run) override {
    if (++breaths == stop_at) run.Abort("ERR stopped");
  }

  int breaths = 0;
  int stop_at = 0;
};

TEST_F(ScriptKill, IsLookedForByWhatIsAllocatedAsWell) {
  CountingHost host;
  const char* const kText = "for i=1,100 do local s=string.rep('x',1000000) .. i end return 1";
  EXPECT_EQ(WireOfScript(engine_, host, kText), ":1");
  EXPECT_GE(host.breaths, 40) << "200 MB, a breath after 4 MiB";
  host.breaths = 0;
  host.stop_at = 3;
  EXPECT_EQ(WireOfScript(engine_, host, kText).substr(0, 12), "-ERR stopped");
  host.stop_at = 0;
  host.breaths = 0;
  EXPECT_EQ(WireOfScript(engine_, host, "for i=1,10000 do end return 1"), ":1");
  EXPECT_LE(host.breaths, 100) << "the hook stayed in a hurry";
}

TEST_F(ScriptKill, SparesAScriptThatHasWritten) {
  std::promise<void> wrote;
  std::promise<void> go;
  int calls = 0;
  host_.on_call = [&] {
    if (++calls != 2) return;
    wrote.set_value();
    go.get_future().wait();
  };
  std::future<std::string> reply = std::async(std::launch::async, [this] {
    return WireOfScript(engine_, host_, "redis.call('set','a','1') redis.call('get','a') return 7");
  });
  wrote.get_future().wait();
  EXPECT_EQ(engine_.Kill(ScriptEngine::Kind::kScript), Outcome::kHasWritten);
  go.set_value();
  EXPECT_EQ(reply.get(), ":7");
}

TEST_F(ScriptKill, EndsAScriptThatHasWrittenWhenTheServerGoes) {
  std::future<std::string> reply =
      Start("redis.call('set','a','1') redis.call('get','a') while true do end", 2);
  EXPECT_EQ(engine_.Kill(ScriptEngine::Kind::kScript), Outcome::kHasWritten);
  EXPECT_EQ(engine_.Kill(ScriptEngine::Kind::kAny, true), Outcome::kKilled);
  // Returned, not written as its reply: the caller rolls back what it wrote.
  EXPECT_TRUE(reply.get().starts_with("ERR Script killed"));
}

TEST_F(ScriptKill, AKilledScriptWritesNothingAnyMore) {
  ScriptRun run;
  EXPECT_EQ(run.RequestStop(false), ScriptRun::Stop::kStopped);
  EXPECT_FALSE(run.BeginWrite());
  ScriptRun other;
  EXPECT_TRUE(other.BeginWrite());
  EXPECT_EQ(other.RequestStop(false), ScriptRun::Stop::kHasWritten);
  EXPECT_FALSE(other.stop_requested());
}

TEST_F(ScriptKill, TellsHowLongAScriptHasBeenRunning) {
  std::promise<void> begun;
  std::promise<void> go;
  host_.on_call = [&] {
    begun.set_value();
    go.get_future().wait();
  };
  std::future<std::string> reply = std::async(std::launch::async, [this] {
    return WireOfScript(engine_, host_, "redis.call('get','a') return 7");
  });
  begun.get_future().wait();
  EXPECT_EQ(engine_.running()->for_so_long, Millis(0));
  clock_.Advance(Millis(4999));
  EXPECT_EQ(engine_.running()->for_so_long, Millis(4999));
  clock_.Advance(Millis(1));
  EXPECT_EQ(engine_.running()->for_so_long, Millis(5000));
  go.set_value();
  EXPECT_EQ(reply.get(), ":7");
  EXPECT_FALSE(engine_.running());
}

}  // namespace
}  // namespace mayfly::server

// Goal: functions are rows. They change with their transaction or not at all, are there after a
// restart, and no call sees an old one. Method: a whole server; clients on both of its threads.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <atomic>
#include <thread>

#include "base/temporary_directory.h"
#include "server/front_served.h"

namespace mayfly::server {
namespace {

std::string Load(std::string_view name, std::string_view body, std::string_view options = "") {
  return fmt::format(
      "FUNCTION LOAD {} \"#!lua name={}\\nredis.register_function{{function_name='{}', "
      "callback=function(keys, args) {} end}}\"",
      options, name, name, body);
}

constexpr const char* kNotFound = "ERR Function not found";

TEST(Functions, AreCalledByAllClientsAndListed) {
  FrontServed served;
  TestClient one(served.port());
  TestClient two(served.port());
  EXPECT_EQ(one.Text("FUNCTION LIST"), "[]");
  EXPECT_EQ(one.Text(Load("put", "return redis.call('set', keys[1], args[1])")), "put");
  EXPECT_EQ(two.Text("FCALL put 1 k v"), "OK");
  EXPECT_EQ(two.Text("GET k"), "v");
  EXPECT_EQ(two.Text("FCALL_RO put 1 k v"),
            "ERR Can not execute a script with write flag using *_ro command.");
  EXPECT_EQ(two.Text("FUNCTION LIST"),
            "[[library_name, put, engine, LUA, functions, [[name, put, description, (nil), flags, "
            "[]]]]]");
  EXPECT_EQ(two.Text("FUNCTION DELETE put"), "OK");
  EXPECT_EQ(one.Text("FCALL put 1 k v"), kNotFound);
}

TEST(Functions, ChangeWithTheirTransaction) {
  FrontServed served;
  TestClient one(served.port());
  TestClient two(served.port());
  EXPECT_EQ(one.Text(Load("f", "return 1")), "f");
  EXPECT_EQ(one.Text("MULTI"), "OK");
  one.Text(Load("f", "return 2", "REPLACE"));
  one.Text("FCALL f 0");
  one.Text(Load("g", "return 3"));
  one.Text("FCALL g 0");
  one.Text("FUNCTION DELETE f");
  one.Text("FCALL f 0");
  EXPECT_EQ(two.Text("FCALL f 0"), "1");
  EXPECT_EQ(one.Text("EXEC"), fmt::format("[f, 2, g, 3, OK, {}]", kNotFound));
  EXPECT_EQ(two.Text("FCALL f 0"), kNotFound);
  EXPECT_EQ(two.Text("FCALL g 0"), "3");
}

TEST(Functions, ARefusedLibraryLeavesTheOldOne) {
  FrontServed served;
  TestClient one(served.port());
  EXPECT_EQ(one.Text(Load("f", "return 1")), "f");
  const auto refused = [&](const std::string& line, std::string_view reason) {
    const std::string reply = one.Text(line);
    EXPECT_NE(reply.find(reason), std::string::npos) << reply;
    EXPECT_EQ(one.Text("FCALL f 0"), "1");
  };
  refused(Load("f", "return 2"), "Library 'f' already exists");
  refused("FUNCTION LOAD REPLACE \"#!lua name=f\\nwhile true do end\"", "FUNCTION LOAD timeout");
  refused("FUNCTION LOAD REPLACE \"#!lua name=f\\nlocal t = {} while true do t[#t + 1] = {} end\"",
          "");
  refused("FUNCTION LOAD REPLACE \"#!lua name=f\\nredis.register_function('f', 1)\"",
          "second argument");
  refused("FUNCTION LOAD \"#!lua name=h\\nredis.register_function('F', function() end)\"",
          "Function F already exists");
  refused("FUNCTION RESTORE junk", "DUMP payload version or checksum are wrong");
}

TEST(Functions, AreThereAfterARestartAndNotInANumberedDatabase) {
  const TemporaryDirectory folder;
  const auto open = [&] {
    auto database = Database::Open({.directory = folder.Inside("data"), .create_if_missing = true});
    EXPECT_TRUE(database);
    return std::move(*database);
  };
  {
    FrontServed served({}, SilentLogger(), open());
    TestClient client(served.port());
    EXPECT_EQ(client.Text(Load("f", "return redis.call('incr', keys[1])")), "f");
    EXPECT_EQ(client.Text("FCALL f 1 n"), "1");
    EXPECT_EQ(client.Text("FLUSHALL"), "OK");
    EXPECT_EQ(client.Text("DBSIZE"), "0");
  }
  FrontServed served({}, SilentLogger(), open());
  TestClient client(served.port());
  EXPECT_EQ(client.Text("FUNCTION STATS"),
            "[running_script, (nil), engines, [LUA, [libraries_count, 1, functions_count, 1]]]");
  EXPECT_EQ(client.Text("FCALL f 1 n"), "1");
}

// A library is replaced again and again; a call that begins behind the reply of a LOAD runs that
// one, whichever thread and Lua state it meets.
TEST(Functions, NoCallSeesAnOldOne) {
  FrontServed served;
  TestClient writer(served.port());
  TestClient one(served.port());
  TestClient two(served.port());
  std::atomic<bool> stop = false;
  std::thread others([&] {
    TestClient client(served.port());
    while (!stop) client.Text("FCALL f 1 k");
  });
  for (int i = 0; i < 200; ++i) {
    EXPECT_EQ(writer.Text(Load("f", fmt::format("return {}", i), "REPLACE")), "f");
    EXPECT_EQ(one.Text("FCALL f 1 k"), std::to_string(i));
    EXPECT_EQ(two.Text("FCALL f 1 k"), std::to_string(i));
  }
  stop = true;
  others.join();
}

// The function adds to two keys, one of which it does not name; half of the runs fail behind that.
TEST(Functions, ALatchedRunIsRolledBackWhole) {
  FrontServed served;
  TestClient client(served.port());
  EXPECT_EQ(client.Text(Load("f",
                             "redis.call('incr', keys[1]) redis.call('incr', 'b') "
                             "return redis.call('incr', keys[1])")),
            "f");
  std::vector<std::thread> threads;
  for (int thread = 0; thread < 3; ++thread) {
    threads.emplace_back([&] {
      TestClient one(served.port());
      for (int i = 0; i < 50; ++i) one.Text("FCALL f 1 a");
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(client.Text("GET a"), "300");
  EXPECT_EQ(client.Text("GET b"), "150");
}

TEST(Functions, NeedThePermissionsOfScriptsAndOfTheirKeys) {
  FrontServed served;
  TestClient admin(served.port());
  TestClient user(served.port());
  EXPECT_EQ(admin.Text(Load("f", "return redis.call('get', args[1])")), "f");
  EXPECT_EQ(admin.Text("ACL SETUSER u on >p ~a* +@all -@scripting"), "OK");
  EXPECT_EQ(user.Text("AUTH u p"), "OK");
  EXPECT_TRUE(user.Text("FCALL f 1 a a").starts_with("NOPERM"));
  EXPECT_TRUE(user.Text("FUNCTION LIST").starts_with("NOPERM"));
  EXPECT_EQ(admin.Text("ACL SETUSER u +@scripting"), "OK");
  EXPECT_EQ(user.Text("FCALL f 1 a a"), "(nil)");
  EXPECT_TRUE(user.Text("FCALL f 1 b a").starts_with("NOPERM"));
  EXPECT_NE(user.Text("FCALL f 1 a b").find("can't access at least one of the keys"),
            std::string::npos);
}

TEST(Functions, AreKilledByFunctionKillAlone) {
  FrontServed served("busy-reply-threshold", "1");
  TestClient runs(served.port());
  TestClient kills(served.port());
  EXPECT_EQ(runs.Text(Load("f", "while true do end")), "f");
  runs.SendLine("FCALL f 0");
  served.AwaitScript();
  std::string reply;
  do reply = kills.Text("PING");
  while (!reply.starts_with("BUSY"));
  EXPECT_EQ(reply,
            "BUSY Redis is busy running a script. You can only call FUNCTION KILL or SHUTDOWN "
            "NOSAVE.");
  EXPECT_EQ(kills.Text("SCRIPT KILL"), reply);
  EXPECT_TRUE(kills.Text("FUNCTION STATS")
                  .starts_with("[running_script, [name, f, command, [FCALL, f, 0], duration_ms, "));
  EXPECT_EQ(kills.Text("FUNCTION KILL"), "OK");
  EXPECT_TRUE(runs.ReadText().starts_with("ERR"));
  EXPECT_EQ(kills.Text("FUNCTION KILL"), "NOTBUSY No scripts in execution right now.");
}

}  // namespace
}  // namespace mayfly::server

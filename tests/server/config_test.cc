// Goal: settings: what CONFIG accepts and refuses, the file, and rewriting it.
// Method: the Config alone, a temporary file, and CONFIG over a socket; errors are Redis 7.0's.
#include "server/config/config.h"

#include <gtest/gtest.h>

#include <atomic>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <thread>
#include <type_traits>

#include "base/temporary_directory.h"
#include "server/config/config_file.h"
#include "server/served.h"

namespace mayfly::server {
namespace {

std::string ReadFile(const std::string& path) {
  std::ifstream file(path);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

void WriteFile(const std::string& path, const std::string& text) { std::ofstream(path) << text; }

// Whether Config::Number() or Config::IsOn() of the setting compiles.
template <Setting kSetting>
concept HasNumber = requires {
  typename std::bool_constant<(NumberSetting(kSetting), true)>;
};
template <Setting kSetting>
concept IsSwitch = requires {
  typename std::bool_constant<(SwitchSetting(kSetting), true)>;
};

TEST(Config, OnlySettingsOfAKindCompile) {
  EXPECT_TRUE(HasNumber<Setting::kPort>);
  EXPECT_TRUE(HasNumber<Setting::kAppendFsync>) << "a choice has its place";
  EXPECT_TRUE(HasNumber<Setting::kReaper>);
  EXPECT_FALSE(HasNumber<Setting::kDir>);
  EXPECT_FALSE(HasNumber<Setting::kLatencyTrackingInfoPercentiles>);
  EXPECT_TRUE(IsSwitch<Setting::kReaper>);
  EXPECT_FALSE(IsSwitch<Setting::kPort>);
  EXPECT_FALSE(IsSwitch<Setting::kDir>);
}

TEST(Config, TheReserveOfTheDiskCanHaveAUnit) {
  Config config;
  const Status set = config.SetAtStart("disk-reserve", "8mb");
  ASSERT_TRUE(set.ok()) << set.ToString();
  EXPECT_EQ(config.Number(Setting::kDiskReserve), 8 << 20);
  ASSERT_TRUE(config.SetAtStart("disk-reserve", "0").ok());
  EXPECT_EQ(config.Number(Setting::kDiskReserve), 0);
}

TEST(Config, AnEnumeratorAndItsNameAreOneSetting) {
  Config config;
  ASSERT_TRUE(config.SetAtStart("tls-port", "7001").ok());
  EXPECT_EQ(config.Number(Setting::kTlsPort), 7001);
  ASSERT_TRUE(config.SetAtStart("lua-time-limit", "7").ok());
  EXPECT_EQ(config.Number(Setting::kBusyReplyThreshold), 7) << "by its older name";
  for (std::size_t i = 0; i < kSettingCount; ++i) {
    const auto setting = static_cast<Setting>(i);
    EXPECT_EQ(FindSetting(SpecOf(setting).name), &SpecOf(setting));
    EXPECT_EQ(SpecOf(setting).kind, KindOf(setting)) << SpecOf(setting).name;
    const auto matched = config.Match({std::string(SpecOf(setting).name)});
    ASSERT_EQ(matched.size(), 1u) << SpecOf(setting).name;
    EXPECT_EQ(matched[0].second, config.Text(setting));
  }
}

TEST(Config, SizesHaveUnits) {
  Config config;
  for (const auto& [text, bytes] :
       std::vector<std::pair<std::string, std::int64_t>>{{"100", 100},
                                                         {"1k", 1000},
                                                         {"1kb", 1024},
                                                         {"2MB", 2 * 1024 * 1024},
                                                         {"1g", 1'000'000'000},
                                                         {"1gb", 1024 * 1024 * 1024}}) {
    EXPECT_TRUE(config.SetAtStart("maxmemory", text).ok()) << text;
    EXPECT_EQ(config.Number(Setting::kMaxMemory), bytes);
  }
  for (const char* text : {"", "x", "1x", "-1", "99999999999gb"}) {
    EXPECT_FALSE(config.SetAtStart("maxmemory", text).ok()) << text;
  }
}

TEST(Config, PercentilesAreNumbersFromNothingToAll) {
  Config config;
  const Setting setting = Setting::kLatencyTrackingInfoPercentiles;
  EXPECT_EQ(config.Text(setting), "50 99 99.9");
  EXPECT_TRUE(config.SetAtStart(setting, "0.0  50.0 100.0").ok());
  EXPECT_EQ(config.Text(setting), "0 50 100");
  for (const char* const text : {"10 a", "-1", "50 100.5", "nan"}) {
    EXPECT_FALSE(config.SetAtStart(setting, text).ok()) << text;
  }
  EXPECT_EQ(config.Text(setting), "0 50 100");
  EXPECT_TRUE(config.SetAtStart(setting, "").ok());
  EXPECT_EQ(config.Text(setting), "");
}

TEST(Config, ErrorsNameTheSetting) {
  Config config;
  EXPECT_EQ(config.SetAtStart("prot", "1").message(), "there is no setting 'prot'");
  EXPECT_EQ(config.SetAtStart("port", "70000").message(),
            "setting 'port' cannot be '70000': argument must be between 0 and 65535 inclusive");
}

TEST(Config, SetAnswersAsRedis) {
  Served served;
  TestClient client(served.port());
  const std::string failed = "ERR CONFIG SET failed (possibly related to argument ";
  EXPECT_EQ(client.Text("CONFIG SET timeout 5"), "OK");
  EXPECT_EQ(client.Text("CONFIG GET timeout"), "[timeout, 5]");
  EXPECT_EQ(client.Text("CONFIG SET timeout x"),
            failed + "'timeout') - argument couldn't be parsed into an integer");
  EXPECT_EQ(client.Text("CONFIG SET timeout -1"),
            failed + "'timeout') - argument must be between 0 and 2147483647 inclusive");
  EXPECT_EQ(client.Text("CONFIG SET protected-mode maybe"),
            failed + "'protected-mode') - argument must be 'yes' or 'no'");
  EXPECT_EQ(
      client.Text("CONFIG SET appendfsync often"),
      failed + "'appendfsync') - argument(s) must be one of the following: everysec, always, no");
  EXPECT_EQ(client.Text("CONFIG SET databases 1"),
            failed + "'databases') - can't set immutable config");
  EXPECT_EQ(client.Text("CONFIG SET timeout 1 timeout 2"),
            failed + "'timeout') - duplicate parameter");
  EXPECT_EQ(client.Text("CONFIG SET nothing 1"),
            "ERR Unknown option or number of arguments for CONFIG SET - 'nothing'");
  EXPECT_EQ(client.Text("CONFIG SET timeout"),
            "ERR wrong number of arguments for 'config|set' command");
  EXPECT_EQ(client.Text("CONFIG SET notify-keyspace-events Kq"),
            failed +
                "'notify-keyspace-events') - Invalid event class character. Use "
                "'Ag$lshzxeKEtmdn'.");
}

TEST(Config, ManyAreSetTogetherOrNotAtAll) {
  Served served;
  TestClient client(served.port());
  EXPECT_EQ(client.Text("CONFIG SET timeout 7 maxclients 0").substr(0, 3), "ERR");
  EXPECT_EQ(client.Text("CONFIG GET timeout"), "[timeout, 0]");
  EXPECT_EQ(client.Text("CONFIG SET timeout 7 maxclients 50"), "OK");
  EXPECT_EQ(client.Text("CONFIG GET maxclients timeout"), "[maxclients, 50, timeout, 7]");
}

TEST(Config, AHookThatRefusesUndoesAll) {
  Config config;
  config.OnChange(Setting::kMaxClients,
                  [](const SettingValue&) { return Status::Invalid("not now"); });
  std::vector<std::string> seen;
  config.OnChange(Setting::kTimeout, [&](const SettingValue& value) {
    seen.push_back(value.text);
    return Status();
  });
  const Answer answer = config.Set({{"timeout", "9"}, {"maxclients", "5"}});
  EXPECT_EQ(answer.error(),
            "ERR CONFIG SET failed (possibly related to argument 'maxclients') - not now");
  EXPECT_EQ(config.Number(Setting::kTimeout), 0);
  EXPECT_EQ(config.Number(Setting::kMaxClients), 10000);
  EXPECT_EQ(seen, (std::vector<std::string>{"9", "0"}));
}

TEST(Config, WhatIsAsItIsWantedNeedsNoChange) {
  Config config;
  int asked = 0;
  config.OnChange(Setting::kMaxClients, [&](const SettingValue&) {
    ++asked;
    return Status();
  });
  EXPECT_TRUE(config.Set({{"databases", "16"}, {"maxclients", "10000"}}).ok());
  EXPECT_EQ(asked, 0);
  EXPECT_TRUE(config.Set({{"maxclients", "9999"}}).ok());
  EXPECT_EQ(asked, 1);
  EXPECT_FALSE(config.Set({{"databases", "17"}}).ok());
}

TEST(Config, APartOfMemoryIsAPercentage) {
  Config config;
  EXPECT_TRUE(config.Set({{"maxmemory-clients", "5%"}}).ok());
  EXPECT_EQ(config.Text(Setting::kMaxMemoryClients), "5%");
  EXPECT_EQ(config.Set({{"maxmemory-clients", "101%"}}).error(),
            "ERR CONFIG SET failed (possibly related to argument 'maxmemory-clients') - percentage "
            "argument must be less or equal to 100");
  EXPECT_TRUE(config.Set({{"maxmemory-clients", "1kb"}}).ok());
  EXPECT_EQ(config.Text(Setting::kMaxMemoryClients), "1024");
}

TEST(Config, HiddenOnesAreShownToThoseWhoKnowThem) {
  const Config config;
  EXPECT_TRUE(config.Match({"key-load-del*"}).empty());
  EXPECT_EQ(config.Match({"Key-Load-Delay"}).size(), 1u);
}

TEST(Config, PatternsAndAliases) {
  Served served;
  TestClient client(served.port());
  EXPECT_EQ(client.Text("CONFIG GET slowlog-*"),
            "[slowlog-log-slower-than, 10000, slowlog-max-len, 128]");
  EXPECT_EQ(client.Text("CONFIG SET hash-max-ziplist-entries 7"), "OK");
  EXPECT_EQ(client.Text("CONFIG GET hash-max-listpack-entries"), "[hash-max-listpack-entries, 7]");
  EXPECT_EQ(client.Text("CONFIG GET nothing"), "[]");
}

TEST(Config, OutputLimitsKeepTheClassesThatAreNotNamed) {
  Served served;
  TestClient client(served.port());
  EXPECT_EQ(client.Text("CONFIG SET client-output-buffer-limit 'normal 1mb 512kb 5'"), "OK");
  EXPECT_EQ(client.Ask("CONFIG GET client-output-buffer-limit").items()[1].text(),
            "normal 1048576 524288 5 slave 268435456 67108864 60 pubsub 33554432 8388608 60");
  EXPECT_EQ(client.Text("CONFIG SET client-output-buffer-limit 'normal 1mb'").substr(0, 3), "ERR");
}

TEST(Config, TheFileIsToml) {
  const TemporaryDirectory directory;
  const std::string path = directory.Inside("mayfly.toml");
  Config config;
  WriteFile(path,
            "port = 7000\nappendfsync = \"always\"\nprotected-mode = false\n"
            "bind = [\"127.0.0.1\", \"-::1\"]\nmaxmemory = \"1gb\"\n");
  ASSERT_TRUE(LoadConfigFile(path, config).ok());
  EXPECT_EQ(config.Number(Setting::kPort), 7000);
  EXPECT_EQ(config.Text(Setting::kAppendFsync), "always");
  EXPECT_EQ(config.Text(Setting::kProtectedMode), "no");
  EXPECT_EQ(config.Text(Setting::kBind), "127.0.0.1 -::1");
  EXPECT_EQ(config.Number(Setting::kMaxMemory), 1 << 30);
}

TEST(Config, ErrorsOfTheFileNameTheLine) {
  const TemporaryDirectory directory;
  const std::string path = directory.Inside("mayfly.toml");
  Config config;
  WriteFile(path, "port = 7000\nprot = 1\n");
  EXPECT_EQ(LoadConfigFile(path, config).message(), path + ":2: there is no setting 'prot'");
  WriteFile(path, "port = 7000\nport 1\n");
  EXPECT_TRUE(LoadConfigFile(path, config).message().starts_with(path + ":2: "));
  WriteFile(path, "port = { a = 1 }\n");
  EXPECT_TRUE(LoadConfigFile(path, config).message().starts_with(path + ":1: setting 'port' is"));
  EXPECT_FALSE(LoadConfigFile(directory.Inside("missing"), config).ok());
}

TEST(Config, RewriteKeepsWhatItDoesNotKnow) {
  const TemporaryDirectory directory;
  const std::string path = directory.Inside("mayfly.toml");
  WriteFile(path, "# ours\ntimeout = 5\n\nport = 7000\n");
  Config config;
  ASSERT_TRUE(LoadConfigFile(path, config).ok());
  ASSERT_TRUE(config.Set({{"timeout", "6"}, {"requirepass", "a\"b"}}).ok());
  ASSERT_TRUE(RewriteConfigFile(config).ok());
  EXPECT_EQ(ReadFile(path),
            "# ours\ntimeout = \"6\"\n\nport = \"7000\"\nrequirepass = \"a\\\"b\"\n");
  Config again;
  ASSERT_TRUE(LoadConfigFile(path, again).ok());
  EXPECT_EQ(again.Text(Setting::kRequirePass), "a\"b");
  EXPECT_EQ(again.Number(Setting::kTimeout), 6);
}

TEST(Config, RedisOwnFormatIsRead) {
  const TemporaryDirectory directory;
  const std::string path = directory.Inside("redis.conf");
  WriteFile(directory.Inside("more.conf"), "timeout 9\n");
  WriteFile(path,
            "# Redis\n\n  port 7000  \nbind 127.0.0.1 -::1\nPROTECTED-MODE no\n"
            "requirepass \"a \\\"b\\x41\"\nnotify-keyspace-events \"\"\nmaxmemory 1gb\n"
            "client-output-buffer-limit normal 1mb 0 0\nclient-output-buffer-limit pubsub 2mb 0 0\n"
            "user ann on >pw ~a* +@all\nuser bob on nopass -@all\ninclude " +
                directory.Inside("m*.conf") + "\n");
  Config config;
  const Status loaded = LoadConfigFile(path, config);
  ASSERT_TRUE(loaded.ok()) << loaded.ToString();
  EXPECT_EQ(config.Number(Setting::kPort), 7000);
  EXPECT_EQ(config.Text(Setting::kBind), "127.0.0.1 -::1");
  EXPECT_EQ(config.Text(Setting::kProtectedMode), "no");
  EXPECT_EQ(config.Text(Setting::kRequirePass), "a \"bA");
  EXPECT_EQ(config.Number(Setting::kTimeout), 9);
  EXPECT_EQ(config.Text(Setting::kClientOutputBufferLimit),
            "normal 1048576 0 0 slave 268435456 67108864 60 pubsub 2097152 0 0");
  EXPECT_EQ(config.user_lines(),
            (std::vector<std::string>{"user ann on >pw ~a* +@all", "user bob on nopass -@all"}));
}

TEST(Config, WhatWouldNotBeSoIsRefusedByName) {
  const TemporaryDirectory directory;
  const std::string path = directory.Inside("redis.conf");
  // clang-format off
  const std::pair<const char*, const char*> lines[] = {
      {"cluster-enabled yes",        "Cluster is not offered"},
      {"rename-command CONFIG",      "takes a name and a new name"},
      {"loadmodule /x.so",           "modules are not offered"},
      {"nonsense 1",                 "there is no setting"},
      {"port",                       "has no value"},
      {"port 1 2",                   "cannot be '1 2'"},
      {"requirepass \"open",         "a quote is not closed"},
  };
  // clang-format on
  for (const auto& [line, words] : lines) {
    Config config;
    WriteFile(path, std::string("# Redis\n") + line + "\n");
    const std::string message(LoadConfigFile(path, config).message());
    EXPECT_TRUE(message.starts_with(path + ":2: ")) << message;
    EXPECT_NE(message.find(words), std::string::npos) << message;
  }
  Config config;
  WriteFile(path, "cluster-enabled no\nreplicaof \"\"\n");
  EXPECT_TRUE(LoadConfigFile(path, config).ok());
  WriteFile(path, "include " + path + "\n");
  EXPECT_FALSE(LoadConfigFile(path, config).ok());
}

TEST(Config, SettingsWithoutEffectAreNamedWithTheReason) {
  Config config;
  EXPECT_TRUE(config.WithoutEffect().empty());
  ASSERT_TRUE(config.SetAtStart("hz", "100").ok());
  ASSERT_TRUE(config.SetAtStart("timeout", "10").ok());
  ASSERT_TRUE(config.SetAtStart("maxmemory", "10mb").ok());
  ASSERT_EQ(config.WithoutEffect().size(), 1u);
  EXPECT_EQ(config.WithoutEffect()[0].first, "hz");
  EXPECT_TRUE(config.WithoutEffect()[0].second.starts_with("nothing is polled"));
}

TEST(Config, RewriteKeepsRedisOwnFormatAndUsers) {
  const TemporaryDirectory directory;
  const std::string path = directory.Inside("redis.conf");
  WriteFile(
      path,
      "# ours\ntimeout 5\ninclude /none*.conf\n\nuser old on\nport 7000\n"
      "client-output-buffer-limit normal 1mb 0 0\nclient-output-buffer-limit pubsub 2mb 0 0\n");
  Config config;
  ASSERT_TRUE(LoadConfigFile(path, config).ok());
  ASSERT_TRUE(
      config.Set({{"timeout", "6"}, {"requirepass", "a \"b"}, {"bind", "::1 -127.0.0.1"}}).ok());
  ASSERT_TRUE(RewriteConfigFile(config, {"user ann on #12 ~* +@all", "user default off"}).ok());
  EXPECT_EQ(
      ReadFile(path),
      "# ours\ntimeout 6\ninclude /none*.conf\n\nuser ann on #12 ~* +@all\nuser default off\n"
      "port 7000\n"
      "client-output-buffer-limit normal 1048576 0 0 slave 268435456 67108864 60 pubsub 2097152 "
      "0 0\nbind ::1 -127.0.0.1\nrequirepass \"a \\\"b\"\n");
  Config again;
  ASSERT_TRUE(LoadConfigFile(path, again).ok());
  EXPECT_EQ(again.Text(Setting::kRequirePass), "a \"b");
  EXPECT_EQ(again.user_lines().size(), 2u);
}

TEST(Config, RewriteKeepsUsersInToml) {
  const TemporaryDirectory directory;
  const std::string path = directory.Inside("mayfly.toml");
  WriteFile(path, "port = 7000\nuser = [\"old on\"]\n");
  Config config;
  ASSERT_TRUE(LoadConfigFile(path, config).ok());
  EXPECT_EQ(config.user_lines(), std::vector<std::string>{"user old on"});
  ASSERT_TRUE(RewriteConfigFile(config, {"user ann on >a\"b", "user bob off"}).ok());
  Config again;
  ASSERT_TRUE(LoadConfigFile(path, again).ok());
  EXPECT_EQ(again.user_lines(), (std::vector<std::string>{"user ann on >a\"b", "user bob off"}));
}

// One thread changes a setting and rewrites the file; concurrent rewrites may have read it before
// the change, and must not overwrite it with the old value.
TEST(Config, RewritesAtTheSameTimeLeaveOneWholeFileWithTheNewestValues) {
  const TemporaryDirectory directory;
  const std::string path = directory.Inside("mayfly.toml");
  WriteFile(path, "# ours\ntimeout = 0\n");
  Config config;
  ASSERT_TRUE(LoadConfigFile(path, config).ok());
  std::atomic<bool> stop{false};
  std::vector<std::thread> others;
  for (int i = 0; i < 3; ++i) {
    others.emplace_back([&] {
      while (!stop) EXPECT_EQ(RewriteConfigFile(config).message(), "");
    });
  }
  for (int round = 1; round <= 50; ++round) {
    const std::string text = std::to_string(round);
    EXPECT_TRUE(config.Set({{"timeout", text}}).ok());
    EXPECT_EQ(RewriteConfigFile(config).message(), "");
    EXPECT_EQ(ReadFile(path), "# ours\ntimeout = \"" + text + "\"\n");
  }
  stop = true;
  for (std::thread& other : others) other.join();
  const std::filesystem::directory_iterator files(directory.path());
  EXPECT_EQ(std::distance(begin(files), end(files)), 1) << "nothing is left beside it";
}

TEST(Config, WithoutAFileThereIsNothingToRewrite) {
  Served served;
  TestClient client(served.port());
  EXPECT_EQ(client.Text("CONFIG REWRITE"), "ERR The server is running without a config file");
}

}  // namespace
}  // namespace mayfly::server

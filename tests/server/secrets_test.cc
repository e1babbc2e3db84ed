// Goal: passwords are shown to no client. Method: commands that carry one, right, wrong and
// malformed, alone and in MULTI; then everything that other clients can see of commands is searched
// for it.
#include <gtest/gtest.h>

#include "server/front_served.h"
#include "server/recording_logger.h"

namespace mayfly::server {
namespace {

constexpr const char* kSecret = "hunter2";
constexpr const char* kHash = "f52fbd32b2b3b86ff88ef6c490628285f482af15ddcb29541f94bcf526a3f6c7";

// Every command that can carry a password, and forms that are refused.
const std::vector<std::string> kCommands = {
    "CONFIG SET requirepass hunter2",
    "AUTH hunter2",
    "AUTH default hunter2",
    "AUTH nobody hunter2",
    "AUTH default hunter2 hunter2",
    "HELLO 3 AUTH default hunter2",
    "HELLO 2 SETNAME me AUTH default hunter2",
    "HELLO 2 auth nobody hunter2",
    "HELLO 2 AUTH default hunter2 SETNAME me",
    "HELLO 3 AUHT default hunter2",
    "HELLO 2 AUTH hunter2",
    "ACL SETUSER ann on >hunter2 ~* +@all",
    "ACL SETUSER ann <hunter2",
    "ACL SETUSER ann <hunter2",
    std::string("ACL SETUSER ann #") + kHash,
    std::string("ACL SETUSER ann !") + kHash,
    std::string("ACL SETUSER ann !") + kHash,
    "ACL DRYRUN default AUTH default hunter2",
    "CONFIG SET masterauth hunter2 masteruser hunter2",
    "CONFIG SET maxclients 99 REQUIREPASS hunter2",
    "CONFIG SET tls-key-file-pass hunter2",
    "CONFIG SET http-keys id:hunter2",
    "CONFIG SET requirepas hunter2",
};

std::string AllTextOf(const Reply& reply) {
  if (const auto* const text = std::get_if<std::string>(&reply.value)) return *text + "\n";
  std::string all;
  if (const auto* const items = std::get_if<Reply::Items>(&reply.value)) {
    for (const Reply& item : *items) all += AllTextOf(item);
  }
  return all;
}

void ExpectNoSecret(const std::string& where, const std::string& text) {
  EXPECT_EQ(text.find(kSecret), std::string::npos) << where << ": " << text;
  EXPECT_EQ(text.find(kHash), std::string::npos) << where << ": " << text;
}

class Secrets : public testing::Test {
 protected:
  Secrets() {
    EXPECT_EQ(admin_.Text("CONFIG SET slowlog-log-slower-than 0 slowlog-max-len 1000"), "OK");
    EXPECT_EQ(monitor_.Text("MONITOR"), "OK");
  }

  // The monitor's lines from now until a command of its own.
  std::string Shown() {
    admin_.Text("ECHO end-of-it");
    std::string shown;
    while (shown.find("end-of-it") == std::string::npos) shown += monitor_.ReadText() + "\n";
    return shown;
  }

  // Searches everything visible of commands that ran.
  void ExpectHiddenEverywhere() {
    ExpectNoSecret("MONITOR", Shown());
    for (const char* const command : {"SLOWLOG GET -1", "ACL LOG", "INFO everything", "CLIENT LIST",
                                      "LATENCY DOCTOR", "COMMAND LIST"}) {
      ExpectNoSecret(command, AllTextOf(admin_.Ask(command)));
    }
    for (const std::string& line : logger_.lines()) ExpectNoSecret("the log", line);
  }

  RecordingLogger logger_;
  FrontServed served_{Served::Settings{}, logger_};
  TestClient admin_{served_.port()};
  TestClient monitor_{served_.port()};
};

TEST_F(Secrets, AreInNoSinkOfCommands) {
  for (const std::string& command : kCommands) {
    ExpectNoSecret("the reply to " + command, AllTextOf(admin_.Ask(command)));
    ExpectHiddenEverywhere();
  }
}

TEST_F(Secrets, AreInNoSinkOfTransactions) {
  EXPECT_EQ(admin_.Text("MULTI"), "OK");
  for (const std::string& command : kCommands) EXPECT_EQ(admin_.Text(command), "QUEUED");
  ExpectNoSecret("the reply of EXEC", AllTextOf(admin_.Ask("EXEC")));
  ExpectHiddenEverywhere();
}

TEST_F(Secrets, AreInNoSinkOfScripts) {
  admin_.Ask("EVAL \"return redis.pcall('auth', 'hun' .. 'ter2')\" 0");
  admin_.Ask("EVAL \"return redis.pcall('config', 'set', 'requirepass', 'hun' .. 'ter2')\" 0");
  ExpectHiddenEverywhere();
}

TEST_F(Secrets, StandAsRedactedWhereTheyWere) {
  admin_.Text("CONFIG SET requirepass hunter2 maxclients 99");
  admin_.Text("HELLO 2 AUTH default hunter2 SETNAME me");
  admin_.Text("AUTH default hunter2");
  const std::string shown = Shown();
  EXPECT_NE(shown.find(R"x("AUTH" "(redacted)" "(redacted)")x"), std::string::npos) << shown;
  EXPECT_NE(shown.find(R"x("HELLO" "2" "AUTH" "(redacted)" "(redacted)" "SETNAME" "me")x"),
            std::string::npos)
      << shown;
  const std::string slow = AllTextOf(admin_.Ask("SLOWLOG GET -1"));
  EXPECT_NE(slow.find("CONFIG\nSET\nrequirepass\n(redacted)\nmaxclients\n99\n"), std::string::npos)
      << slow;
}

}  // namespace
}  // namespace mayfly::server

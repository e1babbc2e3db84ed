// Goal: commands reply as Redis 7.0 does, and notify of the same events.
// Method: the commands of transcripts/, with the replies that a redis-server gave to them.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <fstream>

#include "small_collections.h"

namespace mayfly::server {
namespace {

std::string Quoted(Bytes bytes) {
  std::string text = "\"";
  for (const char c : bytes) {
    const auto byte = static_cast<unsigned char>(c);
    if (c == '"' || c == '\\') {
      text += {'\\', c};
    } else if (byte < 32 || byte > 126) {
      text += fmt::format("\\x{:02x}", byte);
    } else {
      text += c;
    }
  }
  return text + '"';
}

std::string Shown(const Reply& reply) {
  switch (reply.kind) {
    case Reply::Kind::kNull:
    case Reply::Kind::kNullArray: return "nil";
    case Reply::Kind::kInteger: return std::to_string(reply.integer());
    case Reply::Kind::kSimpleString: return "+" + reply.text();
    case Reply::Kind::kError: return "-" + reply.text();
    case Reply::Kind::kArray: {
      std::string text = "[";
      for (const Reply& item : reply.items()) text += (text.size() > 1 ? ", " : "") + Shown(item);
      return text + "]";
    }
    default: return Quoted(reply.text());
  }
}

struct Exchange {
  int line;
  std::string command;
  std::string told;  // The reply, and events on lines of their own.
};

std::vector<Exchange> ReadTranscript(const std::string& name) {
  std::ifstream file(std::string(TRANSCRIPTS) + "/" + name + ".txt");
  std::vector<Exchange> exchanges;
  std::string line;
  for (int number = 1; std::getline(file, line); ++number) {
    if (line.starts_with('#')) continue;
    if (line.starts_with("  ")) {
      exchanges.back().told += line.substr(2) + "\n";
    } else {
      exchanges.push_back({number, line, ""});
    }
  }
  return exchanges;
}

std::string Told(CommandTester& tester, const std::string& command) {
  std::string told = Shown(tester.Run(command)) + "\n";
  // "class event db key"; subscribers do not see the class.
  for (const std::string& event : tester.notifications()) {
    const bool recorded = event[0] != 'n' && event[0] != 'm';  // 'A' has neither.
    if (recorded) told += event.substr(2) + "\n";
  }
  return told;
}

class Transcript : public testing::TestWithParam<const char*> {};

TEST_P(Transcript, IsAnsweredAsRedisDid) {
  const auto tester = NewDataTester();
  const std::vector<Exchange> exchanges = ReadTranscript(GetParam());
  ASSERT_GT(exchanges.size(), 10u) << "is the transcript there?";
  for (const Exchange& exchange : exchanges) {
    EXPECT_EQ(Told(*tester, exchange.command), exchange.told)
        << GetParam() << ".txt:" << exchange.line << ": " << exchange.command;
  }
}

INSTANTIATE_TEST_SUITE_P(Of, Transcript,
                         testing::Values("strings", "keys", "bitmaps", "sort", "dump"),
                         [](const auto& name) { return name.param; });

}  // namespace
}  // namespace mayfly::server

// conversation.h - functions to send lines to the command tester and check its replies.
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "server/command/arguments.h"
#include "server/commands/support/families.h"
#include "server/testing/command_tester.h"
#include "wire/reply_writer.h"

namespace mayfly::server {

struct Turn {
  std::string line;
  std::string reply;  // As CommandTester::Text() writes it.
};

inline void Converse(CommandTester& tester, const std::vector<Turn>& turns) {
  for (const Turn& turn : turns) EXPECT_EQ(tester.Text(turn.line), turn.reply) << turn.line;
}

// Expects the same error for all of these.
inline void Refuse(CommandTester& tester, const std::string& error,
                   const std::vector<std::string>& lines) {
  for (const std::string& line : lines) EXPECT_EQ(tester.Text(line), error) << line;
}

// The items of an array of texts.
inline std::vector<std::string> TextsOf(CommandTester& tester, const std::string& line) {
  const Reply reply = tester.Run(line);
  std::vector<std::string> texts;
  for (const Reply& item : reply.items()) texts.push_back(item.text());
  return texts;
}

// The reply as RESP3 sends it, blanks for line ends: shows kinds, which Text() does not.
inline std::string InResp3(CommandTester& tester, const std::string& line) {
  tester.UseProtocol(ProtocolVersion::kResp3);
  OutputBuffer out;
  ReplyWriter writer(out, ProtocolVersion::kResp3);
  WriteReply(tester.Run(line), writer);
  tester.UseProtocol(ProtocolVersion::kResp2);
  std::string text;
  for (const char c : out.view()) {
    if (c != '\r') text += c == '\n' ? ' ' : c;
  }
  if (!text.empty()) text.pop_back();
  return text;
}

using Notes = std::vector<std::string>;

inline constexpr char kWrongType[] =
    "WRONGTYPE Operation against a key holding the wrong kind of value";
inline constexpr char kNotAnInteger[] = "ERR value is not an integer or out of range";
inline constexpr char kNotAFloat[] = "ERR value is not a valid float";
inline constexpr char kSyntaxError[] = "ERR syntax error";

inline std::string WrongArityOf(const std::string& command) {
  return "ERR wrong number of arguments for '" + command + "' command";
}

// Minimal commands of other families: "put key value" writes a string, "live key ms" sets a
// deadline.
inline CommandFamily PlainKeys() {
  static constexpr CommandSpec kCommands[] = {
      {"live", 3, kWrite, OneKey(kRW | kUpdate),
       [](Call& call) -> Answer {
         MAYFLY_TRY(const std::int64_t ttl, IntegerArgument(call.args[2]));
         MAYFLY_RETURN_IF_ERROR(
             call.space().Expire(call.args[1], Lifetime::For(Millis(ttl))).status());
         call.reply.Ok();
         return {};
       },
       "Give a key a deadline."},
      {"put", 3, kWrite, OneKey(kRW | kUpdate),
       [](Call& call) -> Answer {
         MAYFLY_RETURN_IF_ERROR(call.space().Put(call.args[1], call.args[2], Lifetime::Forever()));
         call.reply.Ok();
         return {};
       },
       "Write a string."},
      {"ttl", 2, kReadOnly, OneKey(kRO | kAccess),
       [](Call& call) -> Answer {
         core::FoundRow row;
         MAYFLY_RETURN_IF_ERROR(call.space().Find(call.args[1], row));
         call.reply.Integer(!row.exists     ? -2
                            : !row.deadline ? -1
                                            : (*row.deadline - call.now()).count());
         return {};
       },
       "Tell how many milliseconds a key has left."},
  };
  return {"plain", Category::kString, kCommands};
}

}  // namespace mayfly::server

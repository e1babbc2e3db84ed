// Goal: the tester itself: a command that fails leaves neither rows nor half of a reply.
#include <gtest/gtest.h>

#include "server/testing/command_tester.h"

namespace mayfly::server {
namespace {

Answer PutAndFail(Call& call) {
  MAYFLY_RETURN_IF_ERROR(call.space().Put(call.args[1], "value", Lifetime::Forever()));
  call.reply.Array(2);
  return Status::Invalid("it is not to be");
}

Answer Count(Call& call) {
  MAYFLY_TRY(const std::uint64_t rows, call.space().Count());
  call.reply.Integer(static_cast<std::int64_t>(rows));
  return {};
}

constexpr CommandSpec kCommands[] = {
    {"count", 1, kReadOnly, kNoKeys, Count, "Count."},
    {"put-and-fail", 2, kWrite, OneKey(kRW | kUpdate), PutAndFail, "Fail."},
};

TEST(CommandTester, WhatFailsLeavesNothing) {
  CommandTester tester({{"test", Category::kString, kCommands}});
  EXPECT_EQ(tester.Text("PUT-AND-FAIL key"), "ERR it is not to be");
  EXPECT_EQ(tester.Text("count"), "0");
  EXPECT_EQ(tester.Text("count 1"), "ERR wrong number of arguments for 'count' command");
  EXPECT_EQ(tester.Text("other"), "ERR unknown command 'other'");
}

}  // namespace
}  // namespace mayfly::server

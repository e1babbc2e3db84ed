// Goal: nothing dead is visible to any command on data, and nothing alive is hidden.
// Method: each command of the table runs one millisecond before a row's deadline, at it and after
// it, on a manual clock; the reply and the contents afterwards are compared with the same on a row
// that never dies, and on none. A command without a case fails. All of it on plain maps, and on the
// core, where the dead are still stored.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include "law_cases.h"
#include "server/commands/data_families.h"
#include "server/testing/command_tester.h"

namespace mayfly::server {
namespace {

constexpr Millis kTtl{1000};

// What has the deadline.
enum class Dying : unsigned char { kNothing, kRow, kField };

struct Scene {
  Stage stage;
  bool with_row;    // False: k never existed; of a field: f did not.
  bool of_a_field;  // The deadline, or the absence, is that of field f alone.
  Dying dying;
};

std::vector<std::string> LinesOf(const Scene& scene) {
  std::vector<std::string> lines;
  const auto add = [&](bool when, const char* line) {
    if (when) lines.emplace_back(line);
  };
  add(scene.stage == Stage::kSet, "sadd o b c d");
  add(scene.stage == Stage::kSortedSet, "zadd o 5 b 7 d");
  add(scene.stage == Stage::kHash && scene.of_a_field, "hset k g 2");
  add(scene.stage == Stage::kHyperLogLog, "pfadd o b d");
  if (!scene.with_row) return lines;
  add(scene.stage == Stage::kString, "set k 12345");
  add(scene.stage == Stage::kHash, "hset k f 1 g 2");
  add(scene.stage == Stage::kList, "rpush k a b c a");
  add(scene.stage == Stage::kSet, "sadd k a b c");
  add(scene.stage == Stage::kSortedSet, "zadd k 1 a 2 b 3 c");
  add(scene.stage == Stage::kHyperLogLog, "pfadd k a b c");
  for (const char* line : {"xadd k 1-1 f a", "xadd k 2-1 f b", "xgroup create k g 0",
                           "xreadgroup group g c count 1 streams k >"}) {
    add(scene.stage == Stage::kStream, line);
  }
  add(scene.dying == Dying::kRow, "pexpire k 1000");
  add(scene.dying == Dying::kField, "hpexpire k 1000 fields 1 f");
  return lines;
}

// All contents, with deadlines or without.
std::string Contents(CommandTester& tester, bool with_deadlines) {
  std::string text;
  for (const char* key : {"k", "o", "target"}) {
    const std::string type = tester.Text(fmt::format("type {}", key));
    const std::string how = type == "string"   ? "get {}"
                            : type == "hash"   ? "hgetall {}"
                            : type == "list"   ? "lrange {} 0 -1"
                            : type == "set"    ? "smembers {}"
                            : type == "zset"   ? "zrange {} 0 -1 withscores"
                            : type == "stream" ? "xrange {} - +"
                                               : "exists {}";
    text += fmt::format("; {} {}", type, tester.Text(fmt::format(fmt::runtime(how), key)));
    if (with_deadlines) text += tester.Text(fmt::format("pexpiretime {}", key));
  }
  return text;
}

struct Outcome {
  std::string reply;
  std::string contents;
  friend bool operator==(const Outcome&, const Outcome&) = default;
  friend std::ostream& operator<<(std::ostream& out, const Outcome& outcome) {
    return out << outcome.reply << outcome.contents;
  }
};

using Rows = CommandTester::Rows;

Outcome Play(Rows rows, const Scene& scene, std::string_view line, Millis at, bool with_deadlines) {
  CommandTester tester(DataFamilies(), rows);
  tester.SetEncodingLimits({.hash_entries = 128,
                            .hash_bytes = 128,
                            .set_integers = 128,
                            .sorted_set_entries = 128,
                            .sorted_set_bytes = 128});
  for (const std::string& step : LinesOf(scene)) tester.Run(step);
  tester.clock().Advance(at);
  Outcome outcome{.reply = tester.Text(std::string(line)), .contents = {}};
  outcome.contents = Contents(tester, with_deadlines);
  return outcome;
}

// Commands whose reply is the deadline, or depends on whether there is one.
bool RepliesWithDeadline(std::string_view command, bool of_a_field) {
  static const std::set<std::string_view> kReplying{
      "ttl",  "pttl",  "expiretime",  "pexpiretime",  "persist",
      "httl", "hpttl", "hexpiretime", "hpexpiretime", "hpersist"};
  return kReplying.contains(command) && command.starts_with('h') == of_a_field;
}

void CheckLaw(Rows rows, const LawCase& law, bool of_a_field) {
  SCOPED_TRACE(fmt::format("{}, {}", law.line, of_a_field ? "a field dies" : "the row dies"));
  const Dying dying = of_a_field ? Dying::kField : Dying::kRow;
  const Scene dies{law.stage, true, of_a_field, dying};
  const Scene lives{law.stage, true, of_a_field, Dying::kNothing};
  const Scene never{law.stage, false, of_a_field, Dying::kNothing};
  const Outcome alive = Play(rows, lives, law.line, kTtl - Millis(1), false);
  const Outcome before = Play(rows, dies, law.line, kTtl - Millis(1), false);
  if (RepliesWithDeadline(law.command, of_a_field)) {
    EXPECT_NE(before.reply, alive.reply) << "it does not see the deadline";
    EXPECT_EQ(before.contents, alive.contents);
  } else {
    EXPECT_EQ(before, alive);
  }
  bool told_apart = false;
  for (const Millis at : {kTtl, kTtl + Millis(1)}) {
    const Outcome absent = Play(rows, never, law.line, at, true);
    EXPECT_EQ(Play(rows, dies, law.line, at, true), absent) << at.count() << " ms";
    told_apart = told_apart || Play(rows, lives, law.line, at, true) != absent;
  }
  // Not every case reads the field, and some commands read nothing.
  EXPECT_TRUE(of_a_field || told_apart || law.why == kLooksAtNothing) << "the case could not fail";
}

class Law : public testing::TestWithParam<Rows> {};

INSTANTIATE_TEST_SUITE_P(On, Law, testing::Values(Rows::kPlainMaps, Rows::kDatabase),
                         [](const auto& each) {
                           return each.param == Rows::kDatabase ? "Database" : "PlainMaps";
                         });

TEST_P(Law, NoCommandSeesTheDeadOrMissesTheLiving) {
  std::set<std::string_view> tried;
  for (const LawCase& law : kLawCases) {
    tried.insert(law.command);
    if (law.stage == Stage::kNone) {
      EXPECT_FALSE(law.why.empty()) << law.command << " is left out without a reason";
      continue;
    }
    CheckLaw(GetParam(), law, false);
    if (law.stage == Stage::kHash) CheckLaw(GetParam(), law, true);
  }
  for (const CommandFamily& family : DataFamilies()) {
    for (const CommandSpec& spec : family.commands) {
      EXPECT_TRUE(tried.contains(spec.name)) << spec.name << " has no case in law_cases.h";
    }
  }
}

}  // namespace
}  // namespace mayfly::server

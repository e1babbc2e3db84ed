// Goal: nothing dead is visible to any operation of the endpoint, and nothing alive is hidden.
// Method: each operation of the list runs one millisecond before an item's instant, at it and one
// after it, on a manual clock and real tables; the reply, and what the table and its indexes hold
// afterwards, are compared with the same on an item that never dies, and on none. The dead are
// still stored, or purged. An operation without a line in law_cases.h fails.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <ostream>
#include <set>
#include <string>

#include "law_cases.h"
#include "real_service.h"

namespace mayfly::dynamo {
namespace {

enum class Attributes : unsigned char { kAll, kAllButExpires };

// Removes what differs for other reasons: a table's id is random, its size is an estimate.
json::value Comparable(const json::value& value, Attributes attributes) {
  static const std::set<std::string, std::less<>> kLeftOut{"TableId", "TableSizeBytes",
                                                           "IndexSizeBytes"};
  constexpr std::size_t kLong = 100;
  if (value.is_string() && value.get_string().size() > kLong) return "(a long text)";
  if (value.is_array()) {
    json::array all;
    for (const json::value& each : value.get_array()) all.push_back(Comparable(each, attributes));
    return all;
  }
  if (!value.is_object()) return value;
  json::object all;
  for (const auto& [name, each] : value.get_object()) {
    const std::string text(name);
    if (kLeftOut.contains(text)) continue;
    if (attributes == Attributes::kAllButExpires && text == "expires") continue;
    all[name] = Comparable(each, attributes);
  }
  return all;
}

struct Outcome {
  int status = 0;
  std::string reply;
  std::string contents;
  friend std::ostream& operator<<(std::ostream& out, const Outcome& outcome) {
    return out << outcome.status << " " << outcome.reply << outcome.contents;
  }
};

std::string TextOf(const json::object& reply, Attributes attributes) {
  return ToText(Comparable(reply, attributes).get_object());
}

// The table and every index it may have, through independent reads.
std::string Contents(RealService& service, Attributes attributes) {
  std::string text;
  const auto add = [&](const char* operation, const std::string& body) {
    text += "\n  " + TextOf(service.Call(operation, body), attributes);
  };
  add("Scan", "{@in}");
  for (const char* index : {"by_topic", "by_score", "by_title"}) {
    add("Scan", fmt::format(R"({{@in,"IndexName":"{}"}})", index));
  }
  add("GetItem", R"({@in,"Key":@key})");
  add("DescribeTable", "{@in}");
  return text;
}

struct Moment {
  Millis off;  // From the item's instant.
  bool purged;
  bool swept = false;
};

Outcome Play(const LawCase& law, Mortal mortal, const Moment& moment, Attributes attributes,
             TableManner manner = {}) {
  RealService service(mortal, manner);
  service.clock().Advance(kLifetime + moment.off);
  if (moment.purged) service.Purge();
  if (moment.swept) service.Must("SweepExpiredTTL", "{@in}");
  Outcome outcome;
  outcome.reply = TextOf(service.Call(law.operation, std::string(law.body)), attributes);
  outcome.status = service.status;
  outcome.contents = Contents(service, attributes);
  // Pending upkeep changes nothing, except that indexes are filled.
  service.Upkeep();
  outcome.contents += Contents(service, attributes);
  service.Purge();
  outcome.contents += Contents(service, attributes);
  return outcome;
}

void ExpectItCouldFail(const LawCase& law, const Outcome& living, const Outcome& absent) {
  const bool by_reply = law.tells == Tells::kReply || law.tells == Tells::kDeadline;
  EXPECT_EQ(living.reply != absent.reply, by_reply) << living << "\n" << absent;
  if (law.tells == Tells::kContents) {
    EXPECT_NE(living.contents, absent.contents);
  }
  if (by_reply) return;
  EXPECT_EQ(living.status, 200) << living;
  EXPECT_EQ(absent.status, 200) << absent;
}

// As if it had no deadline.
void ExpectAlive(const LawCase& law, const Moment& moment, TableManner manner = {}) {
  const Outcome living = Play(law, Mortal::kLives, moment, Attributes::kAllButExpires, manner);
  const Outcome dying = Play(law, Mortal::kDies, moment, Attributes::kAllButExpires, manner);
  EXPECT_EQ(dying.contents, living.contents);
  EXPECT_EQ(dying.status, living.status);
  if (law.tells == Tells::kDeadline) {
    EXPECT_NE(dying.reply, living.reply) << "it does not see the instant";
  } else {
    EXPECT_EQ(dying.reply, living.reply);
  }
}

// As if it had never existed.
void ExpectGone(const LawCase& law, const Moment& moment, TableManner manner = {}) {
  const Outcome absent = Play(law, Mortal::kIsNotThere, moment, Attributes::kAll, manner);
  const Outcome dead = Play(law, Mortal::kDies, moment, Attributes::kAll, manner);
  EXPECT_EQ(dead.contents, absent.contents);
  EXPECT_EQ(dead.status, absent.status);
  if (law.tells == Tells::kRemoved && !moment.purged && !moment.swept) {
    EXPECT_EQ(dead.reply, R"({"Deleted":1})");
    EXPECT_EQ(absent.reply, R"({"Deleted":0})");
  } else {
    EXPECT_EQ(dead.reply, absent.reply);
  }
  ExpectItCouldFail(law, Play(law, Mortal::kLives, moment, Attributes::kAll, manner), absent);
}

TEST(DynamoLaw, HasALineForEveryOperation) {
  std::set<std::string_view> known;
  for (const Operation& operation : AllOperations()) known.insert(operation.name);
  EXPECT_EQ(known.size(), AllOperations().size()) << "two operations share a name";
  std::set<std::string_view> tried;
  for (const LawCase& law : kLawCases) {
    tried.insert(law.operation);
    EXPECT_TRUE(known.contains(law.operation)) << law.operation << " is no operation";
    EXPECT_FALSE(law.body.empty()) << law.operation << " is left out without a reason";
  }
  for (const std::string_view name : known) {
    EXPECT_TRUE(tried.contains(name)) << name << " has no line in law_cases.h";
  }
}

std::string NameOf(const LawCase& law, const Moment& moment) {
  return fmt::format("{} {}, {} ms{}{}", law.operation, law.body, moment.off.count(),
                     moment.purged ? ", purged" : "", moment.swept ? ", swept" : "");
}

TEST(DynamoLaw, NoOperationSeesTheDeadOrMissesTheLiving) {
  for (const LawCase& law : kLawCases) {
    if (law.tells == Tells::kNoItem) continue;
    for (const bool purged : {false, true}) {
      for (const Millis off : {Millis(-1), Millis(0), Millis(1)}) {
        const Moment moment{.off = off, .purged = purged};
        SCOPED_TRACE(NameOf(law, moment));
        off < Millis(0) ? ExpectAlive(law, moment) : ExpectGone(law, moment);
      }
    }
  }
}

// Purging is not sweeping: in this mode it changes nothing.
TEST(DynamoLaw, UntilSweptAnItemIsThereForEveryOperationAndThenForNone) {
  constexpr TableManner kManner{.until_swept = true};
  for (const LawCase& law : kLawCases) {
    if (law.tells == Tells::kNoItem) continue;
    for (const bool purged : {false, true}) {
      for (const Millis off : {Millis(-1), Millis(0), Millis(1)}) {
        Moment moment{.off = off, .purged = purged};
        SCOPED_TRACE(NameOf(law, moment));
        const bool sweeps = law.tells == Tells::kRemoved && off >= Millis(0);
        if (!sweeps) ExpectAlive(law, moment, kManner);
        moment.swept = true;
        off < Millis(0) ? ExpectAlive(law, moment, kManner) : ExpectGone(law, moment, kManner);
      }
    }
  }
}

}  // namespace
}  // namespace mayfly::dynamo

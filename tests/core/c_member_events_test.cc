// Goal: in C, too, the death of a member differs from that of its collection's row. Method:
// collections cannot be made in C, so a database is written in C++ and opened again in C.
#include <gtest/gtest.h>

#include <algorithm>
#include <string>
#include <vector>

#include "base/temporary_directory.h"
#include "core/latched_fixture.h"
#include "mayfly/c.h"

namespace mayfly {
namespace {

using namespace std::chrono_literals;
using core::MemberLifetime;
using core::TransactionKeyspace;

void WriteCollection(const std::string& directory) {
  ManualClock clock(kStart);
  const auto database = Database::Open({.directory = directory, .clock = &clock});
  ASSERT_TRUE(database.has_value()) << database.status().ToString();
  Keyspace& rows = (*database)->default_keyspace();
  ASSERT_EQ(CodeOf(rows.SetPolicy({.events = EventDetail::kKeyAndValue})), kOk);
  InLatched(**database, rows, {"set"}, [](TransactionKeyspace& space) {
    Fill(space, "set", {"stays"});
    Fill(space, "set", {"goes"}, MemberLifetime::Until(kStart + 10ms));
  });
  ASSERT_EQ(CodeOf(rows.Put("row", "value", Lifetime::For(20ms))), kOk);
  ASSERT_EQ(CodeOf((*database)->Close()), kOk);
}

// "key/member" or "key" of each event, in order.
using Told = std::vector<std::string>;

std::string Words(const mayfly_event_with_member& one) {
  std::string words(static_cast<const char*>(one.event.key), one.event.key_size);
  if (one.member == nullptr) return words;
  return words + "/" + std::string(static_cast<const char*>(one.member), one.member_size);
}

TEST(EventsInC, AMemberIsToldApartFromItsRow) {
  const TemporaryDirectory directory;
  WriteCollection(directory.Inside("db"));
  if (HasFatalFailure()) return;

  std::int64_t now = ToMs(kStart + 20ms);
  const mayfly_clock clock = {
      .size = sizeof clock,
      .now_ms = [](void* context) noexcept { return *static_cast<std::int64_t*>(context); },
      .steady_ns = nullptr,
      .context = &now};
  const std::string path = directory.Inside("db");
  mayfly_database_options options{};
  options.size = sizeof options;
  options.directory = path.c_str();
  options.clock = &clock;
  mayfly_database* database = nullptr;
  ASSERT_EQ(mayfly_open(&options, &database), MAYFLY_OK) << mayfly_error_message();
  Told told;
  mayfly_subscription* subscription = nullptr;
  ASSERT_EQ(mayfly_subscribe_with_members(
                database,
                [](void* context, const mayfly_event_with_member* event) {
                  static_cast<Told*>(context)->push_back(Words(*event));
                },
                &told, &subscription),
            MAYFLY_OK);
  ASSERT_EQ(mayfly_purge(database, nullptr, nullptr), MAYFLY_OK);

  mayfly_event_with_member* events = nullptr;
  std::size_t count = 0;
  ASSERT_EQ(mayfly_read_events_with_members(database, 0, 10, &events, &count), MAYFLY_OK);
  Told read;
  for (std::size_t i = 0; i < count; ++i) read.push_back(Words(events[i]));
  mayfly_free(events);
  EXPECT_EQ(read.size(), 2u);
  EXPECT_EQ(std::count(read.begin(), read.end(), "set/goes"), 1);
  EXPECT_EQ(std::count(read.begin(), read.end(), "row"), 1);
  EXPECT_EQ(told, read);
  std::uint64_t last = 0;
  EXPECT_EQ(mayfly_last_event_sequence(database, &last), MAYFLY_OK);
  EXPECT_EQ(last, 2u);
  mayfly_unsubscribe(subscription);
  EXPECT_EQ(mayfly_close(database), MAYFLY_OK);
}

}  // namespace
}  // namespace mayfly

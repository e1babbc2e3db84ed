// session_store - sessions that end after half an hour without a request.
//
// The keyspace's default ttl is the idle time, and Touch() reads a session and renews it as one
// step, so a request costs one call. A session without requests is gone to the millisecond, purged
// or not. A purge writes an event for each session that expired, in the batch that removes it: here
// a callback writes the audit line. A logout is a plain delete and leaves no event.
//
// The clock is a manual one so that the example takes no time; leave it out and the system's is
// used.
#include <chrono>
#include <cstdio>
#include <string>
#include <vector>

#include "mayfly/database.h"

namespace {

using namespace std::chrono_literals;
using mayfly::Status;

// Prints what happened, or returns an error if it did not.
Status Check(bool holds, const std::string& what) {
  std::printf("%s %s\n", holds ? "-" : "NOT TRUE:", what.c_str());
  return holds ? Status() : Status::Internal(what);
}

Status Run() {
  mayfly::ManualClock clock(mayfly::WallTimeFromMs(1'700'000'000'000));
  MAYFLY_TRY(const auto database, mayfly::Database::Open({.clock = &clock}));
  MAYFLY_TRY(const auto sessions,
             database->CreateKeyspace(
                 "sessions", {.default_ttl = 30min, .events = mayfly::EventDetail::kKeyAndValue}));
  std::vector<std::string> audit;
  MAYFLY_TRY(const auto subscription, database->Subscribe([&](const mayfly::Event& event) {
    audit.push_back(event.value.value_or("?") + " was logged out: " + event.key);
  }));

  MAYFLY_RETURN_IF_ERROR(sessions->Put("s-1", "alice"));
  MAYFLY_RETURN_IF_ERROR(sessions->Put("s-2", "bob"));
  MAYFLY_RETURN_IF_ERROR(sessions->Put("s-3", "carol"));
  std::printf("alice, bob and carol log in\n");

  for (int request = 0; request < 3; ++request) {
    clock.Advance(20min);
    MAYFLY_TRY(const mayfly::Row alice, sessions->Touch("s-1"));
    MAYFLY_RETURN_IF_ERROR(
        Check(alice.value == "alice", "alice is known at her next request, 20 minutes on"));
    if (request == 0) MAYFLY_RETURN_IF_ERROR(sessions->Delete("s-3").status());
  }
  MAYFLY_RETURN_IF_ERROR(Check(sessions->Touch("s-2").status().IsNotFound(),
                               "bob was away for an hour and has to log in again"));
  MAYFLY_TRY(const std::uint64_t count, sessions->Count());
  MAYFLY_RETURN_IF_ERROR(Check(count == 1, "one session is left: carol logged out herself"));

  MAYFLY_TRY(const mayfly::Millis left, sessions->Ttl("s-1"));
  MAYFLY_RETURN_IF_ERROR(
      Check(left == 30min, "alice has the full half hour after her last request"));
  clock.Advance(30min - 1ms);
  MAYFLY_TRY(const bool before, sessions->Exists("s-1"));
  MAYFLY_RETURN_IF_ERROR(Check(before, "a millisecond before it is over she is still known"));
  clock.Advance(1ms);
  MAYFLY_TRY(const bool after, sessions->Exists("s-1"));
  MAYFLY_RETURN_IF_ERROR(Check(!after, "a millisecond later she is not"));

  MAYFLY_RETURN_IF_ERROR(database->Purge().status());
  for (const std::string& line : audit) std::printf("audit: %s\n", line.c_str());
  return Check(audit.size() == 2, "the audit knows two sessions that ended by themselves");
}

}  // namespace

int main() {
  const Status outcome = Run();
  if (!outcome.ok()) std::printf("%s\n", outcome.ToString().c_str());
  return outcome.ok() ? 0 : 1;
}

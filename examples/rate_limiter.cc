// rate_limiter - at most five requests a minute, for each user.
//
// One counter per user, whose deadline is the end of the user's window. Update() reads, adds one
// and writes as one step, so no request is lost when many come at once; and it keeps the row's
// deadline, so counting does not prolong the window. The first request of a window makes a new row,
// which gets the keyspace's default ttl: the length of the window. Nothing has to reset counters,
// since a dead counter counts as absent.
//
// The clock is a manual one so that the example takes no time; leave it out and the system's is
// used.
#include <chrono>
#include <cstdio>
#include <string>

#include "mayfly/database.h"

namespace {

using namespace std::chrono_literals;
using mayfly::Status;

constexpr int kRequestsMax = 5;
constexpr mayfly::Millis kWindow = 1min;

// Prints what happened, or returns an error if it did not.
Status Check(bool holds, const std::string& what) {
  std::printf("%s %s\n", holds ? "-" : "NOT TRUE:", what.c_str());
  return holds ? Status() : Status::Internal(what);
}

// True when the request may go on.
mayfly::Result<bool> Allow(mayfly::Keyspace& counters, const std::string& user) {
  int used = 0;
  MAYFLY_RETURN_IF_ERROR(
      counters.Update(user, [&](std::optional<mayfly::Bytes> old) -> std::optional<std::string> {
        used = (old ? std::stoi(std::string(*old)) : 0) + 1;
        return std::to_string(used);
      }));
  return used <= kRequestsMax;
}

// Makes `requests` requests and counts those that went through.
mayfly::Result<int> Allowed(mayfly::Keyspace& counters, const std::string& user, int requests) {
  int allowed = 0;
  for (int i = 0; i < requests; ++i) {
    MAYFLY_TRY(const bool may, Allow(counters, user));
    allowed += may ? 1 : 0;
  }
  return allowed;
}

Status Run() {
  mayfly::ManualClock clock(mayfly::WallTimeFromMs(1'700'000'000'000));
  MAYFLY_TRY(const auto database, mayfly::Database::Open({.clock = &clock}));
  MAYFLY_TRY(const auto counters, database->CreateKeyspace("requests", {.default_ttl = kWindow}));

  MAYFLY_TRY(const int first, Allowed(*counters, "alice", 3));
  MAYFLY_RETURN_IF_ERROR(Check(first == 3, "alice makes 3 requests, all go through"));
  clock.Advance(40s);
  MAYFLY_TRY(const int second, Allowed(*counters, "alice", 4));
  MAYFLY_RETURN_IF_ERROR(
      Check(second == 2, "40 seconds later she makes 4 more, of which 2 are within the limit"));
  MAYFLY_TRY(const int bob, Allowed(*counters, "bob", 5));
  MAYFLY_RETURN_IF_ERROR(Check(bob == 5, "bob has a counter of his own"));

  MAYFLY_TRY(const mayfly::Millis retry_after, counters->Ttl("alice"));
  MAYFLY_RETURN_IF_ERROR(Check(retry_after == 20s,
                               "alice is told to come back in 20 seconds: counting did not move "
                               "the end of her window"));
  clock.Advance(retry_after - 1ms);
  MAYFLY_TRY(const int early, Allowed(*counters, "alice", 1));
  MAYFLY_RETURN_IF_ERROR(Check(early == 0, "a millisecond early she is still refused"));
  clock.Advance(1ms);
  MAYFLY_TRY(const int later, Allowed(*counters, "alice", 6));
  return Check(later == kRequestsMax, "on time she may make 5 requests again, and not a sixth");
}

}  // namespace

int main() {
  const Status outcome = Run();
  if (!outcome.ok()) std::printf("%s\n", outcome.ToString().c_str());
  return outcome.ok() ? 0 : 1;
}

// sensor_readings - the latest reading of each sensor, though readings arrive late and out of
// order.
//
// In a keyspace ordered by timestamp the reading with the largest timestamp is the row, whatever
// came last. Each reading is good for an hour from the moment it was taken, not from its arrival.
// The past can be asked for as far back as the keyspace's history goes.
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

// Prints what happened, or returns an error if it did not.
Status Check(bool holds, const std::string& what) {
  std::printf("%s %s\n", holds ? "-" : "NOT TRUE:", what.c_str());
  return holds ? Status() : Status::Internal(what);
}

Status Run() {
  mayfly::ManualClock clock(mayfly::WallTimeFromMs(1'700'000'000'000));
  MAYFLY_TRY(const auto database, mayfly::Database::Open({.clock = &clock}));
  MAYFLY_TRY(const auto readings,
             database->CreateKeyspace("readings", {.default_ttl = 1h,
                                                   .order = mayfly::RowOrder::kTimestamp,
                                                   .history = 2h,
                                                   .late_max = 6h}));
  const mayfly::WallTime noon = clock.Now();

  MAYFLY_TRY(const bool first, readings->PutAt("attic", "21.5", noon));
  MAYFLY_RETURN_IF_ERROR(Check(first, "21.5 is the last word on the attic"));
  MAYFLY_TRY(const bool late, readings->PutAt("attic", "20.0", noon - 10min));
  MAYFLY_RETURN_IF_ERROR(Check(!late && *readings->Get("attic") == "21.5",
                               "one from ten minutes before comes late and changes nothing"));
  MAYFLY_TRY(const mayfly::Row then, readings->GetAsOf("attic", noon - 5min));
  MAYFLY_RETURN_IF_ERROR(Check(then.value == "20.0", "but the past: it was 20.0 five minutes ago"));

  MAYFLY_TRY(const bool deleted, readings->DeleteAt("attic", noon + 1min));
  MAYFLY_RETURN_IF_ERROR(Check(deleted, "the sensor is taken down a minute later"));
  MAYFLY_TRY(const bool again, readings->PutAt("attic", "21.7", noon + 30s));
  MAYFLY_RETURN_IF_ERROR(Check(!again && readings->Get("attic").status().IsNotFound(),
                               "its last reading arrives after that and does not bring it back"));

  MAYFLY_RETURN_IF_ERROR(readings->PutAt("cellar", "9.0", noon - 50min).status());
  clock.Advance(10min);
  return Check(readings->Get("cellar").status().IsNotFound(),
               "a reading of 50 minutes ago lives for ten minutes more");
}

}  // namespace

int main() {
  const Status status = Run();
  if (status.ok()) return 0;
  std::fprintf(stderr, "%s\n", status.ToString().c_str());
  return 1;
}

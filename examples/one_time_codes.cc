// one_time_codes - codes that are valid once, for five minutes, and for three wrong guesses.
//
// A code is taken in a transaction: read, compare, delete. When two requests bring the same code at
// once, both see it, but only one commits; the other gets Conflict, is run again by Transact(), and
// finds nothing. A dead code is absent for the transaction as for any other read, so no check of
// the time can be forgotten.
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

// A row is the guesses left, then the code.
Status Send(mayfly::Keyspace& codes, const std::string& phone, const std::string& code) {
  return codes.Put(phone, "3" + code, mayfly::Lifetime::For(5min));
}

// One attempt within a transaction: true when the code is right, which uses it up.
mayfly::Result<bool> Try(mayfly::KeyspaceWriter& codes, const std::string& phone,
                         const std::string& guess) {
  auto row = codes.Get(phone);
  if (!row && row.error().IsNotFound()) return false;
  MAYFLY_TRY(std::string stored, std::move(row));
  if (stored.substr(1) == guess || stored[0] == '1') {
    MAYFLY_RETURN_IF_ERROR(codes.Delete(phone).status());
    return stored.substr(1) == guess;
  }
  --stored[0];
  MAYFLY_RETURN_IF_ERROR(codes.Put(phone, stored, mayfly::Lifetime::Keep()));
  return false;
}

mayfly::Result<bool> Redeem(mayfly::Database& database, const mayfly::Keyspace& codes,
                            const std::string& phone, const std::string& guess) {
  bool right = false;
  MAYFLY_RETURN_IF_ERROR(database.Transact([&](mayfly::Transaction& transaction) -> Status {
    MAYFLY_TRY(right, Try(transaction.In(codes), phone, guess));
    return {};
  }));
  return right;
}

Status Run() {
  mayfly::ManualClock clock(mayfly::WallTimeFromMs(1'700'000'000'000));
  MAYFLY_TRY(const auto database, mayfly::Database::Open({.clock = &clock}));
  MAYFLY_TRY(const auto codes, database->CreateKeyspace("codes", {.max_ttl = 5min}));

  MAYFLY_RETURN_IF_ERROR(Send(*codes, "+47 1", "271828"));
  MAYFLY_TRY(const bool wrong, Redeem(*database, *codes, "+47 1", "000000"));
  MAYFLY_TRY(const bool right, Redeem(*database, *codes, "+47 1", "271828"));
  MAYFLY_TRY(const bool again, Redeem(*database, *codes, "+47 1", "271828"));
  MAYFLY_RETURN_IF_ERROR(Check(!wrong && right, "a wrong guess is refused, the right code works"));
  MAYFLY_RETURN_IF_ERROR(Check(!again, "and does not work a second time"));

  MAYFLY_RETURN_IF_ERROR(Send(*codes, "+47 2", "314159"));
  MAYFLY_TRY(const auto one, database->Begin());
  MAYFLY_TRY(const auto other, database->Begin());
  MAYFLY_TRY(const bool one_right, Try(one->In(*codes), "+47 2", "314159"));
  MAYFLY_TRY(const bool other_right, Try(other->In(*codes), "+47 2", "314159"));
  const Status one_committed = one->Commit();
  const Status other_committed = other->Commit();
  MAYFLY_RETURN_IF_ERROR(Check(one_right && other_right && one_committed.ok() &&
                                   other_committed.code() == mayfly::StatusCode::kConflict,
                               "of two requests at once both see the code, but one gets it"));

  MAYFLY_RETURN_IF_ERROR(Send(*codes, "+47 3", "161803"));
  clock.Advance(4min);
  MAYFLY_RETURN_IF_ERROR(Redeem(*database, *codes, "+47 3", "000000").status());
  MAYFLY_TRY(const mayfly::Millis left, codes->Ttl("+47 3"));
  MAYFLY_RETURN_IF_ERROR(Check(left == 1min, "a wrong guess does not prolong a code's life"));
  clock.Advance(1min);
  MAYFLY_TRY(const bool late, Redeem(*database, *codes, "+47 3", "161803"));
  return Check(!late, "after five minutes the right code is worth nothing");
}

}  // namespace

int main() {
  const Status outcome = Run();
  if (!outcome.ok()) std::printf("%s\n", outcome.ToString().c_str());
  return outcome.ok() ? 0 : 1;
}

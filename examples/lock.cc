// lock - a lease that ends by itself, with a fencing token.
//
// A lease alone is not safe: its holder may stall past the deadline and come back believing that it
// still holds the lock. So every lease has a token that only ever grows, given out in the
// transaction that takes the lock, and the protected resource refuses a token smaller than one it
// has seen. Renewing and releasing compare the token, so that only its holder can renew or release
// a lease.
//
// The clock is a manual one so that the example takes no time; leave it out and the system's is
// used.
#include <chrono>
#include <cstdio>
#include <string>

#include "mayfly/database.h"

namespace {

using namespace std::chrono_literals;
using mayfly::Lifetime;
using mayfly::Status;

constexpr mayfly::Millis kLease = 10s;

// Prints what happened, or returns an error if it did not.
Status Check(bool holds, const std::string& what) {
  std::printf("%s %s\n", holds ? "-" : "NOT TRUE:", what.c_str());
  return holds ? Status() : Status::Internal(what);
}

class Locks {
 public:
  Locks(mayfly::Database& database, mayfly::Keyspace& leases, mayfly::Keyspace& tokens)
      : database_(database), leases_(leases), tokens_(tokens) {}

  // The token of a new lease; Busy while the lease is held.
  mayfly::Result<int> Take(const std::string& name) {
    int token = 0;
    MAYFLY_RETURN_IF_ERROR(database_.Transact([&](mayfly::Transaction& transaction) -> Status {
      MAYFLY_TRY(const bool taken, transaction.In(leases_).Exists(name));
      if (taken) return Status::Busy(name + " is locked");
      mayfly::KeyspaceWriter& tokens = transaction.In(tokens_);
      token = std::stoi(tokens.Get(name).value_or("0")) + 1;
      MAYFLY_RETURN_IF_ERROR(tokens.Put(name, std::to_string(token)));  // Lives for ever.
      return transaction.In(leases_).Put(name, std::to_string(token), Lifetime::For(kLease));
    }));
    return token;
  }

  // False when the lease is over or has another holder.
  mayfly::Result<bool> Renew(const std::string& name, int token) {
    const std::string mine = std::to_string(token);
    return leases_.PutIf(name, mine, mayfly::PutCondition::Equals(mine), Lifetime::For(kLease));
  }

  Status Release(const std::string& name, int token) {
    return leases_.Update(name, [&](auto held) -> std::optional<std::string> {
      if (!held || *held == std::to_string(token)) return std::nullopt;
      return std::string(*held);
    });
  }

 private:
  mayfly::Database& database_;
  mayfly::Keyspace& leases_;
  mayfly::Keyspace& tokens_;
};

// The protected resource: accepts writes with the largest token it has seen.
class Printer {
 public:
  bool Print(int token) {
    if (token < newest_) return false;
    newest_ = token;
    return true;
  }

 private:
  int newest_ = 0;
};

Status Run() {
  mayfly::ManualClock clock(mayfly::WallTimeFromMs(1'700'000'000'000));
  MAYFLY_TRY(const auto database, mayfly::Database::Open({.clock = &clock}));
  MAYFLY_TRY(const auto leases, database->CreateKeyspace("leases", {.require_ttl = true}));
  MAYFLY_TRY(const auto tokens, database->CreateKeyspace("tokens"));
  Locks locks(*database, *leases, *tokens);
  Printer printer;

  MAYFLY_TRY(const int alice, locks.Take("printer"));
  const auto bob_early = locks.Take("printer");
  MAYFLY_RETURN_IF_ERROR(Check(printer.Print(alice), "alice has the lock and prints"));
  MAYFLY_RETURN_IF_ERROR(Check(bob_early.status().code() == mayfly::StatusCode::kBusy,
                               "bob has to wait: " + bob_early.status().ToString()));
  clock.Advance(9s);
  MAYFLY_TRY(const bool renewed, locks.Renew("printer", alice));
  MAYFLY_RETURN_IF_ERROR(Check(renewed, "alice renews her lease in its last second"));
  clock.Advance(10s);
  std::printf("alice stalls and her lease runs out\n");
  MAYFLY_TRY(const int bob, locks.Take("printer"));
  MAYFLY_RETURN_IF_ERROR(
      Check(bob > alice && printer.Print(bob), "bob gets a larger token, prints"));
  MAYFLY_RETURN_IF_ERROR(Check(!printer.Print(alice), "alice wakes up; the printer refuses her"));
  MAYFLY_TRY(const bool late, locks.Renew("printer", alice));
  MAYFLY_RETURN_IF_ERROR(locks.Release("printer", alice));
  MAYFLY_TRY(const bool held, leases->Exists("printer"));
  MAYFLY_RETURN_IF_ERROR(Check(!late && held, "she can neither renew nor release bob's lease"));
  MAYFLY_RETURN_IF_ERROR(locks.Release("printer", bob));
  MAYFLY_TRY(const int carol, locks.Take("printer"));
  return Check(carol > bob, "bob releases it, and carol's token is larger still");
}

}  // namespace

int main() {
  const Status outcome = Run();
  if (!outcome.ok()) std::printf("%s\n", outcome.ToString().c_str());
  return outcome.ok() ? 0 : 1;
}

// job_queue - a queue whose jobs are taken with a deadline, made of a list, a sorted set and hashes.
//
// A worker takes a job in one transaction: the job leaves the list, enters the sorted set of jobs
// under way with the instant at which it is late, and its hash says who has it. A worker that dies
// leaves its job there; the next worker puts late jobs back. The field with the worker's name
// has a deadline of its own. Of two workers who take the same job, one gets Conflict and begins
// again: Transact() does that. Clients of the server see the same collections.
//
// The clock is a manual one so that the example takes no time; leave it out and the system's is
// used.
#include <chrono>
#include <cstdio>
#include <string>

#include "mayfly/database.h"
#include "mayfly/types.h"

namespace {

using namespace std::chrono_literals;
using mayfly::Hash;
using mayfly::Lifetime;
using mayfly::List;
using mayfly::SortedSet;
using mayfly::Status;
using mayfly::Transaction;

constexpr mayfly::Millis kTime = 30s;

// Prints what happened, or returns an error if it did not.
Status Check(bool holds, const std::string& what) {
  std::printf("%s %s\n", holds ? "-" : "NOT TRUE:", what.c_str());
  return holds ? Status() : Status::Internal(what);
}

class Queue {
 public:
  Queue(mayfly::Database& database, mayfly::Keyspace& jobs) : database_(database), jobs_(jobs) {}

  Status Add(const std::string& job, const std::string& text) {
    return database_.Transact([&](Transaction& transaction) -> Status {
      MAYFLY_RETURN_IF_ERROR(Hash(transaction, jobs_, "job:" + job).Put("text", text).status());
      return List(transaction, jobs_, "waiting").PushBack(job);
    });
  }

  // NotFound when no job waits.
  mayfly::Result<std::string> Take(const std::string& worker) {
    std::string job;
    MAYFLY_RETURN_IF_ERROR(database_.Transact([&](Transaction& transaction) -> Status {
      MAYFLY_TRY(job, List(transaction, jobs_, "waiting").PopFront());
      const auto late_at = static_cast<double>(ToMs(transaction.now() + kTime));
      MAYFLY_RETURN_IF_ERROR(SortedSet(transaction, jobs_, "taken").Put(job, late_at).status());
      Hash details(transaction, jobs_, "job:" + job);
      return details.Put("worker", worker, Lifetime::For(kTime)).status();
    }));
    return job;
  }

  Status Finish(const std::string& job) {
    return database_.Transact([&](Transaction& transaction) -> Status {
      MAYFLY_RETURN_IF_ERROR(SortedSet(transaction, jobs_, "taken").Remove(job).status());
      return transaction.In(jobs_).Delete("job:" + job).status();
    });
  }

  // Puts late jobs back, and returns how many there were.
  mayfly::Result<std::size_t> Recover() {
    std::size_t late = 0;
    MAYFLY_RETURN_IF_ERROR(database_.Transact([&](Transaction& transaction) -> Status {
      SortedSet taken(transaction, jobs_, "taken");
      MAYFLY_TRY(const auto jobs, taken.ByScore(0, static_cast<double>(ToMs(transaction.now()))));
      for (const SortedSet::Member& job : jobs) {
        MAYFLY_RETURN_IF_ERROR(taken.Remove(job.name).status());
        MAYFLY_RETURN_IF_ERROR(List(transaction, jobs_, "waiting").PushFront(job.name));
      }
      late = jobs.size();
      return {};
    }));
    return late;
  }

  // NotFound when nobody has it.
  mayfly::Result<std::string> WorkerOf(const std::string& job) {
    MAYFLY_TRY(const auto transaction, database_.Begin());
    MAYFLY_TRY(const auto field, Hash(*transaction, jobs_, "job:" + job).Get("worker"));
    return field.value;
  }

 private:
  mayfly::Database& database_;
  mayfly::Keyspace& jobs_;
};

Status Run() {
  mayfly::ManualClock clock(mayfly::WallTimeFromMs(1'700'000'000'000));
  MAYFLY_TRY(const auto database, mayfly::Database::Open({.clock = &clock}));
  Queue queue(*database, database->default_keyspace());
  MAYFLY_RETURN_IF_ERROR(queue.Add("1", "send a letter"));
  MAYFLY_RETURN_IF_ERROR(queue.Add("2", "send an invoice"));

  MAYFLY_TRY(const std::string alices, queue.Take("alice"));
  MAYFLY_TRY(const std::string bobs, queue.Take("bob"));
  MAYFLY_RETURN_IF_ERROR(Check(alices == "1" && bobs == "2", "alice takes job 1 and bob job 2"));
  const auto none = queue.Take("carol");
  MAYFLY_RETURN_IF_ERROR(Check(none.status().IsNotFound(), "carol finds nothing to do"));
  MAYFLY_RETURN_IF_ERROR(queue.Finish(bobs));

  clock.Advance(kTime - 1ms);
  MAYFLY_TRY(const std::string holder, queue.WorkerOf("1"));
  MAYFLY_TRY(const std::size_t early, queue.Recover());
  MAYFLY_RETURN_IF_ERROR(Check(holder == "alice" && early == 0, "alice has a millisecond left"));
  clock.Advance(1ms);
  MAYFLY_RETURN_IF_ERROR(Check(queue.WorkerOf("1").status().IsNotFound(), "her claim has died"));
  MAYFLY_TRY(const std::size_t late, queue.Recover());
  MAYFLY_TRY(const std::string carols, queue.Take("carol"));
  return Check(late == 1 && carols == "1", "her job waits again, and carol takes it");
}

}  // namespace

int main() {
  const Status outcome = Run();
  if (!outcome.ok()) std::printf("%s\n", outcome.ToString().c_str());
  return outcome.ok() ? 0 : 1;
}

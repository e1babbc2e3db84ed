// idempotency_keys - a payment that is requested twice is made once.
//
// The client sends a key of its own with each request and repeats the request when it gets no
// response. The first request to put the key is processed: PutIf(Absent) decides, also when two
// copies arrive at once. The key is held for a minute, so that a server which dies meanwhile does
// not block the payment for ever; when the payment is done, the response replaces it for a day. A
// repetition gets the stored response, after a restart too. After the day the key is gone, without
// any cleaning up.
//
// The clock is a manual one so that the example takes no time; leave it out and the system's is
// used.
#include <unistd.h>

#include <chrono>
#include <cstdio>
#include <filesystem>
#include <string>

#include "mayfly/database.h"

namespace {

using namespace std::chrono_literals;
using mayfly::Lifetime;
using mayfly::Status;

constexpr const char* kAtWork = "at work";

// Prints what happened, or returns an error if it did not.
Status Check(bool holds, const std::string& what) {
  std::printf("%s %s\n", holds ? "-" : "NOT TRUE:", what.c_str());
  return holds ? Status() : Status::Internal(what);
}

// A directory that is removed after the example.
struct Scratch {
  std::string path =
      (std::filesystem::temp_directory_path() / ("mayfly_example_" + std::to_string(::getpid())))
          .string();
  ~Scratch() { std::filesystem::remove_all(path); }
};

struct Bank {
  int payments = 0;
  std::string Pay() { return "receipt " + std::to_string(++payments); }
};

// The response to a request. Busy while another thread processes it.
mayfly::Result<std::string> Handle(mayfly::Keyspace& requests, Bank& bank, const std::string& key) {
  MAYFLY_TRY(const bool mine,
             requests.PutIf(key, kAtWork, mayfly::PutCondition::Absent(), Lifetime::For(1min)));
  if (!mine) {
    MAYFLY_TRY(std::string answer, requests.Get(key));
    if (answer == kAtWork) return Status::Busy("being worked on; ask again");
    return answer;
  }
  std::string answer = bank.Pay();
  MAYFLY_RETURN_IF_ERROR(requests.Put(key, answer, Lifetime::For(24h)));
  return answer;
}

Status Run() {
  const Scratch scratch;
  Bank bank;
  mayfly::ManualClock clock(mayfly::WallTimeFromMs(1'700'000'000'000));
  const mayfly::DatabaseOptions options{.directory = scratch.path, .clock = &clock};
  {
    MAYFLY_TRY(const auto database, mayfly::Database::Open(options));
    mayfly::Keyspace& requests = database->default_keyspace();
    MAYFLY_TRY(const std::string first, Handle(requests, bank, "order-17"));
    MAYFLY_TRY(const std::string again, Handle(requests, bank, "order-17"));
    MAYFLY_RETURN_IF_ERROR(
        Check(first == again && bank.payments == 1, "asked twice, paid once: " + again));
    MAYFLY_RETURN_IF_ERROR(requests.Put("order-18", kAtWork, Lifetime::For(1min)));
    std::printf("the server dies while it works on order 18\n");
  }
  clock.Advance(30s);
  MAYFLY_TRY(const auto database, mayfly::Database::Open(options));
  mayfly::Keyspace& requests = database->default_keyspace();
  MAYFLY_TRY(const std::string remembered, Handle(requests, bank, "order-17"));
  MAYFLY_RETURN_IF_ERROR(Check(remembered == "receipt 1" && bank.payments == 1,
                               "the next one knows order 17 was paid"));
  MAYFLY_RETURN_IF_ERROR(
      Check(Handle(requests, bank, "order-18").status().code() == mayfly::StatusCode::kBusy,
            "and waits for order 18, which somebody may be working on"));
  clock.Advance(30s);
  MAYFLY_TRY(const std::string late, Handle(requests, bank, "order-18"));
  MAYFLY_RETURN_IF_ERROR(Check(bank.payments == 2, "a minute on it takes order 18 over: " + late));
  clock.Advance(23h + 59min - 1ms);
  MAYFLY_TRY(const std::string day, Handle(requests, bank, "order-17"));
  MAYFLY_RETURN_IF_ERROR(
      Check(day == "receipt 1", "all day long order 17 is answered from memory"));
  clock.Advance(1ms);
  MAYFLY_TRY(const bool known, requests.Exists("order-17"));
  return Check(!known && bank.payments == 2, "then its key is forgotten");
}

}  // namespace

int main() {
  const Status outcome = Run();
  if (!outcome.ok()) std::printf("%s\n", outcome.ToString().c_str());
  return outcome.ok() ? 0 : 1;
}

// cache - results of slow computations, kept for ten minutes.
//
// The keyspace's default ttl makes every plain Put() a cached one; no caller can forget it, and
// `require_ttl` refuses a row that would stay for ever. A little jitter spreads the deadlines of
// rows that were written together, so that they do not all have to be computed again in the same
// instant; it depends on the key alone, so writing a row again gives it the same.
//
// The clock is a manual one so that the example takes no time; leave it out and the system's is
// used.
#include <chrono>
#include <cstdio>
#include <set>
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

// The slow computation.
class WeatherService {
 public:
  std::string Ask(const std::string& city) { return city + ": sunny #" + std::to_string(++asked_); }
  int asked() const { return asked_; }

 private:
  int asked_ = 0;
};

mayfly::Result<std::string> Weather(mayfly::Keyspace& cache, WeatherService& service,
                                    const std::string& city) {
  auto cached = cache.Get(city);
  if (cached || !cached.error().IsNotFound()) return cached;
  std::string fresh = service.Ask(city);
  MAYFLY_RETURN_IF_ERROR(cache.Put(city, fresh));
  return fresh;
}

Status Run() {
  mayfly::ManualClock clock(mayfly::WallTimeFromMs(1'700'000'000'000));
  MAYFLY_TRY(const auto database, mayfly::Database::Open({.clock = &clock}));
  MAYFLY_TRY(const auto cache,
             database->CreateKeyspace(
                 "weather", {.default_ttl = 10min, .require_ttl = true, .jitter_permille = 100}));
  WeatherService service;

  MAYFLY_TRY(const std::string first, Weather(*cache, service, "Oslo"));
  MAYFLY_TRY(const std::string second, Weather(*cache, service, "Oslo"));
  MAYFLY_RETURN_IF_ERROR(Check(first == second && service.asked() == 1,
                               "asked twice, the service was troubled once: " + second));
  clock.Advance(10min);
  MAYFLY_TRY(const std::string third, Weather(*cache, service, "Oslo"));
  MAYFLY_RETURN_IF_ERROR(Check(third != first && service.asked() == 2,
                               "ten minutes later it is asked again: " + third));

  std::set<mayfly::Millis> lifetimes;
  for (int i = 0; i < 1000; ++i) {
    const std::string city = "city " + std::to_string(i);
    MAYFLY_RETURN_IF_ERROR(Weather(*cache, service, city).status());
    MAYFLY_TRY(const mayfly::Millis left, cache->Ttl(city));
    lifetimes.insert(left);
  }
  MAYFLY_RETURN_IF_ERROR(Check(*lifetimes.begin() >= 9min && *lifetimes.rbegin() <= 10min,
                               "1000 cities cached at once live for 9 to 10 minutes"));
  MAYFLY_RETURN_IF_ERROR(
      Check(lifetimes.size() > 50,
            "and die at " + std::to_string(lifetimes.size()) + " different moments"));
  const Status forever = cache->Put("Rome", "eternal", mayfly::Lifetime::Forever());
  MAYFLY_RETURN_IF_ERROR(Check(forever.code() == mayfly::StatusCode::kInvalid,
                               "a row without a deadline is refused in this keyspace"));

  clock.Advance(10min);
  MAYFLY_TRY(const std::uint64_t alive, cache->Count());
  MAYFLY_TRY(const mayfly::PurgeReport purged, database->Purge());
  return Check(alive == 0 && purged.rows == 1001,
               "ten minutes later nothing is served, and a purge gives back all " +
                   std::to_string(purged.rows) + " rows");
}

}  // namespace

int main() {
  const Status outcome = Run();
  if (!outcome.ok()) std::printf("%s\n", outcome.ToString().c_str());
  return outcome.ok() ? 0 : 1;
}

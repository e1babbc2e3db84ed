// make_database.cc - creates a database for the tests of `mayfly prove`, in one of a few
// conditions:
//   make_database DIR kept | broken | backed-up | held
// Its keyspace "secrets" promises that nothing is left of rows an hour after their end. It has had
// "alice-is-alive", which lives, and "bob-was-here", which has died. `held` keeps the database open
// until standard input ends.
#include <fmt/format.h>

#include <cstdio>
#include <string_view>

#include "mayfly/database.h"

namespace mayfly {
namespace {

using namespace std::chrono_literals;

Status Make(const std::string& directory, std::string_view condition) {
  // Three hours ago by its own clock, so that the hour of the promise can have passed.
  ManualClock clock(SystemClock::Process().Now() - 3h);
  MAYFLY_TRY(const auto database, Database::Open({.directory = directory, .clock = &clock}));
  MAYFLY_TRY(const auto secrets, database->CreateKeyspace("secrets", {.purge_within = 1h}));
  MAYFLY_RETURN_IF_ERROR(secrets->Put("alice", "alice-is-alive"));
  MAYFLY_RETURN_IF_ERROR(secrets->Put("bob", "bob-was-here", Lifetime::For(1s)));
  if (condition == "backed-up") {
    MAYFLY_RETURN_IF_ERROR(database->Backup(directory + ".backup").status());
  }
  if (condition != "broken") {
    clock.Advance(3h);
    MAYFLY_RETURN_IF_ERROR(database->Reclaim({.everything = true}).status());
  }
  if (condition == "held") {
    fmt::print("open\n");
    std::fflush(stdout);
    while (std::getchar() != EOF) {
    }
  }
  return database->Close();
}

}  // namespace
}  // namespace mayfly

int main(int argc, char** argv) {
  if (argc != 3) return 2;
  const mayfly::Status made = mayfly::Make(argv[1], argv[2]);
  if (!made.ok()) fmt::print(stderr, "{}\n", made.ToString());
  return made.ok() ? 0 : 1;
}

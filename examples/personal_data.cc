// personal_data - papers of applicants, whose bytes must be gone a day after they have died.
//
// A keyspace with purge_within promises that no byte of a row is in any file, log or event that
// long after its end. Prove() reports whether the promise is kept, and searches the files for bytes
// that should be gone. In a running program a reaper keeps it (auto reaper =
// database->StartReaper()); here one call does, on a manual clock, so that the example takes no
// month.
#include <chrono>
#include <cstdio>
#include <filesystem>
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

Status Run(const std::string& directory) {
  mayfly::ManualClock clock(mayfly::WallTimeFromMs(1'700'000'000'000));
  MAYFLY_TRY(const auto database, mayfly::Database::Open({.directory = directory,
                                                          .clock_jump_max = mayfly::Millis::max(),
                                                          .clock = &clock}));
  MAYFLY_TRY(const auto papers,
             database->CreateKeyspace("papers", {.max_ttl = 30 * 24h, .purge_within = 24h}));
  MAYFLY_RETURN_IF_ERROR(papers->Put("alice", "born in 1990", mayfly::Lifetime::For(30 * 24h)));
  MAYFLY_RETURN_IF_ERROR(papers->Put("bob", "born in 1991", mayfly::Lifetime::For(30 * 24h)));

  MAYFLY_TRY(mayfly::Proof proof, database->Prove({.find = "born in 1990"}));
  MAYFLY_RETURN_IF_ERROR(Check(!proof.traces.empty(), "the papers are on the disk"));

  // Bob withdraws: a delete is an end, too.
  MAYFLY_RETURN_IF_ERROR(papers->Delete("bob").status());
  clock.Advance(30 * 24h);
  MAYFLY_RETURN_IF_ERROR(
      Check(papers->Get("alice").status().IsNotFound(), "after 30 days nobody can read Alice's"));

  MAYFLY_RETURN_IF_ERROR(database->Reclaim({.everything = true}).status());
  MAYFLY_TRY(proof, database->Prove({.find = "born in 199"}));
  MAYFLY_RETURN_IF_ERROR(Check(proof.traces.empty(), "and no byte of either is in any file"));
  return Check(proof.kept(), "the promise is kept");
}

}  // namespace

int main() {
  const auto directory = std::filesystem::temp_directory_path() / "mayfly-personal-data-example";
  std::filesystem::remove_all(directory);
  const Status status = Run(directory);
  std::filesystem::remove_all(directory);
  if (status.ok()) return 0;
  std::fprintf(stderr, "%s\n", status.ToString().c_str());
  return 1;
}

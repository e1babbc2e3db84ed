// database_process.h - a child process that uses a database until it is killed.
// The test names the work (NamedWork); the process opens the database on a disk that may kill it in
// the middle of a change, runs the work, and reports what it has done. The work never ends by
// itself.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "base/random.h"
#include "crash/child_process.h"
#include "mayfly/database.h"
#include "tests/core/one_machine.h"

namespace mayfly::crash {

struct DatabasePlan {
  std::string work;
  StorageEngine engine = StorageEngine::kRocks;
  std::string directory;
  std::uint64_t seed = 0;
  std::uint64_t first = 0;         // The number of the next operation of the work.
  std::uint64_t known_events = 0;  // The last event the test knows.
  std::int64_t clock_ms = 0;       // When it starts.
  // The change on disk in which it kills itself; 0: waits to be killed.
  std::uint64_t die_at_operation = 0;
  bool with_reaper = false;
  bool splits_batches = false;  // Breaks every batch in two: to test that the check catches it.
};

// A line of the process to the test.
struct Told {
  enum class Kind : std::uint64_t { kDone, kEvent };

  Kind kind;
  std::uint64_t number;  // kDone: what was done. kEvent: the event's sequence.
  std::uint64_t row;     // kEvent: of which row.
};

struct NamedWork {
  const char* name;
  void (*run)(Database& database, ManualClock& clock, const DatabasePlan& plan);
};

std::vector<std::string> ToArguments(const DatabasePlan& plan);

// main() of the test and of its children: a command line that is a plan runs the work, any other
// runs the tests.
int RunTestsOrDatabase(int argc, char** argv, std::span<const NamedWork> works);

// Ends the process, with a message, unless the status is ok. For the code of a NamedWork.
void MustBeOk(const Status& status, const char* what);

// For the test: runs the process until it is killed, from outside or by itself, at a random moment.
// It does the operations from plan.first on.
struct Life {
  bool was_killed = false;   // False: it ended by itself, with a message.
  std::uint64_t next = 0;    // Everything before it was acknowledged.
  std::optional<Told> last;  // Its last line.
};
Life LiveAndDie(DatabasePlan plan, Random& random);

// For the test: the database as the process left it, or a new one, on the same machine and a clock
// that outlives it.
Result<std::unique_ptr<Database>> OpenLeftBehind(StorageEngine engine, const std::string& directory,
                                                 const OneMachine& clock);

}  // namespace mayfly::crash

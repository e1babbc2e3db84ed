// writer_process.h - a process that commits batches until it is killed.
// It commits batches from several threads and writes a line of 16 bytes to a pipe after each one
// that was acknowledged: which writer, which batch. The test reads the pipe.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "crash/child_process.h"
#include "mayfly/database.h"

namespace mayfly::crash {

inline constexpr int kWriters = 2;

// Faults, to test that the check catches them.
enum class Fault : std::uint8_t {
  kNone,
  kAcknowledgesTooEarly,  // Acknowledges before it commits.
  kSplitsBatches,         // Commits each batch in two parts.
};

struct WriterPlan {
  StorageEngine engine = StorageEngine::kRocks;
  std::string directory;
  std::uint64_t seed = 0;
  std::vector<std::uint64_t> first;  // The next batch of each writer.
  std::uint64_t die_at_operation =
      0;  // The change on disk it kills itself in; 0: waits to be killed.
  Fault fault = Fault::kNone;
};

struct Acknowledgement {
  std::uint64_t writer;
  std::uint64_t number;
};

// A child process running this program with the plan on its command line.
class WriterProcess {
 public:
  explicit WriterProcess(const WriterPlan& plan);

  // Waits for the next acknowledgement; nothing when the process is dead and all were read.
  std::optional<Acknowledgement> Next() { return process_.Next<Acknowledgement>(); }

  void Kill() { process_.Kill(); }

  // Reaps the process. True when it died by SIGKILL, as it should.
  bool Wait() { return process_.Wait(); }

 private:
  ChildProcess process_;
};

// The child's part of main(): nothing when the command line is not a plan, else the exit code.
std::optional<int> RunAsWriter(int argc, char** argv);

}  // namespace mayfly::crash

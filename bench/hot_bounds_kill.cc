// A process with a full log is killed; the next one opens the database and reads a row.
#include <fmt/format.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdio>

#include "base/temporary_directory.h"
#include "dataset.h"
#include "engine/hot/hot_engine.h"
#include "hot_bounds.h"
#include "must.h"

namespace mayfly::bench {
namespace {

constexpr engine::Address kKillRows{.role = engine::Role::kRows};

// Writes until the log has been folded at least once and is full again, and then waits for its end.
void WriteAll(const Dataset& data, const std::string& directory, int done) {
  const auto engine = Must(engine::OpenHotEngine({.directory = directory}));
  engine::Batch batch;
  for (std::size_t i = 0; i < data.rows(); ++i) {
    batch.Clear();
    batch.Put(kKillRows, data.key(i), data.value(i));
    Must(engine->Commit(batch));
  }
  Must(::write(done, "x", 1) == 1, "no pipe");
  for (;;) ::pause();
}

double CpuSecondsNow() {
  rusage used{};
  getrusage(RUSAGE_SELF, &used);
  const auto seconds = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) / 1e6;
  };
  return seconds(used.ru_utime) + seconds(used.ru_stime);
}

}  // namespace

void RunKill(const BoundsContext& context) {
  const Dataset data(10 * context.rows);
  const TemporaryDirectory directory;
  const std::string at = directory.Inside("db");
  int done[2];
  Must(::pipe(done) == 0, "no pipe");
  std::fflush(stdout);
  const pid_t writer = ::fork();
  Must(writer >= 0, "no process");
  if (writer == 0) WriteAll(data, at, done[1]);
  char byte = 0;
  Must(::read(done[0], &byte, 1) == 1, "the writer failed");
  ::kill(writer, SIGKILL);
  ::waitpid(writer, nullptr, 0);
  ::close(done[0]);
  ::close(done[1]);

  const Stopwatch watch;
  const double cpu = CpuSecondsNow();
  const auto engine = Must(engine::OpenHotEngine({.directory = at}));
  PinnedBytes value;
  Must(engine->Get(kKillRows, data.key(data.rows() - 1), value));
  const double seconds = watch.Seconds();
  const engine::EngineStats stats = Must(engine->Stats());
  fmt::print("  {} rows, {:.0f} MiB of log: {:.2f} s, {:.2f} s of CPU\n", data.rows(),
             MiB(stats.logged_bytes), seconds, CpuSecondsNow() - cpu);
  for (std::size_t i = 0; i < data.rows(); i += 1 + data.rows() / 1000) {
    Must(engine->Get(kKillRows, data.key(i), value));
  }
  Must(engine->Close());
}

}  // namespace mayfly::bench

// peers_bench - the memory-first engine, and the library with it, beside LMDB, RocksDB, LevelDB and
// SQLite, data in memory.
// Each store has a process of its own; they work in turns, who begins changes from turn to turn, and
// CPU per operation counts, background threads included. The bars compare medians of turns, or sums
// where a store puts work off (writes). Two threads are compared by wall time, the best of many
// short turns: on a busy machine that needs luck.
// --rows=N as in settings.h; names of stores, to see no others. Exit code 1 when a bar is missed.
#include <fmt/format.h>
#include <sys/stat.h>

#include <algorithm>
#include <cstdio>
#include <memory>
#include <string>
#include <vector>

#include "base/temporary_directory.h"
#include "comparison.h"
#include "dataset.h"
#include "expiry_scenario.h"
#include "must.h"
#include "peer.h"
#include "peer_process.h"
#include "settings.h"

namespace mayfly::bench {
namespace {

constexpr std::size_t kPeerTurns = 20;
// SQLite and LevelDB take up to a hundred times as long; a part of the rows tells as much.
constexpr std::size_t kSlowShare = 10;

// What has bars.
constexpr const char* kOwn[] = {"hot", "mayfly"};

// Bars.
constexpr double kGetOfRocks = 0.25;
constexpr double kGetOfLmdb = 1.0;
constexpr double kPutOfRocks = 0.2;
constexpr double kScanOfLmdb = 1.3;
constexpr double kPurgeOfRocks = 0.25;
constexpr double kGetsOfTwoLeast = 1.8;
constexpr double kPutsOfTwoLeast = 1.5;

struct Contender {
  std::unique_ptr<PeerProcess> process;
  bool is_slow = false;
  double ns = 0;  // Of the last comparison.
};

class PeersBench {
 public:
  // Without names: all of them.
  PeersBench(const Dataset& data, const std::string& directory, std::vector<std::string> names)
      : data_(data), names_(std::move(names)) {
    Add(directory, "hot", false, [](const std::string& at) { return NewHotEnginePeer(at); });
    Add(directory, "mayfly", false, NewLibraryPeer);
    Add(directory, "RocksDB", false, NewRawRocksPeer);
    Add(directory, "LMDB", false, NewLmdbPeer);
    Add(directory, "LevelDB", true, NewLevelPeer);
    Add(directory, "SQLite", true, NewSqlitePeer);
  }

  bool Run() {
    const std::size_t rows = data_.rows();
    fmt::print("{} rows, ns of CPU per operation\n{:<18}", rows, "");
    for (const Contender& one : all_) fmt::print(" {:>9}", one.process->name());
    fmt::print("\n");
    Compare("put", PeerWork::kPut, rows, true);
    Bar("put, of RocksDB's", "RocksDB", kPutOfRocks);
    Compare("put over", PeerWork::kPut, rows, true);
    Compare("get", PeerWork::kGet, rows, false);
    Bar("get, of RocksDB's", "RocksDB", kGetOfRocks);
    Bar("get, of LMDB's", "LMDB", kGetOfLmdb);
    Compare("get missing", PeerWork::kGetMissing, rows, false);
    Compare("get skewed", PeerWork::kGetSkewed, rows, false);
    Compare("scan", PeerWork::kScan, rows, false);
    Bar("scan, of LMDB's", "LMDB", kScanOfLmdb);
    Compare("put with TTL", PeerWork::kPutUntil, rows / 2, true);
    Bar("put with TTL, of RocksDB's", "RocksDB", kPutOfRocks);
    Compare("purge", PeerWork::kPurge, rows / 5, true);
    Bar("purge, of RocksDB's", "RocksDB", kPurgeOfRocks);
    Scale("gets", PeerWork::kGet, PeerWork::kGetsOfTwo, kGetsOfTwoLeast);
    Scale("puts", PeerWork::kPut, PeerWork::kPutsOfTwo, kPutsOfTwoLeast);
    Compare("delete", PeerWork::kDelete, rows / 10, true);
    return verdicts_.missed();
  }

 private:
  void Add(const std::string& directory, const char* name, bool is_slow,
           std::unique_ptr<Peer> (*open)(const std::string&)) {
    if (!names_.empty() && std::find(names_.begin(), names_.end(), name) == names_.end()) return;
    const std::string at = directory + "/" + name;
    Must(::mkdir(at.c_str(), 0700) == 0, "no directory");
    all_.push_back({std::make_unique<PeerProcess>(name, data_, [=] { return open(at); }), is_slow});
  }

  // `all_of_it`: the mean of all turns counts, and not the median, with what is done in the background
  // afterwards: what a store puts off is paid in few of them.
  void Compare(const char* what, PeerWork work, std::size_t count, bool all_of_it) {
    std::vector<std::vector<double>> turns(all_.size());
    const std::size_t part = count / kPeerTurns;
    const bool is_load = work == PeerWork::kPut && loaded_ == 0;
    for (std::size_t turn = 0; turn < kPeerTurns; ++turn) {
      for (std::size_t i = 0; i < all_.size(); ++i) {
        const std::size_t at = (i + turn) % all_.size();
        Contender& one = all_[at];
        // Of the load, and of rows to be purged, everyone needs all.
        const bool less = one.is_slow && !is_load && work != PeerWork::kPutUntil;
        const std::size_t made = less ? part / kSlowShare : part;
        const PeerTurn done = one.process->Do(work, First(work, turn * part), made);
        turns[at].push_back(done.cpu_ns / static_cast<double>(made));
      }
    }
    if (work == PeerWork::kPut) loaded_ += count;
    if (all_of_it) {
      for (std::size_t i = 0; i < all_.size(); ++i) {
        turns[i].front() += AwaitIdle(*all_[i].process) / static_cast<double>(part);
      }
    }
    fmt::print("{:<18}", what);
    for (std::size_t i = 0; i < all_.size(); ++i) {
      double sum = 0;
      for (const double ns : turns[i]) sum += ns;
      all_[i].ns = all_of_it ? sum / kPeerTurns : Quantile(turns[i], 0.5);
      fmt::print(" {:>9.0f}", all_[i].ns);
    }
    fmt::print("\n");
    std::fflush(stdout);
  }

  // Waits until the process does nothing any more. Returns the CPU time that it used.
  static double AwaitIdle(PeerProcess& process) {
    constexpr double kLookSeconds = 0.2;
    constexpr double kIdleNs = 0.02 * kLookSeconds * 1e9;
    constexpr int kLooksMax = 100;
    double ns = 0;
    for (int look = 0; look < kLooksMax; ++look) {
      const double used = process.Do(PeerWork::kNothing, 0, 0).cpu_ns;
      ns += used;
      if (look > 0 && used < kIdleNs) break;
      SleepSeconds(kLookSeconds);
    }
    return ns;
  }

  // Puts of later rounds have other values.
  std::size_t First(PeerWork work, std::size_t first) const {
    return work == PeerWork::kPut ? loaded_ + first : first;
  }

  void Bar(const char* what, const char* other, double bar) {
    const Contender* const found = Find(other);
    if (found == nullptr) return;
    for (const char* const own : kOwn) {
      const Contender* const one = Find(own);
      if (one == nullptr) continue;
      verdicts_.AtMost(fmt::format("{}: {}", own, what), one->ns / found->ns, bar);
    }
  }

  const Contender* Find(std::string_view name) const {
    const auto found = std::find_if(all_.begin(), all_.end(), [&](const Contender& one) {
      return one.process->name() == name;
    });
    return found == all_.end() ? nullptr : &*found;
  }

  // What two threads do in the time of one.
  void Scale(const char* what, PeerWork one, PeerWork two, double least) {
    for (const char* const own : kOwn) {
      if (const Contender* const found = Find(own)) Scale(*found->process, what, one, two, least);
    }
  }

  void Scale(PeerProcess& hot, const char* what, PeerWork one, PeerWork two, double least) {
    constexpr std::size_t kTries = 60;
    const std::size_t count = std::max<std::size_t>(data_.rows() / 50, 2);
    double best_of_one = 0;
    double best_of_two = 0;
    double cpu_of_one = 0;
    double cpu_of_two = 0;
    for (std::size_t i = 0; i < kTries; ++i) {
      const std::size_t first = data_.rows() / 2 + i * count % (data_.rows() / 4);
      const PeerTurn single = hot.Do(one, first, count);
      const PeerTurn both = hot.Do(two, first, count);
      best_of_one = std::max(best_of_one, 1 / single.wall_ns);
      best_of_two = std::max(best_of_two, 1 / both.wall_ns);
      cpu_of_one += single.cpu_ns;
      cpu_of_two += both.cpu_ns;
    }
    const auto all = static_cast<double>(count * kTries);
    AwaitIdle(hot);
    fmt::print("{}: two threads of {}: {:.0f} ns of CPU each, one {:.0f}\n", hot.name(), what,
               cpu_of_two / all, cpu_of_one / all);
    verdicts_.AtMost(fmt::format("{}: time of two threads of {}, of one's", hot.name(), what),
                     best_of_one / best_of_two, 1 / least);
  }

  const Dataset& data_;
  const std::vector<std::string> names_;
  std::vector<Contender> all_;
  std::size_t loaded_ = 0;
  Verdicts verdicts_;
};

}  // namespace
}  // namespace mayfly::bench

int main(int argc, char** argv) {
  using namespace mayfly::bench;
  const Settings settings = TakeSettings(argc, argv);
  const Dataset data(settings.rows);
  const mayfly::TemporaryDirectory directory;
  return PeersBench(data, directory.path(), {argv + 1, argv + argc}).Run() ? 1 : 0;
}

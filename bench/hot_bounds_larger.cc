// A database of ten times the budget of memory, beside plain rocks: every kind of work costs at most
// a fifth more, and reads of few keys often cost less. Both have the same caches of RocksDB.
#include <fmt/format.h>
#include <sys/stat.h>

#include <cstdio>

#include "base/temporary_directory.h"
#include "hot_bounds.h"
#include "must.h"
#include "peer_process.h"

namespace mayfly::bench {
namespace {

constexpr std::size_t kLargerTurns = 10;
constexpr std::size_t kTimesBudget = 10;
constexpr std::size_t kBytesInMemory = Dataset::kKeyBytes + Dataset::kValueBytes + 48;
constexpr double kOfRocksMax = 1.2;
constexpr double kSkewedOfRocksMax = 1.0;

class Larger {
 public:
  Larger(const BoundsContext& context, const std::string& directory)
      : context_(context),
        data_(context.rows),
        hot_("hot", data_,
             [&, at = Made(directory + "/hot")] { return NewHotEnginePeer(at, Budget()); }),
        rocks_("rocks", data_,
               [at = Made(directory + "/rocks")] { return NewRocksEnginePeer(at); }) {}

  void Run() {
    const std::size_t rows = data_.rows();
    fmt::print("  {} rows, a budget of {:.0f} MiB; ns of CPU per operation\n", rows, MiB(Budget()));
    Compare("put", PeerWork::kPut, rows, kOfRocksMax);
    Compare("put over", PeerWork::kPut, rows, kOfRocksMax);
    Compare("get", PeerWork::kGet, rows / 2, kOfRocksMax);
    Compare("get missing", PeerWork::kGetMissing, rows / 2, kOfRocksMax);
    Compare("get skewed", PeerWork::kGetSkewed, rows, kSkewedOfRocksMax);
    Compare("get and put, 4 to 1", PeerWork::kMixed, rows / 2, kOfRocksMax);
    Compare("scan", PeerWork::kScan, rows, kOfRocksMax);
    Compare("delete", PeerWork::kDelete, rows / 5, kOfRocksMax);
    const double memory = MiB(hot_.Do(PeerWork::kNothing, 0, 0).rss);
    fmt::print("  memory of the processes: {:.0f} MiB, rocks {:.0f} MiB\n", memory,
               MiB(rocks_.Do(PeerWork::kNothing, 0, 0).rss));
  }

 private:
  static std::string Made(const std::string& directory) {
    Must(::mkdir(directory.c_str(), 0700) == 0, "no directory");
    return directory;
  }
  std::uint64_t Budget() const { return context_.rows * kBytesInMemory / kTimesBudget; }

  // Sums and not medians: both put work off.
  void Compare(const char* what, PeerWork work, std::size_t count, double bar) {
    const std::size_t part = count / kLargerTurns;
    double hot = 0;
    double rocks = 0;
    for (std::size_t turn = 0; turn < kLargerTurns; ++turn) {
      const std::size_t first = (work == PeerWork::kPut ? put_ : 0) + turn * part;
      if (turn % 2 == 0) hot += hot_.Do(work, first, part).cpu_ns;
      rocks += rocks_.Do(work, first, part).cpu_ns;
      if (turn % 2 != 0) hot += hot_.Do(work, first, part).cpu_ns;
    }
    if (work == PeerWork::kPut) put_ += count;
    const auto all = static_cast<double>(part * kLargerTurns);
    context_.verdicts.AtMost(fmt::format("{}: {:.0f}, rocks {:.0f}", what, hot / all, rocks / all),
                             hot / rocks, bar);
    std::fflush(stdout);
  }

  const BoundsContext& context_;
  const Dataset data_;
  PeerProcess hot_;
  PeerProcess rocks_;
  std::size_t put_ = 0;
};

}  // namespace

void RunLarger(const BoundsContext& context) {
  const TemporaryDirectory directory;
  Larger(context, directory.path()).Run();
}

}  // namespace mayfly::bench

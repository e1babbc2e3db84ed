#include "peer_process.h"

#include <fcntl.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <csignal>
#include <cstdio>
#include <fstream>
#include <thread>

#include "base/random.h"
#include "must.h"

namespace mayfly::bench {
namespace {

struct Order {
  PeerWork work;
  std::uint64_t first;
  std::uint64_t count;
};

double ClockNs(clockid_t clock) {
  timespec now{};
  ::clock_gettime(clock, &now);
  return static_cast<double>(now.tv_sec) * 1e9 + static_cast<double>(now.tv_nsec);
}

// Numbers below n by the method of Gray et al., "Quickly generating billion-record synthetic
// databases", spread over all of them.
class Zipf {
 public:
  explicit Zipf(std::size_t n) : n_(static_cast<double>(n)) {
    for (std::size_t i = 1; i <= n; ++i) zeta_ += 1 / std::pow(static_cast<double>(i), kTheta);
    const double zeta_two = 1 + std::pow(0.5, kTheta);
    eta_ = (1 - std::pow(2 / n_, 1 - kTheta)) / (1 - zeta_two / zeta_);
  }
  std::size_t Next(Random& random) const {
    constexpr std::uint64_t kSteps = std::uint64_t{1} << 53;
    const double u = static_cast<double>(random.Below(kSteps)) / static_cast<double>(kSteps);
    const double uz = u * zeta_;
    if (uz < 1) return 0;
    if (uz < 1 + std::pow(0.5, kTheta)) return 1;
    return static_cast<std::size_t>(n_ * std::pow(eta_ * u - eta_ + 1, 1 / (1 - kTheta)));
  }

 private:
  static constexpr double kTheta = 0.99;
  const double n_;
  double zeta_ = 0;
  double eta_ = 0;
};

class Worker {
 public:
  // Skewed keys are drawn here, so that drawing costs nothing later. Neighbours in rank are none in
  // the order of keys: these are random.
  Worker(const Dataset& data, Peer& peer) : data_(data), peer_(peer) {
    const Zipf zipf(data_.rows());
    Random random(11);
    for (std::size_t i = 0; i < kSkewedKeys; ++i) {
      skewed_.push_back(static_cast<std::uint32_t>(zipf.Next(random)));
    }
  }

  void Do(const Order& order) {
    const std::size_t first = order.first;
    const std::size_t end = order.first + order.count;
    const auto each = [&](auto call) {
      for (std::size_t i = first; i < end; ++i) call(i);
    };
    switch (order.work) {
      case PeerWork::kPut: return each([&](std::size_t i) { Put(i); });
      case PeerWork::kPutUntil:
        return each(
            [&](std::size_t i) { peer_.PutUntil(data_.missing_key(i), data_.value(i), i + 1); });
      case PeerWork::kDelete: return each([&](std::size_t i) { peer_.Delete(data_.key(i)); });
      case PeerWork::kGet: return each([&](std::size_t i) { Get(i); });
      case PeerWork::kGetSkewed: return GetSkewed(order.count);
      case PeerWork::kGetMissing:
        return each([&](std::size_t i) {
          Must(!peer_.Get(data_.missing_key(i)), "a row that was never written");
        });
      case PeerWork::kScan:
        Must(peer_.Scan(data_.key(first), order.count) > 0, "nothing was read");
        return;
      case PeerWork::kPurge:
        return Must(peer_.Purge(kLateInstant, order.count) == order.count,
                    "rows to be purged are missing");
      case PeerWork::kMixed:
        return each([&](std::size_t i) {
          if (i % 5 == 0) return Put(i);
          Get(i);
        });
      case PeerWork::kGetsOfTwo: return ByTwo(first, end, [&](std::size_t i) { Get(i); });
      case PeerWork::kPutsOfTwo: return ByTwo(first, end, [&](std::size_t i) { Put(i); });
      case PeerWork::kNothing:
      case PeerWork::kEnd: return;
    }
  }

 private:
  void Put(std::size_t i) { peer_.Put(data_.key(i), data_.value(i + i / data_.rows())); }
  void Get(std::size_t i) { Must(peer_.Get(data_.key(i * 11)), "a row is missing"); }

  void GetSkewed(std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) {
      Must(peer_.Get(data_.key(skewed_[skewed_next_++ % kSkewedKeys])), "a row is missing");
    }
  }

  void ByTwo(std::size_t first, std::size_t end, const std::function<void(std::size_t)>& call) {
    const auto half = [&](std::size_t from) {
      for (std::size_t i = from; i < end; i += 2) call(i);
    };
    std::thread other([&] { half(first + 1); });
    half(first);
    other.join();
  }

  static constexpr std::uint64_t kLateInstant = std::uint64_t{1} << 62;  // SQLite's are signed.
  static constexpr std::size_t kSkewedKeys = std::size_t{1} << 20;

  const Dataset& data_;
  Peer& peer_;
  std::vector<std::uint32_t> skewed_;
  std::size_t skewed_next_ = 0;
};

template <typename T>
bool Send(int to, const T& message) {
  return ::write(to, &message, sizeof(message)) == sizeof(message);
}
template <typename T>
bool Receive(int from, T& message) {
  return ::read(from, &message, sizeof(message)) == sizeof(message);
}

void Serve(int from, int to, const Dataset& data, Peer& peer) {
  Worker worker(data, peer);
  Order order{};
  double cpu_before = ClockNs(CLOCK_PROCESS_CPUTIME_ID);
  while (Receive(from, order) && order.work != PeerWork::kEnd) {
    const double wall_before = ClockNs(CLOCK_MONOTONIC);
    worker.Do(order);
    PeerTurn turn;
    turn.wall_ns = ClockNs(CLOCK_MONOTONIC) - wall_before;
    const double cpu = ClockNs(CLOCK_PROCESS_CPUTIME_ID);
    turn.cpu_ns = cpu - cpu_before;
    cpu_before = cpu;
    turn.rss = ResidentBytesOf("self");
    if (!Send(to, turn)) return;
  }
}

}  // namespace

std::uint64_t ResidentBytesOf(const std::string& process) {
  std::ifstream file("/proc/" + process + "/statm");
  std::uint64_t all = 0;
  std::uint64_t resident = 0;
  file >> all >> resident;
  return resident * static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
}

PeerProcess::PeerProcess(std::string name, const Dataset& data,
                         const std::function<std::unique_ptr<Peer>()>& open)
    : name_(std::move(name)) {
  int orders[2];
  int turns[2];
  Must(::pipe2(orders, O_CLOEXEC) == 0 && ::pipe2(turns, O_CLOEXEC) == 0, "no pipe");
  std::fflush(stdout);
  pid_ = ::fork();
  Must(pid_ >= 0, "no process");
  if (pid_ == 0) {
    ::prctl(PR_SET_PDEATHSIG, SIGKILL);
    ::close(orders[1]);
    ::close(turns[0]);
    {
      const std::unique_ptr<Peer> peer = open();
      Serve(orders[0], turns[1], data, *peer);
    }
    ::_exit(0);
  }
  ::close(orders[0]);
  ::close(turns[1]);
  to_ = orders[1];
  from_ = turns[0];
}

// A closed pipe would not do: processes made later have its end, too.
PeerProcess::~PeerProcess() {
  static_cast<void>(Send(to_, Order{.work = PeerWork::kEnd, .first = 0, .count = 0}));
  ::close(to_);
  ::close(from_);
  ::waitpid(pid_, nullptr, 0);
}

PeerTurn PeerProcess::Do(PeerWork work, std::size_t first, std::size_t count) {
  PeerTurn turn;
  const bool done =
      Send(to_, Order{.work = work, .first = first, .count = count}) && Receive(from_, turn);
  Must(done, "the process of " + name_ + " has failed");
  return turn;
}

}  // namespace mayfly::bench

// hot_index_bench - what the memory index costs: CPU per operation, in ns, beside std::map.
//   hot_index_bench [rows] [threads]
// Keys have a keyspace of four bytes in front and are dense (user:000000123456:cart) or random (20
// to 40 bytes); values have 100 bytes. Rows are inserted in random order. All queries are made
// before the time is taken. With threads, each does its share of the operations: the table then
// shows CPU per operation and, behind the slash, wall time per operation of all together.
#include <fmt/format.h>
#include <time.h>

#include <cmath>
#include <cstdlib>
#include <functional>
#include <map>
#include <string>
#include <thread>
#include <vector>

#include "base/random.h"
#include "engine/hot/index/hot_cursor.h"
#include "engine/hot/index/hot_index.h"
#include "engine/hot/index/test_writer.h"

namespace mayfly::bench {
namespace {

using engine::Role;
using engine::hot::HotCursor;
using engine::hot::HotIndex;
using engine::hot::TestWriter;

constexpr std::size_t kQueries = 1'000'000;
constexpr std::size_t kValueBytes = 100;

double Seconds(clockid_t clock) {
  timespec now{};
  ::clock_gettime(clock, &now);
  return static_cast<double>(now.tv_sec) + static_cast<double>(now.tv_nsec) * 1e-9;
}

// Many keys in one string.
class Keys {
 public:
  void Add(Bytes key) {
    bytes_ += key;
    ends_.push_back(bytes_.size());
  }
  Bytes operator[](std::size_t i) const {
    const std::size_t begin = i == 0 ? 0 : ends_[i - 1];
    return Bytes(bytes_).substr(begin, ends_[i] - begin);
  }
  std::size_t size() const { return ends_.size(); }

 private:
  std::string bytes_;
  std::vector<std::size_t> ends_;
};

std::string KeyOf(bool dense, std::uint64_t number) {
  const std::string keyspace("\0\0\0\1", 4);
  if (dense) return keyspace + fmt::format("user:{:012}:cart", number);
  Random random(number * 0x9e3779b97f4a7c15 + 1);
  return keyspace + random.Bytes(random.Between(16, 36));
}

struct Workload {
  Keys rows;     // In the order of insertion.
  Keys uniform;  // Queries.
  Keys zipf;
  Keys missing;
};

// Ranks by Zipf's law with exponent 0.99, as YCSB draws them.
class Zipf {
 public:
  explicit Zipf(std::size_t n) : n_(static_cast<double>(n)) {
    for (std::size_t i = 1; i <= n; ++i) zeta_ += std::pow(1.0 / static_cast<double>(i), kTheta);
    eta_ = (1 - std::pow(2.0 / n_, 1 - kTheta)) / (1 - (1 + std::pow(0.5, kTheta)) / zeta_);
  }
  std::size_t Draw(Random& random) const {
    const double u = static_cast<double>(random.Next() >> 11) * 0x1p-53;
    const double uz = u * zeta_;
    if (uz < 1) return 0;
    if (uz < 1 + std::pow(0.5, kTheta)) return 1;
    return static_cast<std::size_t>(n_ * std::pow(eta_ * u - eta_ + 1, 1 / (1 - kTheta)));
  }

 private:
  static constexpr double kTheta = 0.99;
  double n_;
  double zeta_ = 0;
  double eta_ = 0;
};

Workload Make(bool dense, std::size_t rows) {
  Random random(7);
  Workload work;
  std::vector<std::uint32_t> order(rows);
  for (std::size_t i = 0; i < rows; ++i) order[i] = static_cast<std::uint32_t>(i);
  for (std::size_t i = rows; i > 1; --i) std::swap(order[i - 1], order[random.Below(i)]);
  for (const std::uint32_t number : order) work.rows.Add(KeyOf(dense, number));
  const Zipf zipf(rows);
  for (std::size_t i = 0; i < kQueries; ++i) {
    work.uniform.Add(work.rows[random.Below(rows)]);
    work.zipf.Add(work.rows[std::min(zipf.Draw(random), rows - 1)]);
    work.missing.Add(KeyOf(dense, rows + random.Below(rows)));
  }
  return work;
}

struct Cost {
  double cpu = 0;
  double wall = 0;
};

// Runs body(begin, end) over [0, n), split among threads.
Cost Measure(std::size_t n, std::size_t threads,
             const std::function<void(std::size_t, std::size_t)>& body) {
  const double cpu = Seconds(CLOCK_PROCESS_CPUTIME_ID);
  const double wall = Seconds(CLOCK_MONOTONIC);
  std::vector<std::thread> running;
  for (std::size_t t = 1; t < threads; ++t) {
    running.emplace_back(body, n * t / threads, n * (t + 1) / threads);
  }
  body(0, n / threads);
  for (std::thread& thread : running) thread.join();
  const double scale = 1e9 / static_cast<double>(n);
  return {.cpu = (Seconds(CLOCK_PROCESS_CPUTIME_ID) - cpu) * scale,
          .wall = (Seconds(CLOCK_MONOTONIC) - wall) * scale};
}

void Print(const char* store, const char* shape, const char* what, Cost cost) {
  fmt::print("{:8} {:7} {:14} {:8.0f} / {:.0f}\n", store, shape, what, cost.cpu, cost.wall);
  std::fflush(stdout);
}

std::size_t Scan(const HotIndex& index) {
  const auto state = index.OpenState();
  std::size_t bytes = 0;
  {
    HotCursor cursor(index, Role::kRows, state);
    for (cursor.SeekToFirst(); cursor.Valid(); cursor.Next()) {
      bytes += cursor.key().size() + cursor.value().size();
    }
  }
  index.CloseState(state);
  return bytes;
}

void RunIndex(const char* shape, const Workload& work, std::size_t threads, bool huge) {
  const char* store = huge ? "hot" : "hot-4k";
  HotIndex index(
      {.bytes_max = HotIndex::ReservableBytes(engine::hot::kArenaBytesMax), .huge_pages = huge});
  TestWriter writer(index);
  const std::size_t n = work.rows.size();
  const std::string value(kValueBytes, 'v');
  const std::string other(kValueBytes, 'w');
  const auto each = [&](const Keys& keys, const auto& body) {
    return Measure(keys.size(), threads, [&](std::size_t begin, std::size_t end) {
      std::string buffer;
      for (std::size_t i = begin; i < end; ++i) body(keys[i], buffer);
    });
  };
  const auto get = [&](Bytes key, std::string& buffer) { index.Get(Role::kRows, key, buffer); };
  Print(store, shape, "insert",
        each(work.rows, [&](Bytes key, std::string&) { writer.Put(key, value); }));
  const auto memory = index.memory();
  std::size_t raw = n * kValueBytes;
  for (std::size_t i = 0; i < n; ++i) raw += work.rows[i].size();
  fmt::print("{:8} {:7} overhead per row {:.1f} B, held {:.1f} B\n", store, shape,
             static_cast<double>(memory.used_bytes - raw) / static_cast<double>(n),
             static_cast<double>(memory.held_bytes - raw) / static_cast<double>(n));
  Print(store, shape, "get", each(work.uniform, get));
  Print(store, shape, "get zipf", each(work.zipf, get));
  Print(store, shape, "get missing", each(work.missing, get));
  std::size_t seen = 0;
  Print(store, shape, "scan", Measure(n, 1, [&](std::size_t, std::size_t) { seen = Scan(index); }));
  if (seen != raw) fmt::print("THE SCAN MISSED ROWS\n");
  Print(store, shape, "overwrite",
        each(work.uniform, [&](Bytes key, std::string&) { writer.Put(key, other); }));
  Print(store, shape, "overwrite zipf",
        each(work.zipf, [&](Bytes key, std::string&) { writer.Put(key, value); }));
  const auto state = index.OpenState();
  Print(store, shape, "under a state",
        each(work.uniform, [&](Bytes key, std::string&) { writer.Put(key, other); }));
  index.CloseState(state);
  Print(store, shape, "reclaim", Measure(index.memory().retired, 1, [&](std::size_t, std::size_t) {
          while (index.Reclaim(1000) > 0) {
          }
        }));
  Print(store, shape, "delete",
        each(work.rows, [&](Bytes key, std::string&) { writer.Delete(key); }));
}

void RunMap(const char* shape, const Workload& work) {
  std::map<std::string, std::string, std::less<>> map;
  const std::string value(kValueBytes, 'v');
  const auto each = [&](const Keys& keys, const auto& body) {
    return Measure(keys.size(), 1, [&](std::size_t begin, std::size_t end) {
      for (std::size_t i = begin; i < end; ++i) body(keys[i]);
    });
  };
  std::size_t found = 0;
  Print("std::map", shape, "insert", each(work.rows, [&](Bytes key) { map.emplace(key, value); }));
  Print("std::map", shape, "get", each(work.uniform, [&](Bytes key) { found += map.count(key); }));
  Print("std::map", shape, "scan", Measure(map.size(), 1, [&](std::size_t, std::size_t) {
          for (const auto& [key, bytes] : map) found += key.size() + bytes.size();
        }));
  if (found == 0) fmt::print("nothing found\n");
}

}  // namespace
}  // namespace mayfly::bench

int main(int argc, char** argv) {
  const std::size_t rows = argc > 1 ? std::strtoull(argv[1], nullptr, 10) : 1'000'000;
  const std::size_t threads = argc > 2 ? std::strtoull(argv[2], nullptr, 10) : 1;
  fmt::print("{} rows, {} threads, ns per operation: CPU / wall\n", rows, threads);
  for (const bool dense : {true, false}) {
    const char* shape = dense ? "dense" : "random";
    const auto work = mayfly::bench::Make(dense, rows);
    mayfly::bench::RunIndex(shape, work, threads, true);
    mayfly::bench::RunIndex(shape, work, threads, false);
    if (threads == 1 && rows <= 1'000'000) mayfly::bench::RunMap(shape, work);
  }
  return 0;
}

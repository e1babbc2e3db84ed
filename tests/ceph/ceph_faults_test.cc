// Goal: whatever dies, no acknowledged write is lost, none is torn, and a server that was replaced
// writes nothing.
// Method: two processes under load share a database on a Ceph of three monitors and three OSDs with
// files. An OSD is killed, then all of them, the leader of the monitors, and a server; an OSD is
// added; a server stands still past its lease, and one is cut off from Ceph. Then all numbers that
// were acknowledged are compared with the rows in the store. How long shards stood still is printed.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <condition_variable>
#include <map>
#include <mutex>
#include <set>
#include <thread>

#include "crash/child_process.h"
#include "engine/cluster/node/cluster_format.h"
#include "engine/cluster/objects/await.h"
#include "engine/cluster/shard/shard_layout.h"
#include "mayfly/clock.h"
#include "tests/ceph/ceph_lab.h"
#include "tests/ceph/far_host.h"
#include "tests/ceph/load_server.h"

namespace mayfly::engine::cluster::suite {
namespace {

constexpr std::chrono::seconds kWaitMax{120};

SteadyTime Now() { return SystemClock::Process().Passed(); }

// Everything that all servers have told.
class Story {
 public:
  void Add(int server, const LoadLine& line) {
    const SteadyTime at{std::chrono::nanoseconds(line.at_ns)};
    {
      const std::lock_guard lock(mutex_);
      Shard& shard = shards_.at(line.shard);
      switch (line.kind) {
        case LoadLine::Kind::kGained:
        case LoadLine::Kind::kLost: break;
        case LoadLine::Kind::kAcknowledged:
          if (!numbers_[{line.shard, line.key}].insert(line.number).second) ++twice_;
          if (shard.last != SteadyTime()) shard.stall = std::max(shard.stall, at - shard.last);
          shard.last = at;
          shard.server = server;
          ++acknowledged_;
      }
    }
    changed_.notify_all();
  }

  // Each shard has had a write acknowledged after `since`, by this server; 0: by any.
  bool AwaitAllServed(SteadyTime since, int server = 0) {
    return Await([&] {
      return std::all_of(shards_.begin(), shards_.end(), [&](const Shard& shard) {
        return shard.last > since && (server == 0 || shard.server == server);
      });
    });
  }

  // Each of the servers serves at least a quarter of the shards.
  bool AwaitShared(SteadyTime since) {
    return Await([&] {
      std::map<int, std::size_t> counts;
      for (const Shard& shard : shards_) counts[shard.server] += shard.last > since;
      return counts.size() >= 2 && std::all_of(counts.begin(), counts.end(), [](const auto& one) {
               return one.second >= kLoadShards / 4;
             });
    });
  }

  // The longest pause between two acknowledged writes of a shard, since the last call.
  Millis TakeStall() {
    const std::lock_guard lock(mutex_);
    std::chrono::nanoseconds longest{0};
    for (Shard& shard : shards_) longest = std::max(longest, std::exchange(shard.stall, {}));
    return std::chrono::duration_cast<Millis>(longest);
  }

  std::uint64_t acknowledged() const {
    const std::lock_guard lock(mutex_);
    return acknowledged_;
  }
  std::uint64_t twice() const {
    const std::lock_guard lock(mutex_);
    return twice_;
  }
  std::uint64_t LargestOf(std::uint32_t shard, std::uint32_t key) const {
    const std::lock_guard lock(mutex_);
    const auto place = numbers_.find({shard, key});
    return place == numbers_.end() ? 0 : *place->second.rbegin();
  }

 private:
  struct Shard {
    SteadyTime last;
    int server = 0;
    std::chrono::nanoseconds stall{0};
  };

  template <typename Holds>
  bool Await(Holds&& holds) {
    std::unique_lock lock(mutex_);
    return changed_.wait_for(lock, kWaitMax, holds);
  }

  mutable std::mutex mutex_;
  std::condition_variable changed_;
  std::array<Shard, kLoadShards> shards_;  // Guarded by mutex_, as all below.
  std::map<std::pair<std::uint32_t, std::uint32_t>, std::set<std::uint64_t>> numbers_;
  std::uint64_t acknowledged_ = 0;
  std::uint64_t twice_ = 0;
};

// A server's process, and the thread that reads its lines until it is dead.
class Server {
 public:
  Server(const CephLab& lab, const std::string& database, int id, const std::string& host,
         Story& story)
      : process_(LoadServerArguments(lab.options().conf_file, database, id, host)),
        reader_([this, id, &story] {
          while (const auto line = process_.Next<LoadLine>()) story.Add(id, *line);
        }) {}
  ~Server() {
    process_.Continue();
    process_.Kill();
    reader_.join();
  }

  crash::ChildProcess& process() { return process_; }

 private:
  crash::ChildProcess process_;
  std::thread reader_;
};

class CephFaults : public testing::Test {
 protected:
  std::unique_ptr<Server> StartServer(int id, const std::string& host = {}) {
    return std::make_unique<Server>(lab_, database_, id, host, story_);
  }

  void Report(const char* fault) {
    const Millis stall = story_.TakeStall();
    fmt::print("{}: longest pause of a shard {} ms, {} writes so far\n", fault, stall.count(),
               story_.acknowledged());
    RecordProperty(fault, std::to_string(stall.count()));
  }

  // The rows as they are in the store, beside what was acknowledged.
  void ExpectNothingLostOrTorn() {
    const auto store = lab_.Connect();
    std::uint64_t unknown = 0;
    for (std::uint32_t shard = 0; shard < kLoadShards; ++shard) {
      const std::string object = ShardObject(database_, static_cast<ShardId>(shard));
      for (std::uint32_t key = 0; key < kKeysPerShard; ++key) {
        const auto values = AwaitKeys(
            *store, object, {RowKey({}, LoadRow('a', key)), RowKey({}, LoadRow('b', key))});
        ASSERT_TRUE(values.has_value()) << values.status().ToString();
        EXPECT_EQ((*values)[0], (*values)[1]) << "torn: shard " << shard << " key " << key;
        const std::uint64_t stored =
            (*values)[0].empty()
                ? 0
                : std::stoull(std::string(DecodeRowValue((*values)[0]).value().bytes));
        EXPECT_GE(stored, story_.LargestOf(shard, key)) << "lost: shard " << shard;
        unknown += stored - std::min(stored, story_.LargestOf(shard, key));
      }
    }
    EXPECT_EQ(story_.twice(), 0u) << "numbers that were acknowledged twice: lost updates";
    fmt::print("{} writes acknowledged; {} more happened without\n", story_.acknowledged(),
               unknown);
  }

  static LabOptions OptionsOf(const FarHost* far) {
    LabOptions options{.monitors = 3};
    if (far != nullptr) options.address = far->machine_address();
    return options;
  }

  const std::unique_ptr<FarHost> far_ = FarHost::Make();
  const CephLab lab_{OptionsOf(far_.get())};
  const std::string database_ = "load";
  Story story_;
};

TEST_F(CephFaults, LoseAndTearNothing) {
  auto first = StartServer(1);
  ASSERT_TRUE(story_.AwaitAllServed(SteadyTime()));
  auto second = StartServer(2, far_ != nullptr ? far_->name() : "");
  ASSERT_TRUE(story_.AwaitShared(Now()));
  Report("a second server comes");

  ASSERT_TRUE(lab_.Do("kill-osd", "0"));
  ASSERT_TRUE(story_.AwaitAllServed(Now()));
  Report("kill -9 of an OSD");
  ASSERT_TRUE(lab_.Do("start-osd", "0"));
  ASSERT_TRUE(lab_.Do("wait"));
  ASSERT_TRUE(story_.AwaitAllServed(Now()));
  Report("the OSD comes back");

  for (const char* const osd : {"0", "1", "2"}) ASSERT_TRUE(lab_.Do("kill-osd", osd));
  for (const char* const osd : {"0", "1", "2"}) ASSERT_TRUE(lab_.Do("start-osd", osd));
  ASSERT_TRUE(story_.AwaitAllServed(Now()));
  Report("kill -9 of all OSDs");

  ASSERT_TRUE(lab_.Do("kill-leader"));
  ASSERT_TRUE(story_.AwaitAllServed(Now()));
  Report("kill -9 of the leader of the monitors");
  ASSERT_TRUE(lab_.Do("start-mons"));

  ASSERT_TRUE(lab_.Do("add-osd"));
  ASSERT_TRUE(lab_.Do("wait"));
  ASSERT_TRUE(story_.AwaitAllServed(Now()));
  Report("an OSD is added");

  first->process().Kill();
  ASSERT_TRUE(story_.AwaitAllServed(Now(), 2));
  Report("kill -9 of a server");
  first.reset();
  first = StartServer(1);
  ASSERT_TRUE(story_.AwaitShared(Now()));
  Report("the server comes back");

  first->process().Stop();
  ASSERT_TRUE(story_.AwaitAllServed(Now(), 2));
  Report("SIGSTOP of a server past its lease");
  first->process().Continue();
  const SteadyTime continued = Now();
  ASSERT_TRUE(story_.AwaitShared(continued));  // It joins again.
  Report("SIGCONT");

  if (far_ == nullptr) {
    fmt::print("No server was cut off from Ceph: that takes root and iproute2.\n");
  } else {
    ASSERT_TRUE(far_->Cut());
    ASSERT_TRUE(story_.AwaitAllServed(Now(), 1));
    Report("a server is cut off from Ceph");
    ASSERT_TRUE(far_->Mend());
    ASSERT_TRUE(story_.AwaitShared(Now()));
    Report("it is connected again");
  }

  first.reset();
  second.reset();
  ExpectNothingLostOrTorn();
}

}  // namespace
}  // namespace mayfly::engine::cluster::suite

int main(int argc, char** argv) {
  mayfly::engine::cluster::suite::RunLoadServer(argc, argv);
  testing::InitGoogleTest(&argc, argv);
  return RUN_ALL_TESTS();
}

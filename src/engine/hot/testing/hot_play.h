// hot_play.h - a random play on a memory-first engine whose storage breaks, and the check of what is
// left: one of the states that its commits made, none earlier than was promised.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "base/random.h"
#include "engine/engine.h"
#include "engine/hot/hot_engine.h"
#include "engine/hot/testing/cold_disk.h"

namespace mayfly::engine::hot {

class HotPlay {
 public:
  using Rows = std::map<std::pair<Role, std::string>, std::string>;

  HotPlay(HotOptions options, std::uint64_t seed)
      : options_(std::move(options)), random_(seed), states_(1) {}
  ~HotPlay();

  // Opens the engine, and checks what it shows. Returns the error of the open.
  Status Open();

  // Makes up to `steps` random calls, and ends at the first error if `until_error`.
  void Run(int steps, bool until_error);

  // Folds everything, which no fault must prevent any more.
  Status Flush();

  // The process dies. With `power_cut`, unsynced changes are lost.
  void Die(bool power_cut);

  // Compares what the engine shows with the state that the commits so far have made.
  void CheckNow();

  FaultyLogDisk& disk() { return disk_; }
  ColdDisk& cold() { return cold_; }
  std::uint64_t changes() const { return disk_.changes(); }

 private:
  bool Step();  // False when the engine refused.
  bool Commit();
  void Accept(const Rows& shown);
  std::string Key() {
    return std::string(1 + random_.Below(2), static_cast<char>('a' + random_.Below(6)));
  }
  Rows Shown(Engine& engine);

  const HotOptions options_;
  Random random_;
  FaultyLogDisk disk_;
  ColdDisk cold_{disk_};
  std::unique_ptr<Engine> engine_;
  std::unique_ptr<Engine> dead_;  // Until the next open: it must not write any more.

  std::vector<Rows> states_;  // After each commit; the first is empty.
  std::size_t durable_ = 0;   // A state that a power cut leaves, or a later one.
  // What commits of unknown outcome would have made, each after the state with this number.
  std::vector<std::pair<std::size_t, Rows>> ghosts_;
  bool lost_power_ = false;
};

}  // namespace mayfly::engine::hot

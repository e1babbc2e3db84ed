#include "engine/hot/testing/hot_play.h"

#include <gtest/gtest.h>

#include <algorithm>

namespace mayfly::engine::hot {

HotPlay::~HotPlay() {
  disk_.Restart();
  cold_.Restart();
  engine_.reset();
  dead_.reset();
}

Status HotPlay::Open() {
  dead_.reset();
  auto engine = OpenHotEngineOn(
      {.name = "hot", .cold = cold_.Open(), .files = FilesOf(disk_, cold_), .key = nullptr},
      options_);
  if (!engine.has_value()) return engine.error();
  engine_ = *std::move(engine);
  Accept(Shown(*engine_));
  durable_ = std::min(durable_, states_.size() - 1);
  ghosts_.clear();
  lost_power_ = false;
  return {};
}

// What is shown is a state that was made, or may have been.
void HotPlay::Accept(const Rows& shown) {
  const std::size_t least = lost_power_ ? durable_ : states_.size() - 1;
  // The newest that fits: equal states cannot be told apart.
  for (std::size_t i = states_.size(); i > least; --i) {
    if (!(states_[i - 1] == shown)) continue;
    states_.resize(i);
    return;
  }
  for (const auto& [after, rows] : ghosts_) {
    if (after < least || !(rows == shown)) continue;
    states_.resize(after + 1);
    states_.push_back(rows);
    return;
  }
  ADD_FAILURE() << "a state before " << least << " of " << states_.size() - 1 << ", or none";
}

HotPlay::Rows HotPlay::Shown(Engine& engine) {
  Rows rows;
  for (std::size_t role = 0; role < kRoleCount; ++role) {
    auto cursor = engine.NewCursor({.role = static_cast<Role>(role)});
    EXPECT_TRUE(cursor.has_value());
    if (!cursor.has_value()) continue;
    for ((*cursor)->SeekToFirst(); (*cursor)->Valid(); (*cursor)->Next()) {
      rows[{static_cast<Role>(role), std::string((*cursor)->key())}] = (*cursor)->value();
    }
    EXPECT_TRUE((*cursor)->status().ok()) << (*cursor)->status().ToString();
  }
  return rows;
}

void HotPlay::CheckNow() { EXPECT_TRUE(Shown(*engine_) == states_.back()); }

void HotPlay::Run(int steps, bool until_error) {
  for (int i = 0; i < steps; ++i) {
    if (!Step() && until_error) return;
  }
}

void HotPlay::Die(bool power_cut) {
  if (power_cut) {
    disk_.PowerCut(random_);
    cold_.PowerCut(random_);
    lost_power_ = true;
  } else {
    disk_.Restart();
    cold_.Restart();
  }
  if (engine_ != nullptr) dead_ = std::move(engine_);
}

Status HotPlay::Flush() {
  const std::size_t state = states_.size() - 1;
  Status flushed = engine_->Flush();
  if (flushed.ok()) durable_ = state;
  return flushed;
}

bool HotPlay::Step() {
  switch (random_.Below(12)) {
    case 0: return Flush().ok();
    case 1: {
      const std::size_t state = states_.size() - 1;
      const Status synced = engine_->Sync(Durability::kDisk);
      if (synced.ok()) durable_ = state;
      return synced.ok();
    }
    default: return Commit();
  }
}

bool HotPlay::Commit() {
  Batch batch;
  Rows next = states_.back();
  for (std::uint64_t i = 0; i < 1 + random_.Below(4); ++i) {
    const Role role = random_.Below(2) == 0 ? Role::kRows : Role::kMeta;
    const std::string key = Key();
    switch (random_.Below(8)) {
      case 0: {
        const std::string end = key + "m";
        batch.DeleteRange({.role = role}, key, end);
        next.erase(next.lower_bound({role, key}), next.lower_bound({role, end}));
        break;
      }
      case 1:
      case 2:
        batch.Delete({.role = role}, key);
        next.erase({role, key});
        break;
      default: {
        const std::string value =
            std::to_string(states_.size()) + std::string(random_.Below(10) == 0 ? 6000 : 100, 'v');
        batch.Put({.role = role}, key, value);
        next[{role, key}] = value;
      }
    }
  }
  const bool to_disk = random_.Below(4) == 0;
  const Status committed =
      engine_->Commit(batch, to_disk ? Durability::kDisk : Durability::kProcess);
  if (!committed.ok() && committed.message().find("visible") == Bytes::npos) {
    // Not applied; but the record may be in the log.
    if (committed.message().find("unknown") != Bytes::npos) {
      ghosts_.emplace_back(states_.size() - 1, std::move(next));
    }
    return false;
  }
  states_.push_back(std::move(next));
  if (committed.ok() && to_disk) durable_ = states_.size() - 1;
  return committed.ok();
}

}  // namespace mayfly::engine::hot

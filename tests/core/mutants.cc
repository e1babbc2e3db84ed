#include "tests/core/mutants.h"

#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <utility>

#include "base/coding.h"
#include "core/layout/keys.h"
#include "core/layout/row_codec.h"
#include "core/layout/version_codec.h"

namespace mayfly::core::suite {
namespace {

using engine::Batch;
using engine::Engine;
using engine::Role;
using engine::suite::ForwardingEngine;

// Adds a mutated change to a batch, or nothing.
using Change = std::function<void(const Batch::Change& change, Batch& batch)>;

void Copy(const Batch::Change& change, Batch& batch) {
  switch (change.kind) {
    case Batch::Kind::kPut: batch.Put(change.at, change.key, change.value); break;
    case Batch::Kind::kDelete: batch.Delete(change.at, change.key); break;
    case Batch::Kind::kDeleteRange: batch.DeleteRange(change.at, change.key, change.value); break;
  }
}

class ChangesBatches final : public ForwardingEngine {
 public:
  ChangesBatches(std::unique_ptr<Engine> inner, Change change)
      : ForwardingEngine(std::move(inner)), change_(std::move(change)) {}

 private:
  Status DoCommit(const Batch& batch, Durability durability) override {
    Batch changed;
    for (std::size_t i = 0; i < batch.change_count(); ++i) change_(batch.change(i), changed);
    return inner().Commit(changed, durability);
  }

  const Change change_;
};

Mutant OnBrokenBatches(const std::string& name, Change change) {
  const auto wrap = [change = std::move(change)](std::unique_ptr<Engine> inner) {
    return std::make_unique<ChangesBatches>(std::move(inner), change);
  };
  return {name, {.kind = WrappedKind(name, engine::suite::MemoryKind(), wrap)}};
}

// Leaves out changes of one kind in one role.
Mutant Loses(const std::string& name, Batch::Kind kind, Role role, char meta_kind = 0) {
  return OnBrokenBatches(name, [=](const Batch::Change& change, Batch& batch) {
    const bool lost = change.kind == kind && change.at.role == role &&
                      (meta_kind == 0 || change.key.front() == meta_kind);
    if (!lost) Copy(change, batch);
  });
}

// The row lives a millisecond longer than its entry says: `<` where `<=` belongs.
void LivesLonger(const Batch::Change& change, Batch& batch) {
  if (change.kind == Batch::Kind::kPut && change.at.role == Role::kRows) {
    const auto row = DecodeRow(change.value);
    if (row && row->deadline) {
      std::string longer;
      AppendRow(longer, {.deadline = *row->deadline + Millis(1),
                         .payload = row->payload,
                         .timestamp = row->timestamp});
      return batch.Put(change.at, change.key, longer);
    }
  }
  Copy(change, batch);
}

// A purge that trusts what it read before it took the latches: between its scan of the index and
// its commit every row is read as it was at the scan.
class TrustsItsFirstLook final : public RacingEngine {
 public:
  using RacingEngine::RacingEngine;
  // The snapshot must be released before its engine.
  ~TrustsItsFirstLook() override { look_.reset(); }

 private:
  void BeforeRace() const override {
    auto look = inner().NewSnapshot();
    if (look) look_ = *std::move(look);
  }
  void AfterRace() const override { trusts_ = true; }

  Status DoGet(engine::Address at, Bytes key, PinnedBytes& value,
               const engine::Snapshot* snapshot) const override {
    if (!trusts_ || at.role != Role::kRows || snapshot != nullptr) {
      return RacingEngine::DoGet(at, key, value, snapshot);
    }
    // It sees whether the row exists and is mortal, but not that it got another deadline.
    MAYFLY_RETURN_IF_ERROR(inner().Get(at, key, value));
    const auto row = DecodeRow(value.view());
    if (!row || !row->deadline) return {};
    return inner().Get(at, key, value, look_.get());
  }
  void DoMultiGet(std::span<engine::Lookup*> lookups,
                  const engine::Snapshot* snapshot) const override {
    if (!trusts_ || snapshot != nullptr) return RacingEngine::DoMultiGet(lookups, snapshot);
    for (engine::Lookup* lookup : lookups) {
      lookup->status = DoGet(lookup->at, lookup->key, lookup->value, nullptr);
    }
  }
  Status DoCommit(const Batch& batch, Durability durability) override {
    if (trusts_) look_.reset();
    trusts_ = false;
    return RacingEngine::DoCommit(batch, durability);
  }

  mutable std::unique_ptr<engine::Snapshot> look_;  // Of the inner engine.
  mutable bool trusts_ = false;
};

Mutant PurgesWithoutASecondLook() {
  return {"PurgesWithoutASecondLook",
          {.kind = engine::suite::MemoryKind(),
           .wrap = [](std::unique_ptr<Engine> inner, std::shared_ptr<Race> race) {
             return std::make_unique<TrustsItsFirstLook>(std::move(inner), std::move(race));
           }}};
}

// A drop policy that judges by another rule than the horizon's.
class JudgesBy final : public engine::DropPolicy {
 public:
  // The keyspace as in the index: with kMembersBit for versions.
  using IsDead = std::function<bool(const Horizon& horizon, KeyspaceId keyspace,
                                    std::optional<WallTime> deadline)>;

  JudgesBy(std::shared_ptr<DropHorizon> horizon, IsDead is_dead)
      : horizon_(std::move(horizon)), is_dead_(std::move(is_dead)) {}

  std::unique_ptr<Judge> NewJudge(Role role) const override {
    if (role == Role::kEvents || role == Role::kMeta) return nullptr;
    return std::make_unique<One>(*this, role, horizon_->horizon());
  }
  std::optional<WallTime> DeadlineOf(Role role, Bytes key, Bytes value) const override {
    return horizon_->DeadlineOf(role, key, value);
  }

 private:
  class One final : public Judge {
   public:
    One(const JudgesBy& policy, Role role, std::shared_ptr<const Horizon> horizon)
        : policy_(policy), role_(role), horizon_(std::move(horizon)) {}

    bool IsDead(Bytes key, Bytes value) override {
      const KeyspaceId keyspace = KeyspaceOf(key).value_or(0);
      return policy_.is_dead_(*horizon_, role_ == Role::kMembers ? MembersOf(keyspace) : keyspace,
                              policy_.DeadlineOf(role_, key, value));
    }

   private:
    const JudgesBy& policy_;
    const Role role_;
    const std::shared_ptr<const Horizon> horizon_;  // Shared with the policy.
  };

  const std::shared_ptr<DropHorizon> horizon_;  // Shared with core, which moves it.
  const IsDead is_dead_;
};

Mutant Drops(const std::string& name, const JudgesBy::IsDead& is_dead) {
  Mutant mutant{name, {.kind = engine::suite::MemoryKind()}};
  mutant.subject.policy = [is_dead](std::shared_ptr<DropHorizon> horizon) {
    return std::make_shared<JudgesBy>(std::move(horizon), is_dead);
  };
  return mutant;
}

// Also drops what dies a moment after the horizon and is not purged.
JudgesBy::IsDead TooEarly(Millis by, KeyspaceId bits) {
  return [=](const Horizon& horizon, KeyspaceId keyspace, std::optional<WallTime> deadline) {
    const auto dead_by = horizon.dead_by.find(keyspace);
    return (keyspace & bits) == bits && deadline && dead_by != horizon.dead_by.end() &&
           *deadline <= dead_by->second + by;
  };
}

// The past of that very key is rarely read within the few milliseconds.
Mutant DropsAVersionTooEarly() {
  Mutant mutant = Drops("DropsAVersionTooEarly", TooEarly(Millis(20), kMembersBit));
  mutant.operations = 100'000;
  return mutant;
}

// Every other keyspace is taken for one that was dropped.
bool OfALivingKeyspace(const Horizon& horizon, KeyspaceId keyspace, std::optional<WallTime>) {
  return (keyspace & ~kMembersBit) < horizon.next_id && keyspace % 2 == 0;
}

// The watermarks that purges have stored.
struct Watermarks {
  std::mutex mutex;
  std::map<KeyspaceId, WallTime> reached;  // Guarded by mutex.
};

class NotesWatermarks final : public RacingEngine {
 public:
  NotesWatermarks(std::unique_ptr<Engine> inner, std::shared_ptr<Race> race,
                  std::shared_ptr<Watermarks> watermarks)
      : RacingEngine(std::move(inner), std::move(race)), watermarks_(std::move(watermarks)) {}

 private:
  Status DoCommit(const Batch& batch, Durability durability) override {
    for (std::size_t i = 0; i < batch.change_count(); ++i) {
      const Batch::Change change = batch.change(i);
      if (change.kind != Batch::Kind::kPut || change.at.role != Role::kMeta) continue;
      const char kind = change.key.front();
      if (kind != kMetaWatermark && kind != kMetaMembersWatermark) continue;
      Bytes value = change.value;
      std::uint64_t ms = 0;
      const KeyspaceId keyspace = KeyspaceOf(change.key.substr(1)).value_or(0);
      if (!EatLittleEndian64(value, ms)) continue;
      const std::lock_guard lock(watermarks_->mutex);
      watermarks_->reached[kind == kMetaWatermark ? keyspace : MembersOf(keyspace)] =
          WallTimeFromMs(static_cast<std::int64_t>(ms));
    }
    return RacingEngine::DoCommit(batch, durability);
  }

  const std::shared_ptr<Watermarks> watermarks_;  // Shared with the policy.
};

// Lets compaction drop purged rows at once, though open states show them. On an engine whose
// compactions ignore snapshots.
Mutant IgnoresOpenStates() {
  const auto watermarks = std::make_shared<Watermarks>();
  Mutant mutant{"IgnoresOpenStates",
                {.kind = engine::suite::RocksKind(),
                 .persistent = true,
                 .wrap = [watermarks](std::unique_ptr<Engine> inner, std::shared_ptr<Race> race) {
                   return std::make_unique<NotesWatermarks>(std::move(inner), std::move(race),
                                                            watermarks);
                 }}};
  mutant.subject.policy = [watermarks](std::shared_ptr<DropHorizon> horizon) {
    {
      const std::lock_guard lock(watermarks->mutex);
      watermarks->reached.clear();
    }
    const auto purged = [watermarks](const Horizon& published, KeyspaceId keyspace,
                                     std::optional<WallTime> deadline) {
      if (published.IsDropped(keyspace & ~kMembersBit)) return true;
      const std::lock_guard lock(watermarks->mutex);
      const auto reached = watermarks->reached.find(keyspace);
      return deadline && reached != watermarks->reached.end() && *deadline < reached->second;
    };
    return std::make_shared<JudgesBy>(std::move(horizon), purged);
  };
  mutant.subject.shrink_operations_max = 0;  // It would take a minute.
  mutant.lines_max = 70;
  return mutant;
}

// A purge that leaves no marker: the newest timestamp of a key is forgotten with its row.
void LosesMarkers(const Batch::Change& change, Batch& batch) {
  const bool marker = change.kind == Batch::Kind::kPut && change.at.role == Role::kMembers &&
                      change.key.ends_with(std::string_view("\0\1\1", 3));
  if (!marker) Copy(change, batch);
}

// Removes dead and deleted versions completely, so that an older one shows.
void LosesBareVersions(const Batch::Change& change, Batch& batch) {
  if (change.kind == Batch::Kind::kPut && change.at.role == Role::kMembers) {
    const auto version = DecodeVersion(change.value);
    if (version && version->deleted) return batch.Delete(change.at, change.key);
  }
  Copy(change, batch);
}

}  // namespace

std::vector<Mutant> AllMutants() {
  return {
      PurgesWithoutASecondLook(),
      Loses("LeavesStaleEntries", Batch::Kind::kDelete, Role::kExpiry),
      Loses("ForgetsEntries", Batch::Kind::kPut, Role::kExpiry),
      Loses("ForgetsEvents", Batch::Kind::kPut, Role::kEvents),
      Loses("ForgetsCounts", Batch::Kind::kPut, Role::kMeta, kMetaCounters),
      Loses("ClearsRowsAlone", Batch::Kind::kDeleteRange, Role::kExpiry),
      OnBrokenBatches("LivesAMillisecondLonger", LivesLonger),
      OnBrokenBatches("PurgesWithoutAMarker", LosesMarkers),
      OnBrokenBatches("ShowsAnOlderVersionForADeadOne", LosesBareVersions),
      Drops("DropsAMillisecondTooEarly", TooEarly(Millis(1), 0)),
      DropsAVersionTooEarly(),
      Drops("DropsALivingKeyspace", OfALivingKeyspace),
      IgnoresOpenStates(),
  };
}

}  // namespace mayfly::core::suite

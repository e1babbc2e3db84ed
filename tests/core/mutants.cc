#include "tests/core/mutants.h"

#include <functional>
#include <memory>
#include <optional>
#include <span>
#include <utility>

#include "core/keys.h"
#include "core/row_codec.h"

namespace mayfly::core::suite {
namespace {

using engine::Batch;
using engine::Engine;
using engine::Role;
using engine::suite::ForwardingEngine;

// Adds to a batch what becomes of a change, or nothing.
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
      AppendRow(longer, *row->deadline + Millis(1), row->payload);
      return batch.Put(change.at, change.key, longer);
    }
  }
  Copy(change, batch);
}

// A purge that trusts what it saw before it took the latches: between its look at the index and its
// commit every row is read as it was at that look.
class TrustsItsFirstLook final : public RacingEngine {
 public:
  using RacingEngine::RacingEngine;
  // The state goes before the engine that made it.
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
    // It does see whether the row is there and may die, just not that it got another deadline.
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
  return {
      "PurgesWithoutASecondLook",
      {.kind = engine::suite::MemoryKind(),
        .wrap = [](std::unique_ptr<Engine> inner, std::shared_ptr<Race> race) {
         return std::make_unique<TrustsItsFirstLook>(std::move(inner), std::move(race));
       }}
  };
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
  };
}

}  // namespace mayfly::core::suite

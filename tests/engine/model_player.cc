#include "tests/engine/model_player.h"

#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <memory>
#include <utility>
#include <vector>

#include "base/check.h"
#include "base/printable.h"
#include "base/random.h"
#include "tests/engine/deadline_policy.h"
#include "tests/engine/model.h"
#include "tests/engine/model_cursor.h"
#include "tests/engine/model_inputs.h"

namespace mayfly::engine::suite {
namespace {

constexpr std::size_t kOperationsShownMax = 25;
constexpr std::size_t kSnapshotsMax = 6;
constexpr std::size_t kWalkMovesMax = 20;

// A dead pair may be dropped at any time. Like core, the comparison never sees one.
bool IsHidden(Role role, Bytes value) {
  const auto deadline = role == kDyingRole ? DeadlineIn(value) : std::nullopt;
  return deadline && *deadline <= WallTimeFromMs(kDyingNowMs);
}

Pairs WithoutHidden(Role role, Pairs pairs) {
  std::erase_if(pairs, [role](const auto& pair) { return IsHidden(role, pair.second); });
  return pairs;
}

std::string Shown(const Status& status, Bytes value) {
  return status.ok() ? fmt::format("'{}' ({} bytes)", Printable(value), value.size())
                     : std::string(StatusCodeName(status.code()));
}

std::string Shown(const Cursor& cursor) {
  if (!cursor.Valid()) return cursor.status().ok() ? "(end)" : cursor.status().ToString();
  return fmt::format("'{}' -> {}", Printable(cursor.key()), Shown(Status(), cursor.value()));
}

class ModelPlayer {
 public:
  ModelPlayer(const EngineKind& kind, Play play)
      : kind_(kind), play_(play), random_(play.seed), home_(kind.new_home()) {
    policy_->SetNow(WallTimeFromMs(kDyingNowMs));
    engine_ = home_->Open(policy_);
  }

  std::optional<std::string> Run();

 private:
  struct Kept {
    std::unique_ptr<Snapshot> snapshot;
    Model model;
  };
  // The state to read: a kept one, or the present one.
  struct State {
    const Snapshot* snapshot;
    const Model* model;
  };
  struct Operation {
    unsigned weight;
    void (ModelPlayer::*play)();
  };
  static const std::vector<Operation>& Operations();

  void CommitOneChange();
  void CommitManyChanges();
  void CommitUnderConditions();
  void Get();
  void MultiGet();
  void Walk();
  void OpenSnapshot();
  void CheckSnapshot();
  void ReleaseSnapshot();
  void Compact();
  void Persist();
  void Reopen();
  void CheckEverything();

  void Commit(const Batch& batch);
  void Move(Cursor& cursor, Cursor& model_cursor);
  void Compare(const Model& model, const Snapshot* snapshot);
  void CompareValue(Address at, Bytes key, const Status& status, Bytes value, const Model& model);
  Pairs Scan(Role role, const CursorOptions& options, bool backwards);
  State AnyState();

  void Record(std::string operation);
  void Differ(std::string what);  // The first one counts.
  void ExpectOk(const Status& status);

  const EngineKind& kind_;
  const Play play_;
  Random random_;
  ModelInputs inputs_{random_};
  const std::shared_ptr<DeadlinePolicy> policy_ =
      std::make_shared<DeadlinePolicy>(std::vector{kDyingRole});
  const std::unique_ptr<EngineHome> home_;
  std::unique_ptr<Engine> engine_;
  Model model_;
  std::vector<Kept> kept_;
  std::deque<std::string> operations_;
  std::string difference_;
};

const std::vector<ModelPlayer::Operation>& ModelPlayer::Operations() {
  // clang-format off
  static const std::vector<Operation> operations = {
      {200, &ModelPlayer::CommitOneChange},
      {60,  &ModelPlayer::CommitManyChanges},
      {90,  &ModelPlayer::CommitUnderConditions},
      {200, &ModelPlayer::Get},
      {80,  &ModelPlayer::MultiGet},
      {150, &ModelPlayer::Walk},
      {10,  &ModelPlayer::OpenSnapshot},
      {20,  &ModelPlayer::CheckSnapshot},
      {8,   &ModelPlayer::ReleaseSnapshot},
      {3,   &ModelPlayer::Compact},
      {5,   &ModelPlayer::Persist},
      {1,   &ModelPlayer::Reopen},
      {4,   &ModelPlayer::CheckEverything},
  };
  // clang-format on
  return operations;
}

std::optional<std::string> ModelPlayer::Run() {
  unsigned weights = 0;
  for (const Operation& operation : Operations()) weights += operation.weight;
  std::size_t played = 0;
  for (; played < play_.operations && difference_.empty(); ++played) {
    std::uint64_t draw = random_.Below(weights);
    auto operation = Operations().begin();
    for (; draw >= operation->weight; ++operation) draw -= operation->weight;
    (this->*operation->play)();
  }
  if (difference_.empty()) CheckEverything();
  if (difference_.empty()) return std::nullopt;

  std::string story =
      fmt::format("{} differs from the model: {}\nThe last operations:\n", kind_.name, difference_);
  for (const std::string& operation : operations_) story += "  " + operation + "\n";
  return story +
         fmt::format("Play it again: MAYFLY_SEED={} MAYFLY_OPERATIONS={}", play_.seed, played);
}

void ModelPlayer::CommitOneChange() {
  Batch batch;
  inputs_.AddChange(batch);
  Commit(batch);
}

void ModelPlayer::CommitManyChanges() {
  Batch batch;
  for (std::uint64_t i = random_.Between(2, 12); i > 0; --i) inputs_.AddChange(batch);
  Commit(batch);
}

void ModelPlayer::CommitUnderConditions() {
  Batch batch;
  for (std::uint64_t i = random_.Between(1, 4); i > 0; --i) {
    inputs_.AddCondition(batch, model_);
    inputs_.AddChange(batch);
  }
  Commit(batch);
}

void ModelPlayer::Commit(const Batch& batch) {
  const Durability durability = inputs_.AnyDurability();
  const bool allowed = model_.Allows(batch);
  Record(fmt::format("commit {}: {}", static_cast<int>(durability), Describe(batch)));
  const Status status = engine_->Commit(batch, durability);
  const StatusCode expected = allowed ? StatusCode::kOk : StatusCode::kConflict;
  if (status.code() != expected) {
    Differ(fmt::format("commit gave {}, not {}", status.ToString(), StatusCodeName(expected)));
  }
  if (allowed) model_.Apply(batch);
}

void ModelPlayer::Get() {
  const State state = AnyState();
  const Address at = inputs_.AnyRole();
  const std::string key = inputs_.Key();
  Record(fmt::format("get {} '{}'", RoleName(at.role), Printable(key)));
  PinnedBytes value;
  const Status status = engine_->Get(at, key, value, state.snapshot);
  CompareValue(at, key, status, value.view(), *state.model);
}

void ModelPlayer::MultiGet() {
  const State state = AnyState();
  Keys keys(random_.Between(1, 20));
  for (std::string& key : keys) key = inputs_.Key();
  std::vector<Lookup> lookups(keys.size());
  for (std::size_t i = 0; i < keys.size(); ++i) {
    lookups[i].at = inputs_.AnyRole();
    lookups[i].key = keys[i];
  }
  Record(fmt::format("multi-get of {} keys", keys.size()));
  ExpectOk(engine_->MultiGet(lookups, state.snapshot));
  for (const Lookup& lookup : lookups) {
    CompareValue(lookup.at, lookup.key, lookup.status, lookup.value.view(), *state.model);
  }
}

void ModelPlayer::CompareValue(Address at, Bytes key, const Status& status, Bytes value,
                               const Model& model) {
  const std::string* expected = model.Find(at, key);
  if (expected != nullptr && IsHidden(at.role, *expected)) expected = nullptr;
  const bool found = status.ok() && !IsHidden(at.role, value);
  const bool answered = status.ok() || status.IsNotFound();
  if (answered && found == (expected != nullptr) && (!found || value == *expected)) return;
  Differ(fmt::format("{} '{}' is {}, not {}", RoleName(at.role), Printable(key),
                     Shown(status, value),
                     expected != nullptr ? Shown(Status(), *expected) : "NotFound"));
}

// The dying role is only scanned whole: a step over a hidden pair is no step in the model.
void ModelPlayer::Walk() {
  const State state = AnyState();
  const Address at = inputs_.LastingRole();
  const OwnedRange range = inputs_.Range();
  Record(fmt::format("walk {} from '{}' to '{}'{}", RoleName(at.role), Printable(range.begin),
                     Printable(range.end), state.snapshot ? " on a snapshot" : ""));
  ModelCursor model_cursor(state.model->Within(at.role, range.view()));
  auto made = engine_->NewCursor(at, {.range = range.view(), .snapshot = state.snapshot});
  if (!made) return Differ("no cursor: " + made.status().ToString());
  const std::unique_ptr<Cursor> cursor = *std::move(made);
  for (std::uint64_t i = random_.Between(1, kWalkMovesMax); i > 0 && difference_.empty(); --i) {
    if (random_.OneIn(10)) CommitOneChange();  // Must not change the cursor.
    Move(*cursor, model_cursor);
    if (Shown(*cursor) != Shown(model_cursor)) {
      Differ(fmt::format("the cursor is on {}, not on {}", Shown(*cursor), Shown(model_cursor)));
    } else if (cursor->Valid() && cursor->value() != model_cursor.value()) {
      Differ(fmt::format("the cursor shows other bytes under {}", Shown(*cursor)));
    }
  }
}

void ModelPlayer::Move(Cursor& cursor, Cursor& model_cursor) {
  const bool step = cursor.Valid() && model_cursor.Valid() && !random_.OneIn(4);
  const std::uint64_t draw = step ? random_.Below(2) : random_.Between(2, 5);
  const std::string target = inputs_.Key();
  static constexpr const char* kNames[] = {
      "next", "prev", "seek first", "seek last", "seek at or after", "seek at or before"};
  Record(fmt::format("  {} {}", kNames[draw], draw >= 4 ? "'" + Printable(target) + "'" : ""));
  for (Cursor* moved : {&cursor, &model_cursor}) {
    switch (draw) {
      case 0: moved->Next(); break;
      case 1: moved->Prev(); break;
      case 2: moved->SeekToFirst(); break;
      case 3: moved->SeekToLast(); break;
      case 4: moved->SeekAtOrAfter(target); break;
      default: moved->SeekAtOrBefore(target); break;
    }
  }
}

void ModelPlayer::OpenSnapshot() {
  if (kept_.size() == kSnapshotsMax) return;
  Record("open a snapshot");
  auto snapshot = engine_->NewSnapshot();
  if (!snapshot) return Differ("no snapshot: " + snapshot.status().ToString());
  kept_.push_back({.snapshot = *std::move(snapshot), .model = model_});
  const auto stats = engine_->Stats();
  if (!stats || stats->open_snapshots != kept_.size()) Differ("stats count other snapshots");
}

void ModelPlayer::CheckSnapshot() {
  if (kept_.empty()) return;
  const Kept& kept = kept_[random_.Below(kept_.size())];
  Record("check a snapshot");
  Compare(kept.model, kept.snapshot.get());
}

void ModelPlayer::ReleaseSnapshot() {
  if (kept_.empty()) return;
  const auto released = kept_.begin() + static_cast<std::ptrdiff_t>(random_.Below(kept_.size()));
  Record("check and release a snapshot");
  Compare(released->model, released->snapshot.get());
  kept_.erase(released);
}

void ModelPlayer::Compact() {
  const Role role = inputs_.AnyRole().role;
  const OwnedRange range = random_.OneIn(2) ? OwnedRange() : inputs_.Range();
  Record(fmt::format("compact {} from '{}' to '{}'", RoleName(role), Printable(range.begin),
                     Printable(range.end)));
  ExpectOk(engine_->Compact(role, range.view()));
}

void ModelPlayer::Persist() {
  const Durability durability = inputs_.AnyDurability();
  Record(fmt::format("persist {}", static_cast<int>(durability)));
  ExpectOk(engine_->Sync(durability));
}

void ModelPlayer::Reopen() {
  for (const Kept& kept : kept_) Compare(kept.model, kept.snapshot.get());
  kept_.clear();
  Record("reopen");
  ExpectOk(engine_->Close());
  const bool persistent = engine_->capabilities().persistent;
  engine_.reset();
  engine_ = home_->Open(policy_);
  if (!persistent) model_.Clear();
  Compare(model_, nullptr);
}

void ModelPlayer::CheckEverything() {
  Record("check everything");
  Compare(model_, nullptr);
}

void ModelPlayer::Compare(const Model& model, const Snapshot* snapshot) {
  for (const Address at : kAllRoles) {
    Pairs expected = WithoutHidden(at.role, model.Within(at.role, {}));
    for (const bool backwards : {false, true}) {
      if (Scan(at.role, {.snapshot = snapshot}, backwards) != expected) {
        return Differ(fmt::format("a scan {} of {} shows other pairs",
                                  backwards ? "backwards" : "forwards", RoleName(at.role)));
      }
      std::reverse(expected.begin(), expected.end());
    }
  }
}

Pairs ModelPlayer::Scan(Role role, const CursorOptions& options, bool backwards) {
  auto made = engine_->NewCursor({.role = role}, options);
  if (!made) {
    Differ("no cursor: " + made.status().ToString());
    return {};
  }
  Cursor& cursor = **made;
  Pairs pairs;
  for (backwards ? cursor.SeekToLast() : cursor.SeekToFirst(); cursor.Valid();
       backwards ? cursor.Prev() : cursor.Next()) {
    pairs.emplace_back(cursor.key(), cursor.value());
  }
  ExpectOk(cursor.status());
  return WithoutHidden(role, std::move(pairs));
}

ModelPlayer::State ModelPlayer::AnyState() {
  if (kept_.empty() || random_.OneIn(2)) return {.snapshot = nullptr, .model = &model_};
  const Kept& kept = kept_[random_.Below(kept_.size())];
  return {.snapshot = kept.snapshot.get(), .model = &kept.model};
}

void ModelPlayer::Record(std::string operation) {
  operations_.push_back(std::move(operation));
  if (operations_.size() > kOperationsShownMax) operations_.pop_front();
}

void ModelPlayer::Differ(std::string what) {
  if (difference_.empty()) difference_ = std::move(what);
}

void ModelPlayer::ExpectOk(const Status& status) {
  if (!status.ok()) Differ("not ok: " + status.ToString());
}

}  // namespace

std::optional<std::string> PlayAgainstModel(const EngineKind& kind, Play play) {
  return ModelPlayer(kind, play).Run();
}

}  // namespace mayfly::engine::suite

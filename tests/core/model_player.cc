#include "tests/core/model_player.h"

#include <fmt/format.h>

#include "base/check.h"
#include "base/printable.h"
#include "core/new_database.h"
#include "tests/core/database_home.h"

namespace mayfly::core::suite {
namespace {

constexpr std::size_t kOperationsShownMax = 60;

}  // namespace

std::span<const ModelPlayer::Kind> ModelPlayer::Kinds() {
  // clang-format off
  static constexpr Kind kKinds[] = {
      {260, &ModelPlayer::Write},
      {3,   &ModelPlayer::WriteBurst},
      {25,  &ModelPlayer::Begin},
      {110, &ModelPlayer::WriteInTransaction},
      {15,  &ModelPlayer::SetSavepoint},
      {12,  &ModelPlayer::RollbackToSavepoint},
      {22,  &ModelPlayer::Commit},
      {5,   &ModelPlayer::Rollback},
      {110, &ModelPlayer::Get},
      {40,  &ModelPlayer::MultiGet},
      {20,  &ModelPlayer::Count},
      {60,  &ModelPlayer::GetAsOf},
      {60,  &ModelPlayer::Walk},
      {8,   &ModelPlayer::KeepCursor},
      {30,  &ModelPlayer::MoveKeptCursor},
      {7,   &ModelPlayer::ReleaseCursor},
      {25,  &ModelPlayer::ScanDeadlines},
      {20,  &ModelPlayer::Forecast},
      {8,   &ModelPlayer::OpenSnapshot},
      {8,   &ModelPlayer::VerifySnapshot},
      {7,   &ModelPlayer::ReleaseSnapshot},
      {70,  &ModelPlayer::AdvanceClock},
      {6,   &ModelPlayer::MishandleClock},
      {6,   &ModelPlayer::ConfirmClock},
      {20,  &ModelPlayer::Purge},
      {10,  &ModelPlayer::PurgeWhileSomebodyWrites},
      {1,   &ModelPlayer::Reclaim},
      {2,   &ModelPlayer::CompactEngine},
      {12,  &ModelPlayer::ReadEvents},
      {3,   &ModelPlayer::TrimEvents},
      {5,   &ModelPlayer::CreateKeyspace},
      {3,   &ModelPlayer::DropKeyspace},
      {2,   &ModelPlayer::ClearKeyspace},
      {5,   &ModelPlayer::SetPolicy},
      {2,   &ModelPlayer::Check},
      {8,   &ModelPlayer::CompareStatistics},
      {3,   &ModelPlayer::CompareEverything},
      {1,   &ModelPlayer::BackupAndRestore},
      {1,   &ModelPlayer::Reopen},
  };
  // clang-format on
  return kKinds;
}

std::uint32_t ModelPlayer::AnyKind(Random& random) {
  std::uint64_t weights = 0;
  for (const Kind& kind : Kinds()) weights += kind.weight;
  std::uint64_t draw = random.Below(weights);
  std::uint32_t i = 0;
  for (; draw >= Kinds()[i].weight; ++i) draw -= Kinds()[i].weight;
  return i;
}

ModelPlayer::ModelPlayer(const Subject& subject)
    : subject_(subject), home_(subject.kind.new_home()), clock_(kStart) {
  model_clock_.now = kStart;
  // One of each kind from the beginning.
  const std::pair<const char*, KeyspacePolicy> first[] = {
      {"history", {.order = RowOrder::kTimestamp, .history = Millis(60)}},
      {"late",
       {.events = EventDetail::kKeyAndValue,
        .order = RowOrder::kTimestamp,
        .history = Millis(30),
        .late_max = Millis(50)}},
  };
  Open();
  for (const auto& [name, policy] : first) {
    handles_[name] = *database_->CreateKeyspace(name, policy);
    model_.Create(name, policy);
  }
}

ModelPlayer::~ModelPlayer() = default;

std::optional<Difference> ModelPlayer::Run(std::span<const Operation> operations) {
  std::size_t played = 0;
  for (; played < operations.size() && !differs(); ++played) {
    random_ = Random(operations[played].seed);
    (this->*Kinds()[operations[played].kind].play)();
    CompareFreshEvents();
  }
  if (!differs()) CompareEverything();
  if (!differs()) Check();
  if (!differs()) return std::nullopt;
  return Difference{difference_, played, {operations_.begin(), operations_.end()}};
}

void ModelPlayer::Open() {
  const auto horizon = std::make_shared<DropHorizon>();
  auto engine = subject_.wrap(home_->Open(subject_.policy(horizon)), race_);
  engine_ = engine.get();
  auto opened = NewDatabase(std::move(engine), {.horizon = horizon, .clock = &clock_});
  MAYFLY_CHECK(opened.has_value(), opened.status().ToString().c_str());
  database_ = *std::move(opened);
  model_clock_.Read(clock_.Now(), clock_.Steady());
  ObserveClock();
  auto subscription =
      database_->Subscribe([this](const Event& event) { delivered_.push_back(event); });
  MAYFLY_CHECK(subscription.has_value(), subscription.status().ToString().c_str());
  subscription_ = *std::move(subscription);
  handles_.clear();
  for (const auto& [name, keyspace] : model_.keyspaces) {
    auto handle = database_->OpenKeyspace(name);
    if (!handle) return Differ("a keyspace is missing: " + handle.status().ToString());
    handles_[name] = *std::move(handle);
    ExpectSame("the policy of " + name, handles_[name]->policy() == keyspace.policy, true);
  }
}

// Compares the events that subscribers got with the model's.
void ModelPlayer::CompareFreshEvents() {
  const std::size_t count = std::max(delivered_.size(), model_.fresh_events.size());
  for (std::size_t i = 0; i < count && !differs(); ++i) {
    ExpectSame("the subscriber's event",
               i < delivered_.size() ? Describe(delivered_[i]) : "missing",
               i < model_.fresh_events.size() ? Describe(model_.fresh_events[i]) : "superfluous");
  }
  delivered_.clear();
  model_.fresh_events.clear();
}

void ModelPlayer::Record(std::string operation) {
  operations_.push_back(std::move(operation));
  if (operations_.size() > kOperationsShownMax) operations_.pop_front();
}

void ModelPlayer::Differ(std::string what) {
  if (difference_.empty()) difference_ = std::move(what);
}

void ModelPlayer::ExpectCode(const std::string& what, const Status& status, StatusCode expected) {
  if (status.code() == expected) return;
  Differ(fmt::format("{} gave {}, not {}", what, status.ToString(), StatusCodeName(expected)));
}

std::string Describe(const Event& event) {
  return fmt::format("{} keyspace {} '{}' key '{}' died {} purged {} cause {} value {}",
                     event.sequence, event.keyspace, Printable(event.keyspace_name),
                     Printable(event.key), ToMs(event.deadline), ToMs(event.purged_at),
                     static_cast<int>(event.cause),
                     event.value ? "'" + Printable(*event.value, 8) + "'" : "none");
}

}  // namespace mayfly::core::suite

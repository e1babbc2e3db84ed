#include "tables/tables_play.h"

#include <algorithm>

#include "tables/tables_player.h"

namespace mayfly {

Player::Player(const PlaySubject& subject, std::uint64_t seed)
    : subject_(subject), posts_(seed), late_(clock_), model_(subject.mode, kStart) {
  DatabaseOptions options = {.memory = MemoryProfile::kTiny, .clock = &clock_};
  if (subject.broken == Broken::kLateClock) options.clock = &late_;
  if (subject.engine != EngineKind::kMemory) options.directory = directory_.Inside("db");
  if (subject.engine == EngineKind::kRocks) options.engine = StorageEngine::kRocks;
  if (subject.engine == EngineKind::kMemoryFirst) {
    options.engine = StorageEngine::kMemoryFirst;
    options.memory_rows_bytes_max = kMemoryRowsBytes;
  }
  database_ = Database::Open(options).value();
  tables_ = tables::ProtocolTables::Open(*database_).value();
  TableSpec spec = PostsSpec(subject.mode);
  if (!subject.indexed) {
    spec.global_indexes.clear();
    spec.local_indexes.clear();
  }
  (void)tables_->CreateTable(spec).value();
}

std::optional<std::string> Player::Step() {
  switch (posts_.random().Below(17)) {
    case 0:
    case 1:
    case 2: Put(); break;
    case 3:
    case 4: Update(); break;
    case 5: Delete(); break;
    case 6: Transact(); break;
    case 7: Get(); break;
    case 8: BatchGet(); break;
    case 9:
    case 10:
    case 11: Query(); break;
    case 12: posts_.random().OneIn(3) ? PartitionKeys() : Scan(); break;
    case 13: Ttl(); break;
    case 14: PassTime(); break;
    case 15: WriteTogether(); break;
    default: Upkeep();
  }
  return difference_;
}

void Player::Ttl() {
  const Item key = posts_.Key();
  const Item* before = model_.Find(key);
  const std::string what = "ttl of " + Describe(key);
  const std::string none = before == nullptr ? "NotFound" : "";
  if (posts_.random().OneIn(3)) {
    const Millis ttl(1 + static_cast<std::int64_t>(posts_.random().Below(5000)));
    const Status set = tables_->SetTtl("posts", key, ttl);
    Expect(what + " set", before == nullptr ? "NotFound" : "Ok",
           std::string(StatusCodeName(set.code())));
    if (before == nullptr) return;
    Item after = *before;
    after["expires"] = N((ToMs(model_.now() + ttl) + 999) / 1000);
    model_.Put(after);
    return;
  }
  if (posts_.random().OneIn(2)) {
    const auto removed = tables_->RemoveTtl("posts", key);
    Expect(what + " removed",
           before == nullptr ? "NotFound" : (before->contains("expires") ? "true" : "false"),
           removed ? (*removed ? "true" : "false")
                   : std::string(StatusCodeName(removed.status().code())));
    if (before == nullptr) return;
    Item after = *before;
    after.erase("expires");
    model_.Put(after);
    return;
  }
  const auto left = tables_->GetTtl("posts", key);
  const auto deadline = before != nullptr ? model_.DeadlineOf(*before) : std::nullopt;
  const Millis wanted = deadline ? std::max(*deadline - model_.now(), Millis(0)) : kForever;
  Expect(what, before == nullptr ? "NotFound" : std::to_string(wanted.count()),
         left ? std::to_string(left->count()) : std::string(StatusCodeName(left.status().code())));
}

// Often to an instant at which an item dies, or to just before it.
void Player::PassTime() {
  const std::vector<WallTime> deadlines = model_.Deadlines();
  WallTime to = model_.now() + Millis(static_cast<std::int64_t>(posts_.random().Below(2000)));
  if (!deadlines.empty() && !posts_.random().OneIn(3)) {
    to = deadlines[posts_.random().Below(deadlines.size())];
    if (posts_.random().OneIn(3)) to -= Millis(1);
  }
  clock_.Advance(to - model_.now());
  model_.SetNow(to);
}

void Player::Upkeep() {
  switch (posts_.random().Below(3)) {
    case 0: Must("purge", database_->Purge()); return;
    case 1: {
      const auto swept = tables_->SweepExpired("posts");
      const std::size_t wanted = model_.Sweep();
      // In mode kExact it counts rows that were not purged yet, which the model does not know.
      if (subject_.mode == TtlMode::kExact) return;
      Expect("sweep", std::to_string(wanted), std::to_string(Must("sweep", swept)));
      return;
    }
    default: tables_.reset(); tables_ = tables::ProtocolTables::Open(*database_).value();
  }
}

std::optional<std::string> PlayTables(const PlaySubject& subject, std::uint64_t seed,
                                      std::size_t calls) {
  Player player(subject, seed);
  for (std::size_t i = 0; i < calls; ++i) {
    if (auto difference = player.Step()) {
      return "call " + std::to_string(i) + ", MAYFLY_SEED=" + std::to_string(seed) + ": " +
             *difference;
    }
  }
  return std::nullopt;
}

}  // namespace mayfly

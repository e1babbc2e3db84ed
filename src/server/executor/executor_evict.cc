// executor_evict.cc - makes room when the data has passed `maxmemory`, before commands run.
// What is gone already leaves first: dead rows, and the members of collections that were deleted or
// evicted. Then rows are evicted, some with each commit, under their latches like any change: so
// none of a transaction that is under way, and watches, blocked clients, events and promises see an
// eviction as they see a delete. A command makes room for a bounded time, and then goes on.
#include "base/log.h"
#include "server/command/limits.h"
#include "server/executor/executor.h"

namespace mayfly::server {

void Executor::MakeRoom() {
  DataLimit& limit = server_.data_limit();
  limit.FollowDatabases(server_.databases());
  if (limit.over() == 0 || !server_.evicts()) return limit.SetRefuses(false);
  // Another thread is at it; only far above the limit is it waited for.
  constexpr std::int64_t kNearPart = 64;
  std::unique_lock alone(limit.mutex(), std::try_to_lock);
  if (!alone.owns_lock() && limit.over() < limit.max() / kNearPart) return;
  if (!alone.owns_lock()) alone.lock();
  const SteadyTime begin = server_.Steady();
  const auto time_max = limit.time_max();
  fruitless_ = 0;
  while (limit.over() > 0) {
    const Result<bool> made = MakeSomeRoom();
    if (!made || !*made) {
      if (!made)
        Log(server_.logger(), LogLevel::kWarning, "cannot evict: {}", made.error().message());
      return limit.SetRefuses(limit.over() > 0);
    }
    if (time_max && server_.Steady() - begin >= *time_max) break;
  }
  limit.SetRefuses(false);
  server_.NoteLatency("eviction-cycle", server_.Steady() - begin);
  if (limit.over() > 0) {
    limit.late_nanos += static_cast<std::uint64_t>((server_.Steady() - begin).count());
  }
}

void Executor::NoteUses(int database, std::span<const Bytes> args) {
  for (const KeyUse& use : key_uses_) {
    if ((use.flags & kUnused) != 0) continue;
    server_.data_limit().Touch({database, args[static_cast<std::size_t>(use.position)]},
                               run_.random());
  }
}

bool Executor::MakeRoomBeside() {
  const ScriptGateVisit visit(server_.script_gate(), door_);
  if (!visit.inside()) return false;
  running_ = true;
  MakeRoom();
  running_ = false;
  return server_.data_limit().over() > 0 && !server_.data_limit().refuses();
}

// False: nothing can leave.
Result<bool> Executor::MakeSomeRoom() {
  DataLimit& limit = server_.data_limit();
  const bool evicts = limit.policy() != EvictionPolicy::kNoEviction;
  const SteadyTime now = server_.Steady();
  const bool looks = !evicts && now - leftovers_looked_ >= kLeftoversInterval;
  if (looks) leftovers_looked_ = now;
  if (limit.HasLeftovers() || looks) {
    const PurgeOptions some{.rows_max = kLeftoversMax};
    MAYFLY_TRY(const PurgeReport gone, server_.database().Purge(some));
    if (gone.rows + gone.members + gone.leftovers > 0) return true;
  }
  if (!evicts) return false;
  run_.BeginWithout();  // For the present mapping.
  MAYFLY_TRY(const std::vector<Victim> victims, limit.FindVictims(run_.mapping(), limit.over()));
  if (victims.empty()) return false;
  keys_.clear();
  for (const Victim& victim : victims) keys_.push_back({victim.database, victim.key});
  MAYFLY_RETURN_IF_ERROR(run_.Begin(keys_, KeyReach::kKeys));
  MAYFLY_TRY(const std::uint64_t rows, run_.Evict(victims, limit.policy()));
  MAYFLY_RETURN_IF_ERROR(run_.Commit());
  run_.NotifyTrackers();  // Before the reply of the command that makes room.
  limit.evicted += rows;
  limit.evicted_ever += rows;
  if (!run_.ready().empty()) ServeWaiters(std::exchange(run_.ready(), {}));
  // Victims that another thread has changed meanwhile: the next search finds others.
  fruitless_ = rows > 0 ? 0 : fruitless_ + 1;
  return fruitless_ < kFruitlessMax;
}

}  // namespace mayfly::server

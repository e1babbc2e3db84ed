// hot_database.h - the memory-first engine over its parts.
// Lock order: fold_mutex_, then locks of rows (HotIndex::Commit), then what the log, the views and
// the cold store take inside. upkeep_mutex_ holds nothing else, nor do the reserve's and the rounds'.
// A thread that has locks of rows opens no state and waits for no fold.
// Its parts: hot_database.cc reads, hot_database_commit.cc commits, hot_database_fold.cc folds,
// and gives space back, hot_database_memory.cc keeps the budget of memory, hot_database_load.cc loads
// after opening, hot_database_full_disk.cc makes room on a full disk, hot_database_find.cc searches
// for bytes, hot_open.cc opens.
#pragma once

#include <algorithm>
#include <array>
#include <atomic>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <thread>
#include <vector>

#include "engine/damage_log.h"
#include "engine/disk/background_rounds.h"
#include "engine/disk/disk_reserve.h"
#include "engine/disk/full_disk_right.h"
#include "engine/disk/room_wait.h"
#include "engine/engine.h"
#include "engine/hot/fold.h"
#include "engine/hot/hot_engine.h"
#include "engine/hot/hot_state.h"
#include "engine/hot/log/hot_log.h"
#include "engine/hot/log_space.h"
#include "engine/hot/purge_wait.h"

namespace mayfly::engine::hot {

class HotDatabase final : public Engine {
 public:
  // A database in memory.
  HotDatabase(std::string name, const HotOptions& options, std::unique_ptr<HotRows> rows);

  // With the parts of its storage, whose log was replayed into `rows`.
  struct Stored {
    HotStorage storage;
    std::unique_ptr<LogSpace> space;  // Asked by the log.
    std::unique_ptr<HotLog> log;
  };
  HotDatabase(const HotOptions& options, std::unique_ptr<HotRows> rows, Stored stored);

  ~HotDatabase() override;

  std::shared_ptr<const crypto::DatabaseKey> encryption_key() const override;
  bool HasReadersBeside() const override;

 private:
  // Rows that the DropPolicy calls dead: all of them, or those that a compaction of the cold store
  // has dropped.
  enum class WhichDead { kAll, kDroppedByCold };

  // When a row was looked for in memory in vain, before the cold store was asked.
  struct ReadMoment {
    std::uint64_t departures;  // HotRows::departures.
    Sequence through;          // Of the current view.
  };

  Status DoGet(Address at, Bytes key, PinnedBytes& value, const Snapshot* snapshot) const override;
  void DoMultiGet(std::span<Lookup*> lookups, const Snapshot* snapshot) const override;
  void DoPrefetch(Address at, std::span<const Bytes> keys) const override;
  Result<std::unique_ptr<Cursor>> DoNewCursor(Address at,
                                              const CursorOptions& options) const override;
  Result<std::unique_ptr<Snapshot>> DoNewSnapshot() const override;
  Status DoCommit(const Batch& batch, Durability durability) override;
  Status DoSync(Durability durability) override;
  Status DoCompact(Role role, const KeyRange& range) override;
  Result<bool> DoCompactFile(Role role, const std::string& name,
                             std::uint64_t bytes_per_second) override;
  Result<bool> DoDropFile(Role role, const std::string& name) override;
  Status DoFlush() override;
  Result<std::vector<Trace>> DoFind(Bytes needle, std::size_t traces_max,
                                    const FindProgress& progress) const override;
  Result<std::vector<FileInfo>> DoFiles(Role role) const override;
  Result<EngineStats> DoStats() const override;
  Status DoClose() override;

  // How far the load after opening has come.
  struct Load {
    std::size_t role = 0;
    std::string from;  // The next key of the role.
    std::uint64_t rows = 0;
    int retries = 0;  // Since the last row.
  };

  // Reads.
  Status GetNewest(Address at, Bytes key, PinnedBytes& value) const;
  Status TryToGetNewest(Address at, Bytes key, PinnedBytes& value, std::uint64_t departures) const;
  Status GetCold(Address at, Bytes key, PinnedBytes& value) const;
  void Prefetch(std::span<Lookup* const> lookups) const;
  void TryToAdmit(Address at, Bytes key, Bytes value, ReadMoment moment) const;
  bool IsResident() const { return rows_->is_resident.load(std::memory_order_seq_cst); }

  Result<std::uint64_t> FindInLog(Bytes needle, std::size_t traces_max,
                                  const FindProgress& progress, std::vector<Trace>& traces) const;
  void FindInMemory(Bytes needle, std::size_t traces_max, std::vector<Trace>& traces) const;

  // Commits. `lacks_room`: it failed because the log found no room on the disk.
  Status TryToCommit(const Batch& batch, Durability durability, bool& lacks_room);
  Status CheckConditions(const HotIndex::Commit& commit, const Batch& batch) const;
  Status CheckRoom(const Batch& batch) const;
  Result<Sequence> AppendToLog(HotIndex::Commit& commit, const Batch& batch);
  Flags FlagsOfChanges() const;
  // `touches`: those of all changes first, or none.
  void ApplyAndPublish(HotIndex::Commit& commit, const Batch& batch,
                       std::span<const HotIndex::Touch> touches, Sequence sequence);
  Status DropVersionsOf(std::span<const RowVersion> versions, IsDeadRow is_dead, WhichDead which);
  void CountLogged(Sequence sequence, std::size_t payload_bytes);

  // The budget of memory.
  Status AwaitRoom(const Batch& batch);
  std::int64_t MeasureRoom() const;
  std::uint64_t BudgetParts(std::uint64_t parts) const {
    return options_.memory_bytes_max / kBudgetParts * parts;
  }
  // The same of the budget that commits wait for.
  std::uint64_t StopParts(std::uint64_t parts) const {
    return std::max(options_.memory_bytes_max, kStopBytesMin) / kBudgetParts * parts;
  }
  bool IsOverBudget() const;
  bool IsSparse(const HotMemory& memory) const;
  bool IsWorthAdmitting(Address at, Bytes key, std::size_t bytes) const;
  void EvictToBudget();
  bool EvictUntil(std::uint64_t used_bytes, std::size_t vain_steps_max);
  void EmptySparseSlabs();

  // Fold and eviction.
  void StartUpkeep();
  void StopUpkeep();
  void RunUpkeep();
  bool UpkeepRound();  // False after a failure.
  // `stop` ends it after a segment. May be null.
  Status FoldThrough(Sequence sequence, const std::atomic<bool>* stop = nullptr);
  Status FoldClosed(Sequence through, const std::atomic<bool>* stop);
  Result<bool> FoldOldest(Sequence through);
  Result<bool> FoldOldest(Sequence through, Fold::Rest rest);
  Status RestoreSyncs();
  void RestFromFold(std::chrono::nanoseconds worked);
  Status FoldWhatIsOver();
  bool IsPurgeAwaited(const std::vector<SegmentInfo>& closed);
  std::vector<SegmentInfo> ClosedSegments() const;
  static std::uint64_t BytesOf(const std::vector<SegmentInfo>& segments);
  void WakeUpkeep() const;
  std::uint64_t WakeBytes() const;
  void StartLoad();
  void LoadStep();
  Result<bool> LoadRows();  // False: all roles are done.
  Result<bool> DeleteDead(const std::vector<std::string>& keys, Role role, ReadMoment moment);
  void GiveUpLoad(Bytes why);
  std::uint64_t RoomToLoad() const;
  Status DropDeadRows(Role role, const KeyRange& range, WhichDead which);
  Result<std::optional<FileInfo>> FileNamed(Role role, const std::string& name) const;

  // A full disk; see hot_database_full_disk.cc.
  bool IsShortOfSpace() const {
    return storage_.reserve != nullptr && storage_.reserve->was_full();
  }
  FullDiskRight RightOf(const Batch& batch) const;
  Status CommitOnFullDisk(const Batch& batch, Durability durability);
  Status RefuseForSpace(FullDiskRight right);
  void AskForRoom() const;
  Status WithoutRoom(const Status& status);
  Status RotateLog();
  void MakeRoomOnDisk(BackgroundRounds::Kind kind, const std::atomic<bool>& stop);
  void NoteFold(const Status& folded);

  const HotOptions options_;
  Logger& logger_;

  // Constant until DoClose().
  std::unique_ptr<HotRows> rows_;
  HotStorage storage_;               // Empty for a database in memory.
  std::unique_ptr<LogSpace> space_;  // The same.
  std::unique_ptr<HotLog> log_;      // Null for a database in memory.

  alignas(64) std::atomic<Sequence> next_sequence_{1};  // Of a database in memory.
  alignas(64) std::atomic<std::uint64_t> uncounted_bytes_{0};

  std::mutex fold_mutex_;                       // Held for the fold of one segment.
  std::unique_ptr<Fold> fold_;                  // Guarded by fold_mutex_.
  std::atomic<std::uint64_t> fold_waiters_{0};  // While there are any, a fold does not rest.
  std::atomic<std::uint64_t> drops_{0};
  std::atomic<bool> fold_fails_{false};  // The last one did.
  DamageLog damage_;                     // Met in the log.

  std::unique_ptr<BackgroundRounds> room_rounds_;  // Null without a reserve or a thread.
  std::unique_ptr<RoomWait> room_wait_;            // The same. Of commits.
  std::atomic<bool> room_wanted_{false};           // A commit was refused since the last round.

  std::atomic<bool> is_slow_{false};      // Commits look whether they have to wait.
  std::atomic<bool> is_log_long_{false};  // They wait a little.
  // Bytes until commits wait, as last measured, less what was added since; with memory_bytes_max.
  mutable std::atomic<std::int64_t> room_to_grow_{0};
  mutable std::atomic<std::int64_t> room_to_admit_{0};  // The same, for rows of the cold store.
  std::atomic<bool> has_evicted_{false};
  std::atomic<std::uint64_t> rows_left_{0};   // So many were evicted.
  std::atomic<std::uint64_t> fold_steps_{0};  // Batches that folds have written.
  mutable std::mutex upkeep_mutex_;
  mutable std::condition_variable upkeep_wanted_;
  std::condition_variable upkeep_done_;
  mutable bool is_wanted_ = false;  // Guarded by upkeep_mutex_.
  bool is_stopping_ = false;        // Guarded by upkeep_mutex_.
  std::unique_ptr<std::thread> upkeep_;

  // By the thread alone; without one guarded by fold_mutex_. Empty: the load is over.
  std::optional<Load> load_;

  // By the thread alone.
  std::unique_ptr<PurgeWait> purge_wait_;  // Null for a database in memory.
  bool is_purge_awaited_ = false;

  // Of the eviction, by the thread alone.
  std::size_t hand_role_ = 0;
  std::string hand_;
};

}  // namespace mayfly::engine::hot

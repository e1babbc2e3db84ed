// rocks_database.h - the Engine over an open RocksDB database.
// Lock order: gate_, or drop_mutex_ and then forget_mutex_, or release_mutex_, and then
// resume_mutex_, before anything inside RocksDB. RocksDB's calls take the mutexes of FlushGate and
// LogRoom, which hold nothing else; nothing of ours is taken after them, nor after the mutexes of
// the reserve and of room_rounds_. Its parts:
// rocks_database.cc reads and commits, rocks_files.cc lists files, rocks_reclaim.cc gives space
// back, rocks_full_disk.cc makes room on a full disk, rocks_find.cc searches for bytes.
#pragma once

#include <rocksdb/cache.h>
#include <rocksdb/db.h>
#include <rocksdb/write_batch.h>

#include <atomic>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <shared_mutex>
#include <string>
#include <vector>

#include "base/directory_lock.h"
#include "engine/damage_log.h"
#include "engine/disk/background_rounds.h"
#include "engine/disk/disk_reserve.h"
#include "engine/disk/full_disk_right.h"
#include "engine/disk/room_wait.h"
#include "engine/engine.h"
#include "engine/rocks/commit_gate.h"
#include "engine/rocks/files/flush_gate.h"
#include "engine/rocks/files/log_room.h"
#include "engine/rocks/files/rocks_directory.h"
#include "mayfly/clock.h"
#include "mayfly/logger.h"

namespace mayfly::engine {

// The settings of a role's family, as it was opened.
struct FamilyFigures {
  int last_level = 0;
  std::uint64_t file_bytes = 0;              // Compaction begins a new file from here on.
  std::uint64_t slowdown_young_files = 0;    // In level 0; from here on commits are slowed down.
  std::uint64_t stop_young_files = 0;        // From here on commits wait.
  std::uint64_t slowdown_pending_bytes = 0;  // To be compacted; the same.
};

// What opening passes to the engine.
struct RocksHandles {
  std::string directory;
  DirectoryLock lock;
  const Clock* clock = nullptr;                 // For pauses. Never null.
  std::shared_ptr<rocksdb::Cache> block_cache;  // Shared with RocksDB's tables and pinned reads.
  std::shared_ptr<std::atomic<std::uint64_t>> removals;  // Counted by a listener; rocks_profile.h.
  std::shared_ptr<std::atomic<rocksdb::DB*>> open_database;  // Shared with the same listener.
  std::shared_ptr<FlushGate> flushes;                        // Shared with the same listener.
  std::shared_ptr<DamageLog> damage;                         // Shared with the same listener.
  std::shared_ptr<DiskReserve> reserve;            // Shared with the engine above, if there is one.
  bool beneath_log = false;                        // RocksOptions::beneath_log.
  std::unique_ptr<LogRoom> log_room;               // Of the files beneath env.
  std::shared_ptr<const crypto::DatabaseKey> key;  // Null: not encrypted. Shared with the files.
  std::unique_ptr<rocksdb::Env> encrypted_files;   // Null: not encrypted. What env wraps.
  std::unique_ptr<rocksdb::Env> files_env;         // What env wraps.
  std::unique_ptr<rocksdb::Env> env;               // Of the database, which is destroyed first.
  std::unique_ptr<rocksdb::DB> database;
  std::vector<rocksdb::ColumnFamilyHandle*> families;  // By Role; destroyed before the database.
  std::vector<FamilyFigures> figures;                  // By Role.
};

class RocksDatabase final : public Engine {
 public:
  RocksDatabase(RocksHandles handles, bool writable, Logger& logger);
  ~RocksDatabase() override;

  std::shared_ptr<const crypto::DatabaseKey> encryption_key() const override {
    return handles_.key;
  }
  bool HasReadersBeside() const override { return handles_.lock.HasReadersBeside(); }

 private:
  Status DoGet(Address at, Bytes key, PinnedBytes& value, const Snapshot* snapshot) const override;
  void DoMultiGet(std::span<Lookup*> lookups, const Snapshot* snapshot) const override;
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
  Status SaveRowsOfRemovedLog();

  const rocksdb::ReadOptions& ReadOptionsOf(const Snapshot* snapshot) const;
  rocksdb::ColumnFamilyHandle* Family(Role role) const {
    return handles_.families[static_cast<std::size_t>(role)];
  }
  rocksdb::Status Translate(const Batch& batch, rocksdb::WriteBatch& writes) const;
  Status CheckConditions(const Batch& batch) const;
  Status Write(rocksdb::WriteBatch& writes, Durability durability, FullDiskRight right);
  Status TakeRoom(LogRoom::Reservation& reservation, std::uint64_t bytes, FullDiskRight right);
  Status RefuseForSpace(FullDiskRight right);
  Status Failed(const rocksdb::Status& status, std::string_view doing) const;

  // The metadata of a file of a role; nothing when it is not in the newest state.
  std::optional<rocksdb::SstFileMetaData> FileOf(Role role, const std::string& name) const;
  bool MayDrop(Role role, const std::string& name) const;
  Result<bool> DropUncompacted(Role role, const std::string& name);
  Result<std::vector<DirectoryFile>> ListFiles() const;
  std::uint64_t YoungFiles(Role role) const;  // In level 0.
  bool CommitsHeldBack() const;
  std::map<std::uint64_t, Role> LiveTables() const;  // By number.
  std::uint64_t CountObsolete(const std::vector<DirectoryFile>& files) const;
  std::uint64_t FirstLogKept() const;  // RocksDB needs no log with a lower number.
  bool KeepsAny(const std::vector<DirectoryFile>& logs) const;
  rocksdb::Status Resume();
  std::uint64_t RoomToResume() const;  // Bytes that must be free.
  void AwaitCompactions() const;
  rocksdb::Status WriteOut();
  rocksdb::Status ForgetOldKeys();
  rocksdb::Status ReleaseLogs(const std::vector<DirectoryFile>& doomed);
  rocksdb::Status BeginLog();
  rocksdb::Status RemoveObsolete();
  Status AwaitRemoval(const std::vector<DirectoryFile>& doomed) const;

  // While the reserve is given up; see rocks_full_disk.cc.
  FullDiskRight RightOf(const Batch& batch) const;
  std::uint64_t RoomToCommit(std::uint64_t bytes, FullDiskRight right) const;
  std::uint64_t NeededByFlushes() const;
  bool AwaitsCompactions() const;
  rocksdb::Status WriteOnFullDisk(rocksdb::WriteOptions options, rocksdb::WriteBatch& writes);
  void AwaitRoomToFlush(std::uint64_t bytes, FullDiskRight right);

  // What decides whether another round may make room; see MakeRoom().
  struct RoomState {
    std::uint64_t sequence = 0;
    std::uint64_t snapshot = 0;  // The oldest.
    std::uint64_t free_bytes = 0;
  };

  // A round of room_rounds_, and what it consists of.
  void MakeRoom(BackgroundRounds::Kind kind, std::atomic<bool>& stop);
  bool IsBelowCompactions() const;
  RoomState CurrentRoomState() const;
  bool WriteOutForLogs(bool is_urgent, const std::atomic<bool>& stop);
  bool CompactHidden(Role role, std::atomic<bool>& stop);
  bool CompactPiece(Role role, bool is_urgent);
  bool HasAtMost(Role role, std::uint64_t bytes, const std::atomic<bool>& stop) const;
  std::uint64_t BytesInMemory(Role role) const;
  std::uint64_t BytesInMemory() const;  // Of all roles.
  bool FindsRoom(Role role) const;

  Logger& logger_;
  const rocksdb::ReadOptions read_options_;

  RocksHandles handles_;  // Constant until DoClose().
  CommitGate gate_;       // Safe on its own.

  // Every commit up to here is on the disk, so nothing is synced twice, and syncing an idle
  // database does not touch the disk. Commits from before the open may still be in the system's
  // buffers.
  static constexpr std::uint64_t kNeverSynced = UINT64_MAX;
  std::atomic<std::uint64_t> synced_sequence_{kNeverSynced};

  std::mutex resume_mutex_;

  // Shared by compactions that we start, exclusive for dropping a file unread.
  std::shared_mutex drop_mutex_;

  // Held while RocksDB is forbidden to remove files, by one thread, so that all are gone
  // afterwards.
  std::mutex release_mutex_;

  // The count of handles_.removals whose keys have left the manifest; nothing: unknown.
  std::mutex forget_mutex_;
  std::optional<std::uint64_t> forgotten_removals_;  // Guarded by forget_mutex_.

  // Makes room while commits are refused for want of it. Not null.
  std::unique_ptr<BackgroundRounds> room_rounds_;
  RoomState room_seen_;                  // Of its thread: what the last round found.
  RoomWait room_wait_{*handles_.clock};  // Of commits.
};

}  // namespace mayfly::engine

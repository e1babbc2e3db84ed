// faulty_log_disk.h - files of the log in memory, on a disk that fails as tests ask.
// A power cut keeps what was synced: bytes up to a file's last sync, names up to the directory's.
// Of later changes each file keeps any of its sectors, and the directory a first part of its
// changes. A failed sync loses what it should have written, and later syncs do not bring it back,
// as in the kernel. After a mere kill nothing is lost: open the log again on the same disk.
// Changes that reach the disk are counted: files made, lengthened, written, synced, removed,
// directories synced, and Tick().
// Safe from any thread, except for writes to a mapping beside calls on its file.
#pragma once

#include <cstdint>
#include <functional>
#include <limits>
#include <map>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <vector>

#include "base/random.h"
#include "engine/hot/log/log_files.h"

namespace mayfly::engine::hot {

class FaultyLogDisk final : public LogFiles {
 public:
  static constexpr std::uint64_t kNever = std::numeric_limits<std::uint64_t>::max();
  static constexpr std::uint64_t kSectorBytes = 512;

  enum class Fault : std::uint8_t { kIoError, kNoSpace };

  Result<std::vector<std::string>> List() override;
  Result<std::unique_ptr<LogFile>> Create(const std::string& name) override;
  Result<std::unique_ptr<LogFile>> Open(const std::string& name) override;
  Status Remove(const std::string& name) override;
  Status SyncDirectory() override;
  std::string PathOf(const std::string& name) const override { return "disk/" + name; }

  // A change that only the test makes.
  void Tick();

  // Changes so far.
  std::uint64_t changes() const;

  // The change with this number, counted as changes() does, fails, and `count - 1` after it. A
  // write is made in half before it fails.
  void FailAt(std::uint64_t change, Fault fault, std::uint64_t count = 1);

  // Files find so much room in all.
  void SetRoom(std::uint64_t bytes);

  // From this change on every change fails.
  void CutPowerAt(std::uint64_t change);

  // Syncs succeed without effect.
  void IgnoreSyncs(bool ignore);

  // Mapping is refused, as on a file system that cannot allocate room.
  void RefuseMaps(bool refuse);

  // Leaves what a power cut may have left, and restarts.
  void PowerCut(Random& random);

  // Ends the faults. What the old process does to its open files reaches the disk no more.
  void Restart();

  // Called before each write and sync, by the thread that makes it.
  void OnWriteOrSync(std::function<void()> call);

  // Removes all files. None may be open.
  void Clear();

  std::uint64_t syncs() const;   // Of files, so far.
  std::uint64_t writes() const;  // Calls of Write(), so far.

  // The bytes of a file, to be read or damaged.
  std::string& BytesOf(const std::string& name);
  bool Has(const std::string& name) const;

 private:
  friend class FaultyLogFile;

  struct Inode {
    std::string now;                    // As programs see it.
    std::string clean;                  // What the kernel believes to be on the device.
    std::string device;                 // What is.
    std::set<std::uint64_t> rewritten;  // Sectors that were written since the last sync.
  };

  struct NameChange {
    std::string name;
    std::shared_ptr<Inode> inode;  // Null: removed.
  };

  void CallBeforeIo();

  // Counts a change; false when it fails. Needs mutex_.
  Status Arrives(const char* what, const std::string& name);
  std::uint64_t Used() const;
  static void Survive(Inode& inode, Random& random);

  mutable std::mutex mutex_;  // Guards everything.
  std::map<std::string, std::shared_ptr<Inode>> names_;
  std::map<std::string, std::shared_ptr<Inode>> durable_names_;
  std::vector<NameChange> unsynced_names_;
  std::uint64_t changes_ = 0;
  std::uint64_t syncs_ = 0;
  std::uint64_t writes_ = 0;
  std::uint64_t fail_begin_ = kNever;
  std::uint64_t fail_end_ = kNever;
  Fault fault_ = Fault::kIoError;
  std::uint64_t cut_at_ = kNever;
  std::uint64_t room_ = kNever;
  bool ignore_syncs_ = false;
  bool refuse_maps_ = false;
  std::function<void()> on_write_or_sync_;
};

}  // namespace mayfly::engine::hot

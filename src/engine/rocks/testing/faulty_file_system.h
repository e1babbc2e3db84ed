// faulty_file_system.h - the files of a faulty disk: real ones, and a record of what would survive a
// power cut, and of the room they take.
#pragma once

#include <rocksdb/file_system.h>

#include <atomic>
#include <cstdint>
#include <functional>
#include <limits>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "base/random.h"

namespace mayfly::engine {

class FaultyFileSystem final : public rocksdb::FileSystemWrapper {
 public:
  static constexpr std::uint64_t kNever = std::numeric_limits<std::uint64_t>::max();

  FaultyFileSystem() : rocksdb::FileSystemWrapper(rocksdb::FileSystem::Default()) {}

  const char* Name() const override { return "mayfly.faulty_disk"; }

  rocksdb::IOStatus NewWritableFile(const std::string& path, const rocksdb::FileOptions& options,
                                    std::unique_ptr<rocksdb::FSWritableFile>* file,
                                    rocksdb::IODebugContext* debug) override;
  rocksdb::IOStatus ReopenWritableFile(const std::string& path, const rocksdb::FileOptions& options,
                                       std::unique_ptr<rocksdb::FSWritableFile>* file,
                                       rocksdb::IODebugContext* debug) override;
  rocksdb::IOStatus ReuseWritableFile(const std::string& path, const std::string& old_path,
                                      const rocksdb::FileOptions& options,
                                      std::unique_ptr<rocksdb::FSWritableFile>* file,
                                      rocksdb::IODebugContext* debug) override;
  rocksdb::IOStatus NewDirectory(const std::string& path, const rocksdb::IOOptions& options,
                                 std::unique_ptr<rocksdb::FSDirectory>* directory,
                                 rocksdb::IODebugContext* debug) override;
  rocksdb::IOStatus DeleteFile(const std::string& path, const rocksdb::IOOptions& options,
                               rocksdb::IODebugContext* debug) override;
  rocksdb::IOStatus RenameFile(const std::string& from, const std::string& to,
                               const rocksdb::IOOptions& options,
                               rocksdb::IODebugContext* debug) override;
  rocksdb::IOStatus LinkFile(const std::string&, const std::string&, const rocksdb::IOOptions&,
                             rocksdb::IODebugContext*) override {
    return rocksdb::IOStatus::NotSupported("hard links are not tracked by the faulty disk");
  }

  // Call it before a change reaches the disk: false when there is no power. If the process is to
  // die at this change, it calls `half` first, which makes half of the change.
  bool Arrives(const std::function<void()>& half = nullptr);

  void Appended(const std::string& path, std::uint64_t bytes);
  void Truncated(const std::string& path, std::uint64_t size);
  std::uint64_t SizeOf(const std::string& path);
  void Synced(const std::string& path, std::uint64_t size);
  void DirectorySynced();
  void Occupy(const std::string& path, std::uint64_t bytes);

  std::uint64_t DropUnsynced(Random& random);

  // On a full disk: true if there is room for this many bytes, which are taken then.
  bool TakeRoom(std::uint64_t bytes) {
    std::uint64_t left = room;
    while (left >= bytes && !room.compare_exchange_weak(left, left - bytes)) {
    }
    return left >= bytes;
  }
  // The same for bytes of a file, until it gives them back or is removed.
  bool TakeRoom(const std::string& path, std::uint64_t bytes);
  void GiveRoom(const std::string& path, std::uint64_t bytes);

  std::atomic<bool> full{false};
  std::atomic<std::uint64_t> room{0};  // While it is full.
  std::atomic<std::uint64_t> disk_bytes{std::uint64_t{1} << 30};
  std::atomic<bool> powered{true};
  std::atomic<std::uint64_t> operations{0};
  std::atomic<std::uint64_t> kill_at{kNever};
  std::atomic<std::uint64_t> cut_at{kNever};
  std::atomic<bool> ignore_syncs{false};

 private:
  struct Extent {
    std::uint64_t size = 0;
    std::uint64_t synced = 0;
    std::uint64_t taken = 0;  // Of the room of a full disk.
  };

  // A change of the directory, until the directory is synced; with what undoes it.
  struct NameChange {
    enum class Kind : std::uint8_t { kMade, kMoved, kRemoved } kind;
    std::string path;       // kMoved: the new name.
    std::string old_path;   // kMoved only.
    std::string displaced;  // Where the file that had `path` before was put aside; empty: none had.
    Extent displaced_extent;
  };

  // Puts an existing file aside instead of losing it. With `keep_name`, it keeps its name as well
  // until another file takes it: another thread may kill the process between the two, and no crash
  // leaves a rename half done. Needs mutex_.
  void PutAside(const std::string& path, NameChange& change, bool keep_name = false);
  void Undo(const NameChange& change);
  rocksdb::IOStatus Track(const std::string& path, std::unique_ptr<rocksdb::FSWritableFile>* file);

  std::mutex mutex_;  // Guards the rest.
  std::map<std::string, Extent> files_;
  std::vector<NameChange> unsynced_names_;
  std::map<std::string, std::uint64_t> occupied_;  // Bytes by path; see FaultyDisk::Occupy().
  std::uint64_t aside_count_ = 0;
};

}  // namespace mayfly::engine

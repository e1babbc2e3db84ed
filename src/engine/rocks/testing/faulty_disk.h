// faulty_disk.h - a simulated disk that fills up, dies with the process, or loses its power.
// Everything is written through to real files; in addition, the disk records what has been synced.
// A power cut keeps exactly what the standard promises: bytes up to a file's last fsync, names up
// to the directory's last fsync. Of later changes, each file keeps an arbitrary part of its
// unsynced bytes, torn anywhere, and the directory an arbitrary first part of its unsynced changes.
// One database directory per disk. Safe from any thread, except where said.
#pragma once

#include <cstdint>
#include <memory>
#include <string>

#include "base/random.h"

namespace rocksdb {
class Env;
}  // namespace rocksdb

namespace mayfly::engine {

class DiskSpace;
class FaultyFileSystem;

class FaultyDisk {
 public:
  FaultyDisk();
  ~FaultyDisk();
  FaultyDisk(const FaultyDisk&) = delete;
  FaultyDisk& operator=(const FaultyDisk&) = delete;

  // For RocksOptions::env. Lives as long as the disk.
  rocksdb::Env* env();

  // While full, appends fail with "no space", after half of their bytes found room. Bytes for which
  // a file allocated space before have room. Files that are made or grow while it is full give back
  // what they found.
  void SetFull(bool full);

  // A small disk, still empty: files find this much room. Call it before the database is made.
  void SetSize(std::uint64_t bytes);

  // Another program takes what is free of a small disk, except for this much.
  void OccupyAllBut(std::uint64_t bytes);

  // Makes a file of this many bytes. If it is removed while the disk is full, appends find room for
  // as many.
  void Occupy(const std::string& path, std::uint64_t bytes);

  // Room of files that are not of the Env, such as those of another log. False: there is none. What was
  // taken while the disk was full may be given back.
  bool TakeRoom(std::uint64_t bytes);
  void GiveRoom(std::uint64_t bytes);
  bool is_full() const;

  // For RocksOptions::disk_space. Unless the disk is full, all of it is free except the reserve. On
  // a full disk, appends find room for as many bytes as the reserve gives up.
  DiskSpace* space();

  // Kills this process with SIGKILL when the `operations`-th change from now reaches the disk, in
  // the middle of it when it is an append.
  void KillProcessAt(std::uint64_t operations);

  // Changes that reached the disk so far: appends, syncs, names created, moved and removed.
  std::uint64_t operations() const;

  // From now on, or from the `operations`-th change on, every change fails. Close the engine, then
  // call DropUnsynced().
  void CutPower();
  void CutPowerAt(std::uint64_t operations);

  // While true, syncs succeed without effect: a disk that lies. For tests of the tests.
  void IgnoreSyncs(bool ignore);

  // Leaves on the disk what the power cut may have left, and powers it up again. No engine may be
  // open. Returns the number of bytes that were lost.
  std::uint64_t DropUnsynced(Random& random);

 private:
  class Space;

  std::shared_ptr<FaultyFileSystem> file_system_;  // Shared with the Env.
  std::unique_ptr<rocksdb::Env> env_;
  std::unique_ptr<Space> space_;
};

}  // namespace mayfly::engine

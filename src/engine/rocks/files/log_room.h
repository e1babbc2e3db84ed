// log_room.h - space that the newest log owns before anything is written to it.
// RocksDB does not survive every failed write of a log. It ends the process when it uses that log
// again, and without rows in memory it has no other; or it waits for ever, if a flush was about to
// begin. So a commit first takes room: the file system sets blocks aside at the end of the log, or
// refuses, and then RocksDB is not asked. The next log begins with as much room, given back by the
// end of this one if the disk has no more. Where a file system cannot set blocks aside, there is
// always room. Decision 81 says more. Safe from any thread.
#pragma once

#include <rocksdb/file_system.h>

#include <atomic>
#include <cstdint>
#include <memory>
#include <mutex>

namespace mayfly::engine {

class LogRoom {
 public:
  // Room for one commit, until it has been written.
  class Reservation {
   public:
    Reservation(LogRoom& room, std::uint64_t bytes);
    ~Reservation() {
      if (taken_) room_.reserved_ -= bytes_;
    }
    Reservation(const Reservation&) = delete;
    Reservation& operator=(const Reservation&) = delete;

    // False: the disk has no room, and other reservations are as they were. May then be called
    // again, when there may be some.
    bool Take() { return taken_ = room_.TakeOwned(bytes_) || room_.TakeMore(bytes_); }

    // With so many free bytes it is taken.
    std::uint64_t room_needed() const;

   private:
    LogRoom& room_;
    const std::uint64_t bytes_;
    bool taken_ = false;
  };

  // True if a write of the newest log failed: it must not be used any more.
  bool newest_failed() const { return newest_failed_; }

  // `target`, with room for its logs. The room must outlive it and its files.
  std::shared_ptr<rocksdb::FileSystem> GiveTo(const std::shared_ptr<rocksdb::FileSystem>& target);

 private:
  class Log;
  class Files;

  std::uint64_t Needed() const;
  bool TakeOwned(std::uint64_t bytes);
  bool TakeMore(std::uint64_t bytes);
  bool Extend();                     // Needs mutex_.
  bool ExtendTo(std::uint64_t end);  // Needs mutex_.
  void Begin(Log& log);
  void End(Log& log);

  // What is owned covers, besides the log's bytes, all reservations: once in this log, once in the
  // next. Only reservations that are covered are counted, since a log that begins takes room for all
  // of them.
  std::atomic<std::uint64_t> reserved_{0};
  std::atomic<std::uint64_t> size_{0};   // Of the newest log.
  std::atomic<std::uint64_t> owned_{0};  // From the log's beginning on.

  std::atomic<bool> newest_failed_{false};

  std::mutex mutex_;
  Log* newest_ = nullptr;  // Guarded by mutex_.
};

}  // namespace mayfly::engine

// feed.h - the stream that followers of this server read (docs/decisions/0062-being-followed.md).
// The effects of committed transactions as Redis commands, each appended while the latches of its
// keys are held: so per key the stream has the order of the commits, and a transaction is in it as
// one. An offset counts the bytes since the stream began; a position is the stream's id and an
// offset.
//   off -> Start() -> on: transactions feed it, deaths too -> Stop() -> off, another id next time
// Keeps the newest `repl-backlog-size` bytes, and more as long as a reader is behind them. Safe to
// call from any thread; its mutex is a leaf, under which readers are woken.
#pragma once

#include <atomic>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/store/death_listener.h"
#include "mayfly/clock.h"
#include "server/command/command_feed.h"
#include "server/feed/replication_log.h"
#include "wire/byte_buffer.h"

namespace mayfly::server {

struct FeedPosition {
  std::string id;
  std::int64_t offset = 0;
};

class Feed final : public core::DeathListener {
 public:
  // A reader's place in the stream.
  class Reader {
   public:
    Reader(std::int64_t position, std::uint64_t behind_max, std::function<void()> wake)
        : behind_max_(behind_max), wake_(std::move(wake)), position_(position) {}

   private:
    friend class Feed;
    const std::uint64_t behind_max_;    // Bytes; 0: no bound.
    const std::function<void()> wake_;  // Must not wait, nor call the feed.
    std::int64_t position_;             // Guarded by the feed's mutex, as the rest.
    bool waits_ = false;                // To be woken.
    bool lost_ = false;                 // The stream has ended, or it is too far behind.
  };

  // `number_of`: the number that a keyspace of this name has as a database, or -1.
  // `backlog_bytes`: repl-backlog-size; must outlive it.
  Feed(std::function<int(const std::string& keyspace)> number_of,
       const std::atomic<std::int64_t>& backlog_bytes)
      : number_of_(std::move(number_of)), backlog_bytes_(backlog_bytes) {}

  // Whether transactions have to feed it. Changes while all latches are held.
  bool on() const { return on_.load(std::memory_order_acquire); }

  // Begins a stream if there is none: its position was `position` (an empty id: a new stream).
  // Called while all latches are held, as is Stop(). Stop() ends it for all readers.
  void Start(const FeedPosition& position = {});
  void Stop();

  // A follower has come that refuses a MULTI with a command newer than Redis 7.0.
  void ServesOldFollowers() { old_followers_ = true; }

  // Appends what a transaction has fed, under its latches; returns the offset behind it.
  std::int64_t Append(const std::vector<CommandFeed::Entry>& entries);

  // Appends a command about the stream itself: PING, REPLCONF GETACK.
  std::int64_t AppendControl(std::initializer_list<Bytes> args);

  void Died(std::span<const core::Death> deaths) override;

  FeedPosition position() const;
  std::int64_t offset() const { return offset_.load(std::memory_order_acquire); }

  struct Figures {
    std::string id;
    std::int64_t offset = 0;
    std::int64_t first = 0;  // The oldest that is kept.
    std::size_t bytes = 0;
  };
  Figures figures() const;

  // A reader from this position on; null: it is not kept, or of another stream. One that is more
  // than `behind_max` bytes behind loses its place.
  std::shared_ptr<Reader> Attach(const FeedPosition& from, std::uint64_t behind_max,
                                 std::function<void()> wake);

  // A reader from the present position on, which is set; there the stream selects a database anew.
  std::shared_ptr<Reader> AttachAtEnd(FeedPosition& position, std::uint64_t behind_max,
                                      std::function<void()> wake);
  void Detach(const std::shared_ptr<Reader>& reader);

  // Moves up to `bytes_max` to `out`. Nothing: the reader has lost its place. 0: it has all, and is
  // woken when there is more.
  std::optional<std::size_t> Take(Reader& reader, std::size_t bytes_max, ByteBuffer& out);

  // Bytes that a reader has not taken yet; nothing: it has lost its place.
  std::optional<std::size_t> Behind(const Reader& reader) const;

 private:
  void AppendLocked(Bytes bytes);
  void AppendEntries(std::string& out, std::span<const CommandFeed::Entry> unit);
  void Select(std::string& out, int database);
  void Cut();

  const std::function<int(const std::string& keyspace)> number_of_;
  const std::atomic<std::int64_t>& backlog_bytes_;
  std::atomic<bool> on_{false};
  std::atomic<bool> old_followers_{false};
  std::atomic<std::int64_t> offset_{0};

  mutable std::mutex mutex_;  // Guards the rest.
  std::string id_;
  ReplicationLog log_;
  int selected_ = -1;  // In the stream; -1: a SELECT has to come.
  std::vector<std::shared_ptr<Reader>> readers_;
};

// As it is fed: DEL of a key, HDEL of a field, XDEL of an entry.
void FeedDeath(const core::Death& death, int database, CommandFeed& feed);

}  // namespace mayfly::server

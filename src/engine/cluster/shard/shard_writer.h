// shard_writer.h - sends the writes of a shard's owner to the store, one after the other.
// Each write carries two conditions: the owner record, so that a server which was replaced writes
// nothing, and the sequence n - 1, which it sets to n. So a write whose outcome is unknown is sent
// again until one of them is known to have happened, and counts once: a second arrival finds n.
// Invariants:
// (1) When a call returns Ok, exactly one of its sendings happened.
// (2) When a call returns an error, none happened and none will; unless the error says that the
//     outcome is unknown. After such an error every call is refused: whatever is still under way
//     must first be ruled out, by the server that opens the shard next.
// Threads: Write() and Barrier() from one at a time; the others from any.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "engine/cluster/objects/object_store.h"
#include "engine/cluster/ownership/lease_records.h"
#include "mayfly/clock.h"

namespace mayfly::engine::cluster {

// A shard of one database in the store.
struct ShardPlace {
  std::string object;  // Its name.
  std::string name;    // In messages: "shard 12".
  OwnerRecord record;  // Ours.
};

struct WriterCounts {
  std::atomic<std::uint64_t> writes{0};   // That happened.
  std::atomic<std::uint64_t> keys{0};     // Set or removed by these.
  std::atomic<std::uint64_t> resends{0};  // Of writes whose outcome was unknown.
};

class ShardWriter {
 public:
  // `patience`: how long an answer to a write is waited for, and the write sent again. `store`,
  // `clock` must outlive this. `while_waiting`: see ShardOptions.
  ShardWriter(ObjectStore& store, ShardPlace place, const Clock& clock,
              std::chrono::milliseconds patience, std::function<void()> while_waiting = nullptr);

  // Reads the sequence, and writes it once: no write of an earlier life can happen any more. First
  // of all calls. Busy when the shard is another's.
  Status Barrier();

  // Busy when the shard is another's, or after Stop(); IoError when the store refuses.
  Status Write(MapWrite write);

  // Refuses all later calls with this, and ends the resending of one under way. The first reason
  // stays.
  void Stop(const Status& why);

  // After Stop(): ends the wait for an answer, too.
  void GiveUp() { given_up_.store(true, std::memory_order_release); }

  // Ok, or why writes are refused.
  Status stopped() const;
  bool is_stopped() const { return is_stopped_.load(std::memory_order_acquire); }

  // An error has left it open whether a write happened.
  bool is_uncertain() const { return is_uncertain_.load(std::memory_order_acquire); }

  // Compares the record in the store with ours. Ok: until this call was made, nobody else wrote.
  Status Confirm();

  // The refusal of a server that is not the owner.
  Status NotOurs() const;

  // Of the last write that happened; only of the thread that writes.
  std::uint64_t sequence() const { return sequence_; }

  const ShardPlace& place() const { return place_; }
  const WriterCounts& counts() const { return counts_; }

 private:
  enum class Seen : std::uint8_t { kNothing, kBefore, kAfter, kOthers };

  Status SendOnce(const std::shared_ptr<const MapWrite>& write, SteadyTime began);
  Result<std::vector<std::string>> Read(std::vector<std::string> keys);
  bool IsOver(SteadyTime began) const;
  Status Send(const std::shared_ptr<const MapWrite>& write);
  Seen Look();
  Status NoAnswer() const;
  Status Unknown();
  bool Pause();

  ObjectStore& store_;
  const ShardPlace place_;
  const Clock& clock_;
  const std::chrono::milliseconds patience_;
  const std::function<void()> while_waiting_;
  const std::string record_bytes_;
  std::uint64_t sequence_ = 0;
  WriterCounts counts_;

  mutable std::mutex mutex_;
  std::condition_variable stop_;
  Status why_;  // Guarded by mutex_.
  std::atomic<bool> is_stopped_{false};
  std::atomic<bool> is_uncertain_{false};
  std::atomic<bool> given_up_{false};
};

}  // namespace mayfly::engine::cluster

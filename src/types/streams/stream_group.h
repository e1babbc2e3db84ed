// stream_group.h - a group of consumers of a stream, and the entries they have not acknowledged.
//   side  | 'g' | group's name |                           ->  the group, see GroupState
//         | 'n' | group u64 | consumer's name |            ->  | consumer varint |
//         | 'c' | group u64 | consumer u64 |               ->  the consumer, see Consumer
//         | 'p' | group u64 | id |                         ->  | consumer | time ms | deliveries |
//         | 'o' | group u64 | consumer u64 | id |          ->  empty: whose it is, by consumer
// In 'p' and 'o' the group is its space, a number of its own. Numbers in keys are big endian, ids
// as in stream_id.h, numbers in values varints. Numbers are given out once in a stream's life.
// Invariants: (1) A pending entry has one 'p' and one 'o', written and removed together; the counts
// in group and consumer are theirs. (2) No pending entry lies outside of [low, high] of its group:
// an id behind them is new, without a search. (3) An acknowledged entry leaves tombstones in the
// engine. When these are many times the entries left, and few enough are left, they move to a new
// space, which has none: so walks and searches do not pass all that was ever acknowledged.
// Reading costs what is shown, delivering and acknowledging a few rows for each entry, whatever the
// size of the stream and of the group.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "base/function_ref.h"
#include "mayfly/bytes.h"
#include "mayfly/result.h"
#include "types/streams/stream.h"

namespace mayfly::types {

struct GroupState {
  std::uint64_t number = 0;
  std::uint64_t space = 0;  // Where its pending entries lie.
  StreamId last = {};       // Delivered.
  // How many entries had been added when `last` was; nothing when that is not known.
  std::optional<std::uint64_t> read = {};
  std::uint64_t pending = 0;
  std::uint64_t consumers = 0;
  StreamId low = {};
  StreamId high = {};
  std::uint64_t removed = 0;  // Pending entries, since its space was new.
};

struct Consumer {
  std::uint64_t number = 0;
  std::string name;
  std::int64_t seen_ms = 0;
  std::uint64_t pending = 0;
};

struct PendingEntry {
  std::uint64_t consumer = 0;
  std::int64_t delivered_ms = 0;
  std::uint64_t deliveries = 0;
};

// A group within a latched transaction. Its changes, and those of its consumers, are kept until
// Save(); pending entries are written at once. Borrows the stream. Threads: one at a time.
class StreamGroup {
 public:
  // Nothing when there is no such group.
  static Result<std::optional<StreamGroup>> Find(Stream& stream, Bytes name);

  // False when there is one of this name. The caller saves the stream.
  static Result<bool> Make(Stream& stream, Bytes name, StreamId last,
                           std::optional<std::uint64_t> read);

  // Shows all groups in the order of their names.
  static Status WalkGroups(Stream& stream, FunctionRef<Status(StreamGroup& group)> show);

  const std::string& name() const { return name_; }
  const GroupState& state() const { return state_; }

  // Whether numbers were taken from the stream, which must be saved then.
  bool took_numbers() const { return took_numbers_; }

  Status Save();

  // Removes the group with all that belongs to it. The caller saves the stream.
  Status Destroy();

  void SetLast(StreamId last, std::optional<std::uint64_t> read) {
    state_.last = last;
    state_.read = read;
  }

  // Null when there is no such consumer. What is returned holds as long as the group.
  Result<Consumer*> FindConsumer(Bytes name);
  Result<Consumer*> ConsumerOf(std::uint64_t number);

  // There must be none of this name.
  Result<Consumer*> MakeConsumer(Bytes name, std::int64_t now_ms);

  // Removes a consumer with its pending entries; returns how many these were.
  Result<std::uint64_t> RemoveConsumer(Consumer& consumer);

  Status WalkConsumers(FunctionRef<Status(Consumer& consumer)> show);

  Result<std::optional<PendingEntry>> FindPending(StreamId id);

  // Writes a pending entry of `owner`; `old` is the stored one (null: none).
  Status PutPending(StreamId id, Consumer& owner, std::int64_t delivered_ms,
                    std::uint64_t deliveries, const PendingEntry* old);
  Status RemovePending(StreamId id, const PendingEntry& old);

  // The oldest and the newest one.
  struct PendingEnds {
    StreamId first;
    StreamId last;
  };
  Result<std::optional<PendingEnds>> Ends();

  // Shows pending entries with ids in [first, last], of one consumer or (null) of all, until the
  // function returns false. It may change the entry it is shown.
  using ShowPending = FunctionRef<Result<bool>(StreamId id, const PendingEntry& entry)>;
  Status WalkPending(const Consumer* owner, StreamId first, StreamId last, ShowPending show);

 private:
  StreamGroup(Stream& stream, Bytes name) : stream_(&stream), name_(name) {}

  Result<Consumer*> Load(std::uint64_t number);
  Status ReadPending(const Consumer* owner, StreamId first, StreamId last, std::size_t count,
                     std::vector<std::pair<StreamId, PendingEntry>>& entries);
  Status RemoveAll(Bytes begin);
  Status FindEnds();
  std::uint64_t NewNumber();
  bool IsWorn() const;
  Status Renew();

  Stream* stream_;
  std::string name_;
  GroupState state_;
  bool took_numbers_ = false;
  std::map<std::uint64_t, Consumer> consumers_;  // Those in use; written by Save().
};

}  // namespace mayfly::types

// types.h - hashes, lists, sets and sorted sets within a transaction.
//
//   database.Transact([&](mayfly::Transaction& transaction) -> mayfly::Status {
//     mayfly::Hash session(transaction, keyspace, "session:7");
//     MAYFLY_RETURN_IF_ERROR(session.Put("user", "alice").status());
//     MAYFLY_RETURN_IF_ERROR(session.Put("code", "4711", Lifetime::For(90s)).status());
//     return mayfly::SortedSet(transaction, keyspace, "active").Put("alice", 1.0).status();
//   });
//
// They are the same rows that clients of the Redis server see under the same keys: HSET there is
// Hash::Put() here. A key without a row is an empty collection, which is made with its first member
// and removed with its last. Deadlines of whole collections are set as of any row, through
// transaction.In(keyspace).Expire(); a new one gets the keyspace's default. A dead collection, and a
// dead field of a hash, is absent for every call.
//
// The objects are handles: they hold nothing but the names, and every call reads the collection as
// the transaction sees it then. They must not outlive the transaction or the keyspace's handle.
// Conflicts: a commit fails with Conflict when another writer changed a member that was read, a
// range of members that was read, the number of members or the deadline; of a list or sorted set,
// also when it changed the part of the order that led to what was read. It fails, too, when a
// collection that it changes has died meanwhile. Other rows are as transaction.h says.
//
// Errors: WrongType when the key holds another type; Unsupported for writes in keyspaces ordered by
// timestamp; Invalid when the transaction is over, and for writes of keys, names and values past
// the limits, for names 65,536 bytes less the few that a type adds. Threads: as the transaction, one
// at a time.
#pragma once

#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <vector>

#include "mayfly/bytes.h"
#include "mayfly/events.h"
#include "mayfly/lifetime.h"
#include "mayfly/result.h"
#include "mayfly/transaction.h"

namespace mayfly {

// A key of a keyspace within a transaction.
class CollectionHandle {
 public:
  CollectionHandle(Transaction& transaction, const Keyspace& keyspace, std::string key)
      : transaction_(&transaction), keyspace_(&keyspace), key_(std::move(key)) {}

  const std::string& key() const { return key_; }

 protected:
  ~CollectionHandle() = default;

  Transaction* transaction_;
  const Keyspace* keyspace_;
  std::string key_;
};

// Fields with values. Each field may have a deadline of its own; a hash whose fields all have one
// dies with the last of them.
class Hash : public CollectionHandle {
 public:
  using CollectionHandle::CollectionHandle;

  struct Field {
    std::string name;
    std::string value;
    std::optional<WallTime> deadline;
  };

  // A part of the fields, in no particular order.
  struct Page {
    std::vector<Field> fields;
    std::uint64_t next = 0;  // Where the next page begins; 0: there is none.
  };

  Result<std::uint64_t> Size() const;

  // NotFound when there is no such field.
  Result<Field> Get(Bytes field) const;

  // True when the field is new. Of a field, Lifetime::Default() is for ever, and Keep() for a new
  // one, too; the keyspace's policy is about whole rows. An instant that has passed removes the
  // field, without an event, and returns false.
  Result<bool> Put(Bytes field, Bytes value, Lifetime lifetime = Lifetime::Forever());

  // Changes the deadline alone. False when there is no such field. Keep() is Invalid.
  Result<bool> Expire(Bytes field, Lifetime lifetime);

  // True when the field existed.
  Result<bool> Remove(Bytes field);

  // The name of the field that an event is about, of a hash's member that died; of a stream's entry,
  // its id. Nothing when the event is about the whole row.
  static std::optional<std::string> FieldOf(const Event& event);

  // Shows `count` fields, or a few more, from `from` on, 0 for the first page. The hash may change
  // between pages: fields that existed all along are shown once.
  Result<Page> Read(std::uint64_t from = 0, std::uint64_t count = 1000) const;
};

// Values in an order, addressed by position: 0 is the front.
class List : public CollectionHandle {
 public:
  using CollectionHandle::CollectionHandle;

  Result<std::uint64_t> Size() const;

  Status PushFront(Bytes value);
  Status PushBack(Bytes value);

  // Remove and return a value. NotFound when the list is empty.
  Result<std::string> PopFront();
  Result<std::string> PopBack();

  // NotFound when there is no such position.
  Result<std::string> Get(std::uint64_t position) const;
  Status Set(std::uint64_t position, Bytes value);
  Status Remove(std::uint64_t position);

  // Inserts before the value at `position`; the size appends.
  Status Insert(std::uint64_t position, Bytes value);

  // Keeps only the values in [begin, end).
  Status Trim(std::uint64_t begin, std::uint64_t end);

  // Up to `count` values from `position` on.
  Result<std::vector<std::string>> Read(
      std::uint64_t position = 0,
      std::uint64_t count = std::numeric_limits<std::uint64_t>::max()) const;
};

// Different names.
class Set : public CollectionHandle {
 public:
  using CollectionHandle::CollectionHandle;

  // A part of the names, in no particular order.
  struct Page {
    std::vector<std::string> names;
    std::uint64_t next = 0;  // Where the next page begins; 0: there is none.
  };

  Result<std::uint64_t> Size() const;
  Result<bool> Contains(Bytes name) const;

  // True when the name is new.
  Result<bool> Add(Bytes name);

  // True when the name was in the set.
  Result<bool> Remove(Bytes name);

  // As Hash::Read().
  Result<Page> Read(std::uint64_t from = 0, std::uint64_t count = 1000) const;
};

// Different names with scores, in the order of scores; names of equal score are in byte order.
class SortedSet : public CollectionHandle {
 public:
  using CollectionHandle::CollectionHandle;

  struct Member {
    std::string name;
    double score;
  };

  enum class Order : std::uint8_t { kAscending, kDescending };

  Result<std::uint64_t> Size() const;

  // NotFound when the name is not in the set. Ranks count from 0, the lowest score.
  Result<double> Score(Bytes name) const;
  Result<std::uint64_t> Rank(Bytes name) const;

  // Sets the score. True when the name is new. Invalid for nan.
  Result<bool> Put(Bytes name, double score);

  // Adds to the score, 0 for a new name, and returns the sum. Invalid when that is nan.
  Result<double> Increment(Bytes name, double by);

  // True when the name was in the set.
  Result<bool> Remove(Bytes name);

  // Up to `count` members, from the `first` one on in this order.
  Result<std::vector<Member>> ByRank(std::uint64_t first, std::uint64_t count,
                                     Order order = Order::kAscending) const;

  // Up to `count` members with scores in [min, max].
  Result<std::vector<Member>> ByScore(
      double min, double max, Order order = Order::kAscending,
      std::uint64_t count = std::numeric_limits<std::uint64_t>::max()) const;

  Result<std::uint64_t> CountByScore(double min, double max) const;

  // Removes and returns up to `count` members with the lowest, or highest, scores.
  Result<std::vector<Member>> PopLowest(std::uint64_t count = 1);
  Result<std::vector<Member>> PopHighest(std::uint64_t count = 1);
};

}  // namespace mayfly

// model.h - the reference model of a TTL database: plain maps, deadlines, and one shared instant.
// A copy of the maps is a snapshot of them. Dead rows stay until something would remove their
// bytes, because that is when events are delivered. Where order is by timestamp, every write of a
// key is kept for ever: no read may show what the database has forgotten. The code is simple, so
// that it is right.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "mayfly/events.h"
#include "mayfly/maintenance.h"
#include "tests/core/write_call.h"

namespace mayfly::core::suite {

struct ModelRow {
  std::string value;
  std::optional<WallTime> deadline;
  std::optional<WallTime> timestamp = std::nullopt;

  friend bool operator==(const ModelRow&, const ModelRow&) = default;
};

using ModelRows = std::map<std::string, ModelRow, std::less<>>;

inline bool IsAlive(const ModelRow& row, WallTime now) {
  return !row.deadline || *row.deadline > now;
}
ModelRows Living(const ModelRows& stored, WallTime now);

// The writes of one key, by timestamp. Nothing: a delete.
using ModelWords = std::map<WallTime, std::optional<ModelRow>>;

// The writes of all keys. ModelWords are immutable: a new write makes a new map, so that copies are
// cheap.
using ModelPast = std::map<std::string, std::shared_ptr<const ModelWords>, std::less<>>;

// The timestamp of the key's newest write; nothing when there was none.
std::optional<WallTime> NewestOf(const ModelPast& past, const std::string& key);

// The rows as they were at `as_of`, without those that are dead by now.
ModelRows AsOf(const ModelPast& past, WallTime as_of, WallTime now);

struct ModelState {
  ModelRows stored;  // Dead ones included.
  ModelPast past;    // Where order is by timestamp.
};

struct ModelKeyspace : ModelState {
  std::uint32_t id = 0;
  KeyspacePolicy policy;

  bool by_timestamp() const { return policy.order == RowOrder::kTimestamp; }
  void Say(const std::string& key, WallTime timestamp, std::optional<ModelRow> word);
};

// The requested lifetime of a row; "for" counts from the commit.
struct Asked {
  Lifetime::Kind kind = Lifetime::Kind::kForever;  // Of kFor, kUntil and kForever.
  std::int64_t ms = 0;
  bool clamped = false;
};

// The draft of a key.
struct ModelDraft {
  enum class Kind : std::uint8_t { kNothing, kPut, kDelete };

  Kind kind = Kind::kNothing;
  std::string value;
  Asked asked;

  // Where order is by timestamp.
  std::optional<WallTime> timestamp = std::nullopt;   // The caller's.
  bool same_timestamp = false;                        // It changes the living row.
  bool ttl_from_now = false;                          // Though it has a timestamp.
  std::optional<WallTime> not_before = std::nullopt;  // For one without.

  WallTime TtlFrom(WallTime now) const { return timestamp && !ttl_from_now ? *timestamp : now; }
};

struct Decision {
  WriteAnswer answer;
  ModelDraft draft;
};

// Decides a write, given the living row or null. `pending` is the row's requested lifetime, if it
// is a transaction's own row without a final deadline; `newest` the timestamp of the newest write.
Decision Decide(const WriteCall& call, const KeyspacePolicy& policy, const ModelRow* living,
                const Asked* pending, std::optional<WallTime> newest, WallTime now);

// Whether a write may have this timestamp.
bool IsGoodTimestamp(WallTime timestamp, const KeyspacePolicy& policy, WallTime now);

// Nothing when it would be past the end of time.
std::optional<std::optional<WallTime>> DeadlineOf(const Asked& asked, WallTime now);

class Model {
 public:
  using StatesById = std::map<std::uint32_t, ModelState>;

  Model();

  // By name; the default one always exists.
  std::map<std::string, ModelKeyspace> keyspaces;
  WallTime now;
  bool may_delete = true;
  std::vector<Event> events;        // Those not trimmed.
  std::vector<Event> fresh_events;  // Those not delivered to subscribers yet.
  std::uint64_t last_sequence = 0;
  Statistics statistics;  // Only the counts of rows purged and clamped, and of conflicts.

  void Create(const std::string& name, const KeyspacePolicy& policy);
  WriteAnswer Write(const std::string& keyspace, const WriteCall& call);
  void MeetOnRead(const std::string& keyspace, const std::string& key);
  // Purges all due rows, keyspace by keyspace.
  void Purge();
  // Purges the row of the keyspace that has been dead the longest; false if there is none, or none
  // may be purged.
  bool PurgeNext(const std::string& keyspace);
  std::uint64_t Trim(const EventTrim& trim);

  // All states, as a snapshot would keep them.
  StatesById States() const;
  const std::string* NameOf(std::uint32_t id) const;  // Null when there is none.

  // Applies the draft, with its events.
  void Apply(const std::string& keyspace, const std::string& key, const ModelDraft& draft);

 private:
  void AddEvent(const std::string& keyspace, const std::string& key, WallTime deadline,
                const std::string& value, EventCause cause);
  void RemoveDead(const std::string& keyspace, const std::string& key, EventCause cause);

  std::uint32_t next_id_ = 1;
};

}  // namespace mayfly::core::suite

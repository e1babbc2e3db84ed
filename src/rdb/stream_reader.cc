#include "rdb/stream_reader.h"

#include <algorithm>
#include <span>
#include <string_view>
#include <unordered_set>
#include <vector>

#include "base/coding.h"
#include "rdb/packed_lists.h"
#include "wire/decimal.h"

namespace mayfly::rdb {
namespace {

constexpr const char* kBadNode = "a node of a stream cannot be read";

// The values of a node's listpack, one after the other.
class NodeValues {
 public:
  explicit NodeValues(std::vector<std::string> values) : values_(std::move(values)) {}

  bool AtEnd() const { return next_ == values_.size(); }

  bool Text(std::string& text) {
    if (AtEnd()) return false;
    text = values_[next_++];
    return true;
  }

  bool Number(std::int64_t& number) { return !AtEnd() && ReadInteger(values_[next_++], number); }

  // Of things that are behind it, at least one value each.
  bool Count(std::size_t& count) {
    std::int64_t number = 0;
    if (!Number(number) || number < 0) return false;
    count = static_cast<std::size_t>(number);
    return count <= values_.size() - next_;
  }

 private:
  std::vector<std::string> values_;
  std::size_t next_ = 0;
};

bool ReadEntry(NodeValues& values, const StreamId& base, std::span<const std::string> names,
               StreamEntry& entry, bool& deleted) {
  constexpr std::int64_t kDeleted = 1;
  constexpr std::int64_t kSameFields = 2;
  std::int64_t flags = 0;
  std::int64_t ms = 0;
  std::int64_t sequence = 0;
  if (!values.Number(flags) || !values.Number(ms) || !values.Number(sequence)) return false;
  deleted = (flags & kDeleted) != 0;
  entry.id = {base.ms + static_cast<std::uint64_t>(ms),
              base.sequence + static_cast<std::uint64_t>(sequence)};
  const bool same = (flags & kSameFields) != 0;
  std::size_t count = names.size();
  if (!same && !values.Count(count)) return false;
  for (std::size_t i = 0; i < count; ++i) {
    auto& [name, value] = entry.fields.emplace_back();
    if (same) name = names[i];
    if ((!same && !values.Text(name)) || !values.Text(value)) return false;
  }
  std::int64_t parts = 0;  // For reading backwards.
  return values.Number(parts);
}

// `last`: the id of the last entry that was read.
bool ReadNode(NodeValues values, const StreamId& base, Input& in, ValueSink& sink, StreamId& last) {
  std::int64_t entries = 0;
  std::int64_t deleted_entries = 0;
  std::size_t names_count = 0;
  if (!values.Number(entries) || !values.Number(deleted_entries) || !values.Count(names_count)) {
    return in.Malformed(kBadNode);
  }
  std::vector<std::string> names(names_count);
  for (std::string& name : names) {
    if (!values.Text(name)) return in.Malformed(kBadNode);
  }
  std::int64_t terminator = 0;
  if (!values.Number(terminator)) return in.Malformed(kBadNode);
  while (!values.AtEnd()) {
    StreamEntry entry;
    bool deleted = false;
    if (!ReadEntry(values, base, names, entry, deleted)) return in.Malformed(kBadNode);
    if (deleted) continue;
    if (entry.id <= last) return in.Malformed("entries of a stream are not in order");
    last = entry.id;
    if (!in.Take(sink.Entry(std::move(entry)))) return false;
  }
  return true;
}

bool ReadNodes(Input& in, ValueSink& sink, StreamId& last) {
  std::uint64_t nodes = 0;
  if (!in.Count(nodes)) return false;
  for (std::uint64_t i = 0; i < nodes; ++i) {
    std::string key;
    std::string packed;
    in.BeginElement();
    if (!in.String(key) || !in.String(packed)) return false;
    Bytes id = key;
    StreamId base;
    if (!EatBigEndian64(id, base.ms) || !EatBigEndian64(id, base.sequence) || !id.empty()) {
      return in.Malformed(kBadNode);
    }
    auto values = ReadListpack(packed, in.budget() / kStringBytes + 1);
    if (!values) return in.Malformed(kBadNode);
    for (const std::string& value : *values) {
      if (!in.Charge(kStringBytes + value.size())) return false;
    }
    if (!ReadNode(NodeValues(*std::move(values)), base, in, sink, last)) return false;
  }
  return true;
}

bool ReadId(Input& in, StreamId& id) { return in.Length(id.ms) && in.Length(id.sequence); }

bool ReadRawId(Input& in, StreamId& id) {
  return in.Uint64BigEndian(id.ms) && in.Uint64BigEndian(id.sequence);
}

bool ReadInstant(Input& in, WallTime& instant) {
  std::int64_t ms = 0;
  if (!in.Int64(ms)) return false;
  instant = WallTimeFromMs(ms);
  return true;
}

bool ReadPending(Input& in, StreamGroup& group) {
  std::uint64_t count = 0;
  if (!in.Count(count)) return false;
  for (std::uint64_t i = 0; i < count; ++i) {
    PendingEntry& entry = group.pending.emplace_back();
    if (!in.Charge(sizeof(entry)) || !ReadRawId(in, entry.id)) return false;
    if (!ReadInstant(in, entry.delivered) || !in.Length(entry.deliveries)) return false;
  }
  const auto out_of_order = [](const PendingEntry& a, const PendingEntry& b) {
    return b.id <= a.id;
  };
  return std::adjacent_find(group.pending.begin(), group.pending.end(), out_of_order) ==
             group.pending.end() ||
         in.Malformed("pending entries of a stream are not in order");
}

// Its pending entries are named by their ids, and are among those of the group.
bool ReadConsumer(Input& in, int version, StreamGroup& group) {
  StreamConsumer consumer;
  WallTime active;
  std::uint64_t count = 0;
  if (!in.String(consumer.name) || !ReadInstant(in, consumer.seen)) return false;
  if (version >= 3 && !ReadInstant(in, active)) return false;
  if (version >= 3 && ToMs(active) >= 0) consumer.active = active;
  if (!in.Count(count)) return false;
  for (std::uint64_t i = 0; i < count; ++i) {
    StreamId id;
    if (!ReadRawId(in, id)) return false;
    const auto found = std::lower_bound(
        group.pending.begin(), group.pending.end(), id,
        [](const PendingEntry& entry, const StreamId& wanted) { return entry.id < wanted; });
    if (found == group.pending.end() || found->id != id) {
      return in.Malformed("a consumer has a pending entry that its group does not have");
    }
    if (!in.Charge(consumer.name.size())) return false;
    found->consumer = consumer.name;
  }
  group.consumers.push_back(std::move(consumer));
  return true;
}

bool ReadGroup(Input& in, int version, StreamGroup& group) {
  if (!in.String(group.name) || !ReadId(in, group.last)) return false;
  if (version >= 2) {
    std::uint64_t read = 0;
    if (!in.Length(read)) return false;
    if (read != UINT64_MAX) group.entries_read = read;
  }
  std::uint64_t consumers = 0;
  if (!ReadPending(in, group) || !in.Count(consumers)) return false;
  for (std::uint64_t i = 0; i < consumers; ++i) {
    if (!ReadConsumer(in, version, group)) return false;
  }
  return true;
}

// Whether its consumers are different, and every pending entry is one's.
bool HasConsistentNames(const StreamGroup& group) {
  std::unordered_set<std::string_view> names;
  for (const StreamConsumer& consumer : group.consumers) {
    if (!names.insert(consumer.name).second) return false;
  }
  return std::all_of(group.pending.begin(), group.pending.end(),
                     [&](const PendingEntry& entry) { return names.contains(entry.consumer); });
}

}  // namespace

bool ReadStream(Input& in, int version, ValueSink& sink) {
  StreamState state;
  StreamId last;
  if (!ReadNodes(in, sink, last)) return false;
  in.BeginElement();
  if (!in.Length(state.entries) || !ReadId(in, state.last)) return false;
  if (last > state.last) return in.Malformed("a stream has an entry behind its last id");
  if (version >= 2) {
    std::uint64_t added = 0;
    if (!ReadId(in, state.first.emplace()) || !ReadId(in, state.last_deleted.emplace())) {
      return false;
    }
    if (!in.Length(added)) return false;
    state.entries_added = added;
  }
  std::uint64_t groups = 0;
  if (!in.Count(groups)) return false;
  for (std::uint64_t i = 0; i < groups; ++i) {
    StreamGroup& group = state.groups.emplace_back();
    if (!ReadGroup(in, version, group)) return false;
    if (!HasConsistentNames(group)) {
      return in.Malformed("a group has a consumer twice, or a pending entry of no consumer");
    }
  }
  std::unordered_set<std::string_view> names;
  for (const StreamGroup& group : state.groups) {
    if (!names.insert(group.name).second) return in.Malformed("a stream has a group twice");
  }
  return in.Take(sink.Stream(std::move(state)));
}

}  // namespace mayfly::rdb

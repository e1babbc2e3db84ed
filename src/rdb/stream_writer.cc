#include "rdb/stream_writer.h"

#include <algorithm>
#include <map>
#include <string_view>
#include <utility>
#include <vector>

#include "base/coding.h"
#include "rdb/listpack_writer.h"
#include "rdb/rdb_writer.h"

namespace mayfly::rdb {
namespace {

// As Redis' own nodes, unless it is configured.
constexpr std::size_t kNodeEntriesMax = 100;
constexpr std::size_t kNodeBytesMax = 4096;

using Fields = std::vector<std::pair<std::string, std::string>>;

std::string RawId(const StreamId& id) {
  std::string raw;
  AppendBigEndian64(raw, id.ms);
  AppendBigEndian64(raw, id.sequence);
  return raw;
}

void AppendId(std::string& out, const StreamId& id) {
  AppendLength(out, id.ms);
  AppendLength(out, id.sequence);
}

void AppendInstant(std::string& out, WallTime instant) {
  AppendLittleEndian64(out, static_cast<std::uint64_t>(ToMs(instant)));
}

bool HaveSameNames(const Fields& a, const Fields& b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](const auto& one, const auto& other) { return one.first == other.first; });
}

void AppendEntry(ListpackWriter& node, const StreamEntry& first, const StreamEntry& entry) {
  constexpr std::int64_t kPlain = 0;
  constexpr std::int64_t kSameFields = 2;
  constexpr std::size_t kFixedParts = 3;  // Flags and the two distances.
  const bool same = HaveSameNames(first.fields, entry.fields);
  node.Number(same ? kSameFields : kPlain);
  node.Number(static_cast<std::int64_t>(entry.id.ms - first.id.ms));
  node.Number(static_cast<std::int64_t>(entry.id.sequence - first.id.sequence));
  if (!same) node.Number(static_cast<std::int64_t>(entry.fields.size()));
  for (const auto& [name, value] : entry.fields) {
    if (!same) node.Text(name);
    node.Text(value);
  }
  const std::size_t parts = same ? entry.fields.size() : 2 * entry.fields.size() + 1;
  node.Number(static_cast<std::int64_t>(parts + kFixedParts));
}

std::size_t BytesOf(const StreamEntry& entry) {
  std::size_t bytes = 0;
  for (const auto& [name, value] : entry.fields) bytes += name.size() + value.size();
  return bytes;
}

// How many of the first entries make the next node; one at least.
std::size_t NodeSize(std::span<const StreamEntry> entries) {
  std::size_t count = 0;
  std::size_t bytes = 0;
  while (count < std::min(entries.size(), kNodeEntriesMax)) {
    bytes += BytesOf(entries[count]);
    if (count > 0 && bytes > kNodeBytesMax) break;
    ++count;
  }
  return count;
}

void AppendNode(std::string& out, std::span<const StreamEntry> entries) {
  const StreamEntry& first = entries.front();
  ListpackWriter node;
  node.Number(static_cast<std::int64_t>(entries.size()));
  node.Number(0);  // Deleted entries.
  node.Number(static_cast<std::int64_t>(first.fields.size()));
  for (const auto& [name, value] : first.fields) node.Text(name);
  node.Number(0);
  for (const StreamEntry& entry : entries) AppendEntry(node, first, entry);
  AppendString(out, RawId(first.id));
  AppendString(out, node.Whole());
}

void AppendNodes(std::string& out, std::span<const StreamEntry> entries) {
  std::uint64_t nodes = 0;
  std::string bytes;
  while (!entries.empty()) {
    const std::size_t count = NodeSize(entries);
    AppendNode(bytes, entries.first(count));
    entries = entries.subspan(count);
    ++nodes;
  }
  AppendLength(out, nodes);
  out += bytes;
}

void AppendGroup(std::string& out, const StreamGroup& group) {
  AppendString(out, group.name);
  AppendId(out, group.last);
  AppendLength(out, group.entries_read.value_or(UINT64_MAX));
  AppendLength(out, group.pending.size());
  std::map<std::string_view, std::vector<StreamId>> owned;
  for (const PendingEntry& entry : group.pending) {
    out += RawId(entry.id);
    AppendInstant(out, entry.delivered);
    AppendLength(out, entry.deliveries);
    owned[entry.consumer].push_back(entry.id);
  }
  AppendLength(out, group.consumers.size());
  for (const StreamConsumer& consumer : group.consumers) {
    const std::vector<StreamId>& ids = owned[consumer.name];
    AppendString(out, consumer.name);
    AppendInstant(out, consumer.seen);
    AppendLength(out, ids.size());
    for (const StreamId& id : ids) out += RawId(id);
  }
}

}  // namespace

void AppendStream(std::string& out, std::span<const StreamEntry> entries,
                  const StreamState& state) {
  AppendNodes(out, entries);
  AppendLength(out, entries.size());
  AppendId(out, state.last);
  AppendId(out, entries.empty() ? StreamId() : entries.front().id);
  AppendId(out, state.last_deleted.value_or(StreamId()));
  AppendLength(out, state.entries_added.value_or(entries.size()));
  AppendLength(out, state.groups.size());
  for (const StreamGroup& group : state.groups) AppendGroup(out, group);
}

}  // namespace mayfly::rdb

#include "server/events/shard_events.h"

#include <string>
#include <string_view>
#include <utility>

#include "types/member_key.h"
#include "types/streams/stream.h"

namespace mayfly::server {
namespace {

std::string_view NameOf(EventCause cause) {
  switch (cause) {
    case EventCause::kPurged: return "purged";
    case EventCause::kRead: return "read";
    case EventCause::kReplaced: return "replaced";
    case EventCause::kBornDead: return "born-dead";
    case EventCause::kEvicted: return "evicted";
  }
  return "unknown";
}

class FieldList {
 public:
  void Add(std::string_view name, std::int64_t number) { Add(name, Reply::Integer(number)); }
  void Add(std::string_view name, Bytes text) { Add(name, Reply::Bulk(std::string(text))); }
  Reply Take() { return Reply::Of(Reply::Kind::kMap, std::move(items_)); }

 private:
  void Add(std::string_view name, Reply value) {
    items_.push_back(Reply::Bulk(std::string(name)));
    items_.push_back(std::move(value));
  }

  Reply::Items items_;
};

// What died within a row: a field of a hash, or an entry of a stream.
void AddMember(FieldList& fields, Bytes member) {
  if (const auto entry = types::Stream::EntryOf(member)) {
    fields.Add("entry", Bytes(types::ToText(*entry)));
  } else {
    fields.Add("field", types::NameOfMember(member));
  }
}

}  // namespace

Result<ShardEvents> ReadShardEvents(const Database& database, std::optional<std::uint64_t> after,
                                    std::size_t events_max) {
  const std::uint64_t behind = after.value_or(0);
  ShardEvents page;
  MAYFLY_TRY(page.events, database.ReadEvents(behind, events_max));
  std::uint64_t last = behind;
  if (page.events.empty() && (last = database.LastEventSequence()) > behind) {
    // Written since, or trimmed: what is numbered can be read.
    MAYFLY_TRY(page.events, database.ReadEvents(behind, events_max));
  }
  const std::uint64_t gone_through = page.events.empty() ? last : page.events.front().sequence - 1;
  page.read_through = page.events.empty() ? gone_through : page.events.back().sequence;
  if (after && gone_through > behind) page.gap_through = gone_through;
  return page;
}

Reply ReplyOf(const Event& event, std::optional<std::size_t> shard) {
  FieldList fields;
  if (shard) fields.Add("shard", static_cast<std::int64_t>(*shard));
  fields.Add("sequence", static_cast<std::int64_t>(event.sequence));
  fields.Add("keyspace", Bytes(event.keyspace_name));
  fields.Add("key", Bytes(event.key));
  if (event.member) AddMember(fields, *event.member);
  fields.Add("deadline", ToMs(event.deadline));
  fields.Add("purged-at", ToMs(event.purged_at));
  fields.Add("cause", Bytes(NameOf(event.cause)));
  if (event.value) fields.Add("value", Bytes(*event.value));
  return fields.Take();
}

std::size_t BytesOf(const Event& event) {
  return event.key.size() + (event.value ? event.value->size() : 0);
}

}  // namespace mayfly::server

#include "tables/streams/stream_feed.h"

#include <algorithm>

#include "items/item_codec.h"
#include "items/item_key.h"
#include "tables/schema/stream_record.h"
#include "tables/schema/table_limits.h"
#include "tables/schema/table_names.h"

namespace mayfly::tables {

// Behind every sequence.
std::string EndMarkerKey() { return std::string(9, '\xff'); }

StreamFeed::StreamFeed(Database& database, const Keyspace& places, const Table& table,
                       const StoredStream& stream)
    : database_(database),
      places_(places),
      spec_(table.spec),
      id_(table.id),
      label_(stream.label),
      view_(stream.view),
      created_at_(stream.created_at),
      items_(table.items),
      enabled_(stream.enabled),
      record_ttl_(stream.record_ttl) {}

Result<std::shared_ptr<StreamFeed>> StreamFeed::Open(Database& database, const Keyspace& places,
                                                     const Table& table,
                                                     const StoredStream& stream) {
  std::shared_ptr<StreamFeed> feed(new StreamFeed(database, places, table, stream));
  MAYFLY_RETURN_IF_ERROR(feed->Load());
  return feed;
}

Status StreamFeed::Load() {
  MAYFLY_TRY(records_, database_.OpenKeyspace(StreamKeyspace({spec_.name, id_}, label_)));
  const std::string end = EndMarkerKey();
  MAYFLY_TRY(const auto cursor, records_->NewCursor({.end = end}));
  cursor->SeekToLast();
  const auto now_ms = static_cast<std::uint64_t>(ToMs(database_.clock_report().now));
  last_sequence_ = now_ms << kSequenceTimeShift;
  if (cursor->Valid()) {
    MAYFLY_TRY(const std::uint64_t last, DecodeSequence(cursor->key()));
    last_sequence_ = std::max(last_sequence_, last);
  }
  MAYFLY_RETURN_IF_ERROR(cursor->status());
  const auto place = places_.Get(StreamPlaceRow(id_, label_));
  if (!place && !place.status().IsNotFound()) return place.status();
  if (place) {
    MAYFLY_TRY(place_, DecodePlace(*place));
  }
  saved_place_ = place_;
  // A crash may have come before existing records were shortened.
  return record_ttl_ < kStreamRecordTtl ? ShortenRecords() : Status();
}

Status StreamFeed::SetRecordTtl(Millis ttl) {
  if (ttl >= record_ttl_) return {};
  record_ttl_ = ttl;
  return ShortenRecords();
}

Status StreamFeed::ShortenRecords() {
  const WallTime last = database_.clock_report().now + record_ttl_;
  MAYFLY_TRY(const auto cursor, records_->NewCursor());
  cursor->SeekToFirst();
  while (cursor->Valid()) {
    std::vector<std::string> keys;
    for (; cursor->Valid() && keys.size() < kShortenStepRecordsMax; cursor->Next()) {
      if (cursor->deadline().value_or(WallTime::max()) > last) keys.emplace_back(cursor->key());
    }
    MAYFLY_RETURN_IF_ERROR(database_.Transact([&](Transaction& transaction) -> Status {
      for (const std::string& key : keys) {
        const auto shortened =
            transaction.In(*records_).Expire(key, Lifetime::Until(last), DeadlineIf::kEarlier);
        if (!shortened && !shortened.error().IsNotFound()) return shortened.error();
      }
      return {};
    }));
  }
  return cursor->status();
}

std::string StreamFeed::KeyOf(const Item& item) const {
  const auto partition = item.find(spec_.partition.name);
  if (partition == item.end()) return {};
  const auto sort = spec_.sort ? item.find(spec_.sort->name) : item.end();
  return items::ItemKey(partition->second, sort == item.end() ? nullptr : &sort->second);
}

Status StreamFeed::BeginWrite(const std::set<std::string>& keys) {
  alive_.clear();
  for (const std::string& key : keys) {
    MAYFLY_TRY(const bool alive, items_->Exists(key));
    if (alive) {
      alive_.insert(key);
    } else {
      MAYFLY_RETURN_IF_ERROR(items_->Delete(key).status());
    }
  }
  return CatchUp();
}

Status StreamFeed::Append(Transaction& transaction, const Item* before, const Item* after,
                          bool by_ttl) {
  if (before == nullptr && after == nullptr) return {};
  if (before != nullptr && after != nullptr && *before == *after) return {};
  if (before == nullptr && alive_.contains(KeyOf(*after))) {
    return Status::Conflict("the item died when its change had begun; begin again");
  }
  const StreamRecord record = MakeRecord(spec_, view_, before, after, by_ttl, transaction.now());
  return transaction.In(*records_).Put(EncodeSequence(++last_sequence_), EncodeRecord(record),
                                       Lifetime::For(record_ttl_));
}

Status StreamFeed::CatchUp() {
  if (!enabled_) return {};
  told_.reset();
  while (true) {
    const std::uint64_t last = database_.LastEventSequence();
    if (place_ >= last) return {};
    MAYFLY_TRY(const std::vector<Event> events, database_.ReadEvents(place_, kEventPageMax));
    // None: those up to `last` were trimmed.
    const std::uint64_t place = events.empty() ? last : events.back().sequence;
    MAYFLY_TRY(const std::vector<Death> deaths, DeathsAmong(events));
    if (!deaths.empty() || place >= saved_place_ + kUnsavedEventsMax) {
      MAYFLY_RETURN_IF_ERROR(Record(deaths, place));
      saved_place_ = place;
    }
    place_ = place;
  }
}

Result<std::vector<StreamFeed::Death>> StreamFeed::DeathsAmong(const std::vector<Event>& events) {
  std::vector<Death> deaths;
  for (const Event& event : events) {
    if (event.keyspace_name != items_->name() || !event.value) continue;
    if (!told_) {
      MAYFLY_TRY(told_, RemovedSince(event.purged_at));
    }
    MAYFLY_TRY(const bool lives_on, items_->Exists(event.key));
    if (lives_on) continue;
    MAYFLY_RETURN_IF_ERROR(items_->Delete(event.key).status());
    if (!told_->insert(event.key).second) continue;
    MAYFLY_TRY(items::StoredItem stored, items::DecodeItem(*event.value));
    deaths.push_back({std::move(stored.item), event.purged_at});
  }
  return deaths;
}

// Records of the same commit die at the same instant, a day later or sooner: so their deadlines
// tell when they were written, or a later instant if they were shortened since. That is harmless:
// an item that was put again has a record behind its removal.
Result<std::set<std::string>> StreamFeed::RemovedSince(WallTime instant) const {
  std::set<std::string> removed;
  std::set<std::string> seen;
  const std::string end = EndMarkerKey();
  MAYFLY_TRY(const auto cursor, records_->NewCursor({.end = end}));
  for (cursor->SeekToLast(); cursor->Valid(); cursor->Prev()) {
    const auto leaves_at = cursor->deadline();
    if (leaves_at && *leaves_at - record_ttl_ < instant) break;
    MAYFLY_TRY(const StreamRecord record, DecodeRecord(cursor->key(), cursor->value()));
    std::string key = KeyOf(record.keys);
    if (!seen.insert(key).second) continue;  // The last record of an item counts.
    if (record.kind == StreamRecord::Kind::kRemove) removed.insert(std::move(key));
  }
  MAYFLY_RETURN_IF_ERROR(cursor->status());
  return removed;
}

Status StreamFeed::Record(const std::vector<Death>& deaths, std::uint64_t place) {
  return database_.Transact([&](Transaction& transaction) -> Status {
    for (const Death& death : deaths) {
      const StreamRecord record =
          MakeRecord(spec_, view_, &death.item, nullptr, /*by_ttl=*/true, death.at);
      MAYFLY_RETURN_IF_ERROR(transaction.In(*records_).Put(
          EncodeSequence(++last_sequence_), EncodeRecord(record), Lifetime::For(record_ttl_)));
    }
    return transaction.In(places_).Put(StreamPlaceRow(id_, label_), EncodePlace(place));
  });
}

Result<StreamDescription> StreamFeed::Describe() const {
  StreamDescription description{.table = spec_.name,
                                .label = label_,
                                .view = view_,
                                .enabled = enabled_,
                                .key_schema = {{spec_.partition.name, "HASH"}},
                                .created_at = created_at_,
                                .first_sequence = last_sequence_ + 1,
                                .next_sequence = last_sequence_ + 1};
  if (spec_.sort) description.key_schema.emplace(spec_.sort->name, "RANGE");
  const std::string end = EndMarkerKey();
  MAYFLY_TRY(const auto cursor, records_->NewCursor({.end = end}));
  cursor->SeekToFirst();
  const bool any = cursor->Valid();
  if (any) {
    MAYFLY_TRY(description.first_sequence, DecodeSequence(cursor->key()));
  }
  // Some numbers were given out for writes that failed, or skipped at a restart: a reader of an
  // ended stream would wait for them.
  if (any && !enabled_) {
    cursor->SeekToLast();
    MAYFLY_RETURN_IF_ERROR(cursor->status());
    MAYFLY_TRY(const std::uint64_t last, DecodeSequence(cursor->key()));
    description.next_sequence = last + 1;
  }
  MAYFLY_RETURN_IF_ERROR(cursor->status());
  return description;
}

Result<std::vector<StreamRecord>> StreamFeed::Read(std::uint64_t sequence,
                                                   std::size_t records_max) const {
  std::vector<StreamRecord> records;
  const std::string end = EndMarkerKey();
  MAYFLY_TRY(const auto cursor, records_->NewCursor({.end = end}));
  cursor->SeekAtOrAfter(EncodeSequence(sequence));
  std::uint64_t bytes = 0;
  while (cursor->Valid() && records.size() < records_max && bytes < kStreamPageBytesMax) {
    MAYFLY_TRY(StreamRecord record, DecodeRecord(cursor->key(), cursor->value()));
    bytes += record.bytes;
    records.push_back(std::move(record));
    cursor->Next();
  }
  MAYFLY_RETURN_IF_ERROR(cursor->status());
  return records;
}

}  // namespace mayfly::tables

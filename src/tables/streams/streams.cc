#include "tables/streams/streams.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

namespace mayfly::tables {

Status Streams::Hold::Append(Transaction& transaction, const ItemChange& change) {
  for (const Held& held : held_) {
    if (held.feed->table_id() != change.table->id) continue;
    return held.feed->Append(transaction, change.before, change.after, change.by_ttl);
  }
  return {};
}

Result<Streams::Hold> Streams::BeginWrite(const std::vector<About>& items) {
  struct Keys {
    const Table* table;
    std::set<std::string> keys;
  };
  std::map<std::string, Keys> tables;  // By id, which is the order of locks.
  for (const About& item : items) {
    if (item.table->spec.stream == StreamView::kOff) continue;
    const auto at = tables.try_emplace(item.table->id, Keys{item.table, {}}).first;
    at->second.keys.insert(item.key);
  }
  Hold hold;
  for (auto& [id, about] : tables) {
    MAYFLY_TRY(auto feed, Find(about.table->spec.name, about.table->stream_label));
    std::unique_lock lock(feed->mutex());
    MAYFLY_RETURN_IF_ERROR(feed->BeginWrite(about.keys));
    hold.held_.push_back({std::move(feed), std::move(lock)});
  }
  return hold;
}

Status Streams::Refresh(const StoredTable& stored, const Table& table) {
  Feeds before;
  {
    const std::shared_lock lock(feeds_mutex_);
    if (const auto found = feeds_.find(stored.spec.name); found != feeds_.end()) {
      before = found->second;
    }
  }
  Feeds after;
  for (const StoredStream& stream : stored.streams) {
    const auto known = std::find_if(before.begin(), before.end(), [&](const auto& feed) {
      return feed->label() == stream.label && feed->table_id() == stored.id;
    });
    if (known == before.end()) {
      MAYFLY_TRY(auto feed, StreamFeed::Open(database_, places_, table, stream));
      after.push_back(std::move(feed));
      continue;
    }
    const std::lock_guard feed_lock((*known)->mutex());
    if (!stream.enabled) (*known)->End();
    MAYFLY_RETURN_IF_ERROR((*known)->SetRecordTtl(stream.record_ttl));
    after.push_back(*known);
  }
  const std::lock_guard lock(feeds_mutex_);
  feeds_[stored.spec.name] = std::move(after);
  return {};
}

void Streams::Forget(const std::string& table) {
  for (const auto& feed : FeedsOf(table)) {
    const std::lock_guard lock(feed->mutex());
    feed->End();
  }
  const std::lock_guard lock(feeds_mutex_);
  feeds_.erase(table);
}

Streams::Feeds Streams::FeedsOf(const std::string& table) const {
  const std::shared_lock lock(feeds_mutex_);
  Feeds all;
  for (const auto& [name, feeds] : feeds_) {
    if (table.empty() || name == table) all.insert(all.end(), feeds.begin(), feeds.end());
  }
  return all;
}

Result<std::shared_ptr<StreamFeed>> Streams::Find(const std::string& table,
                                                  const std::string& label) const {
  const std::shared_lock lock(feeds_mutex_);
  if (const auto found = feeds_.find(table); found != feeds_.end()) {
    for (const auto& feed : found->second) {
      if (feed->label() == label) return feed;
    }
  }
  return Status::NotFound(
      fmt::format("Requested resource not found: Stream: {} of table {} not found", label, table));
}

Status Streams::CatchUp() { return CatchUp(std::string()); }

Status Streams::CatchUp(const std::string& table) {
  for (const auto& feed : FeedsOf(table)) {
    const std::lock_guard lock(feed->mutex());
    MAYFLY_RETURN_IF_ERROR(feed->CatchUp());
  }
  return {};
}

Result<std::vector<std::string>> Streams::WithEmptyEnded() const {
  std::set<std::string> tables;
  for (const auto& feed : FeedsOf({})) {
    const std::lock_guard lock(feed->mutex());
    if (feed->enabled()) continue;
    MAYFLY_TRY(const std::uint64_t left, feed->RecordsLeft());
    if (left == 0) tables.insert(feed->table());
  }
  return std::vector<std::string>(tables.begin(), tables.end());
}

Result<std::vector<StreamDescription>> Streams::List(const std::string& table) {
  std::vector<StreamDescription> list;
  for (const auto& feed : FeedsOf(table)) {
    const std::lock_guard lock(feed->mutex());
    MAYFLY_TRY(StreamDescription description, feed->Describe());
    list.push_back(std::move(description));
  }
  return list;
}

Result<StreamDescription> Streams::Describe(const std::string& table, const std::string& label) {
  MAYFLY_TRY(const auto feed, Find(table, label));
  const std::lock_guard lock(feed->mutex());
  MAYFLY_RETURN_IF_ERROR(feed->CatchUp());
  return feed->Describe();
}

Result<std::vector<StreamRecord>> Streams::Read(const std::string& table, const std::string& label,
                                                std::uint64_t sequence, std::size_t records_max) {
  MAYFLY_TRY(const auto feed, Find(table, label));
  {
    const std::lock_guard lock(feed->mutex());
    MAYFLY_RETURN_IF_ERROR(feed->CatchUp());
  }
  // Committed records are in order, so that reading needs no hold.
  return feed->Read(sequence, records_max);
}

}  // namespace mayfly::tables

#include "tables/upkeep/sweeper.h"

#include <algorithm>
#include <optional>

#include "tables/items/item_writer.h"
#include "tables/schema/table_limits.h"
#include "tables/schema/table_names.h"

namespace mayfly::tables {

Result<Sweeper::Swept> Sweeper::Sweep(const std::string& name, std::uint64_t items_max) {
  const std::lock_guard alone(mutex_);
  std::uint64_t removed = 0;
  std::optional<Upkeep::Search> search;
  while (true) {
    bool purged = false;
    {
      MAYFLY_TRY(const TableUse table, context_.catalog.Use(name));
      if (table->shadows == nullptr) {
        MAYFLY_TRY(const std::uint64_t rows, PurgeExact(*table, items_max - removed));
        removed += rows;
        return Swept{.items = removed, .more = removed >= items_max};
      }
      MAYFLY_TRY(const std::uint64_t items, FollowEvents(*table, items_max - removed));
      removed += items;
      if (removed >= items_max) return Swept{.items = removed, .more = true};
      MAYFLY_TRY(const PurgeReport report,
                 context_.database.Purge(
                     {.rows_max = std::min<std::uint64_t>(items_max - removed, kSweepPurgeRowsMax),
                      .keyspace = table->shadows.get()}));
      purged = report.rows > 0;
    }
    if (purged) continue;
    if (!search) {  // The usual case: nothing to search for.
      MAYFLY_TRY(search, upkeep_.SearchUnshadowed(name, kSweepSearchItemsMax));
      if (search->seen > 0) continue;
    }
    return Swept{.items = removed, .more = search->more};
  }
}

Result<std::uint64_t> Sweeper::PurgeExact(const Table& table, std::uint64_t items_max) {
  MAYFLY_TRY(const PurgeReport report,
             context_.database.Purge({.rows_max = items_max, .keyspace = table.items.get()}));
  for (const Index& index : table.indexes) {
    MAYFLY_RETURN_IF_ERROR(
        context_.database.Purge({.rows_max = items_max, .keyspace = index.rows.get()}).status());
  }
  return report.rows;
}

Result<Sweeper::Place*> Sweeper::PlaceOf(const Table& table) {
  const auto known = places_.find(table.shadows->name());
  if (known != places_.end()) return &known->second;
  Place place;
  const auto stored = context_.catalog.rows().Get(SweepPlaceRow(table.id));
  if (!stored && !stored.status().IsNotFound()) return stored.status();
  if (stored) {
    MAYFLY_TRY(place.read, DecodePlace(*stored));
    place.saved = place.read;
  }
  // Includes dropped tables; all can be read again.
  if (places_.size() >= kSweepPlacesMax) places_.clear();
  return &places_.emplace(table.shadows->name(), place).first->second;
}

// Shadows make no promise, but a policy can be given one.
bool Sweeper::MayHaveMissed(const Table& table, const Place& place) const {
  return context_.database.EventsTrimmedThrough() > place.read ||
         table.shadows->policy().purge_within.has_value();
}

Result<std::uint64_t> Sweeper::FollowEvents(const Table& table, std::uint64_t items_max) {
  MAYFLY_TRY(Place* const place, PlaceOf(table));
  std::uint64_t removed = 0;
  while (removed < items_max) {
    const std::uint64_t last = context_.database.LastEventSequence();
    if (place->read >= last) break;
    MAYFLY_TRY(const auto events, context_.database.ReadEvents(place->read, kEventPageMax));
    const std::uint64_t first = events.empty() ? last + 1 : events.front().sequence;
    // Checked after the read: what was trimmed before it counts.
    const bool gaps_matter = MayHaveMissed(table, *place);
    if (gaps_matter && first > place->read + 1) {
      MAYFLY_RETURN_IF_ERROR(SavePlace(table, *place, first - 1, /*missed=*/true));
      continue;
    }
    std::vector<Event> deaths;
    std::uint64_t through = events.empty() ? last : place->read;
    const std::uint64_t step_max = std::min<std::uint64_t>(items_max - removed, kSweepStepItemsMax);
    for (const Event& event : events) {
      if (deaths.size() >= step_max || (gaps_matter && event.sequence > through + 1)) break;
      through = event.sequence;
      if (event.keyspace_name == table.shadows->name()) deaths.push_back(event);
    }
    if (!deaths.empty()) {
      MAYFLY_TRY(const std::uint64_t items, Remove(table, deaths, *place, through));
      removed += items;
    } else if (through >= place->saved + kUnsavedEventsMax) {
      MAYFLY_RETURN_IF_ERROR(SavePlace(table, *place, through, /*missed=*/false));
    }
    place->read = through;
  }
  // Else the next process would take the events that this one has read for missed.
  const std::uint64_t trimmed = context_.database.EventsTrimmedThrough();
  if (place->saved < trimmed && trimmed <= place->read) {
    MAYFLY_RETURN_IF_ERROR(SavePlace(table, *place, place->read, /*missed=*/false));
  }
  return removed;
}

Status Sweeper::SavePlace(const Table& table, Place& place, std::uint64_t through, bool missed) {
  MAYFLY_RETURN_IF_ERROR(context_.database.Transact([&](Transaction& transaction) -> Status {
    if (missed) MAYFLY_RETURN_IF_ERROR(upkeep_.FindUnshadowed(transaction, table));
    return transaction.In(context_.catalog.rows())
        .Put(SweepPlaceRow(table.id), EncodePlace(through));
  }));
  place.read = through;
  place.saved = through;
  return {};
}

Result<std::uint64_t> Sweeper::Remove(const Table& table, const std::vector<Event>& deaths,
                                      Place& place, std::uint64_t through) {
  std::vector<std::string> latches;
  std::vector<Streams::About> about;
  for (const Event& death : deaths) {
    latches.push_back(table.id + death.key);
    about.push_back({&table, death.key});
  }
  const ItemLatches::Held held = context_.latches.Take(latches);
  MAYFLY_TRY(Streams::Hold hold, context_.streams.BeginWrite(about));
  std::uint64_t removed = 0;
  MAYFLY_RETURN_IF_ERROR(context_.database.Transact(
      [&](Transaction& transaction) -> Status {
        removed = 0;
        for (const Event& death : deaths) {
          MAYFLY_TRY(const auto item, ReadItem(transaction, table, death.key));
          if (!item) continue;
          const auto deadline = DeadlineOf(table, item->item, transaction.now());
          if (!deadline) continue;
          if (*deadline != death.deadline) {
            MAYFLY_TRY(const bool shadowed, transaction.In(*table.shadows).Exists(death.key));
            if (shadowed) continue;
            MAYFLY_RETURN_IF_ERROR(RewriteItem(transaction, table, death.key, *item));
            continue;
          }
          MAYFLY_RETURN_IF_ERROR(
              WriteItem(transaction, table, death.key, &item->item, /*after=*/nullptr));
          MAYFLY_RETURN_IF_ERROR(hold.Append(
              transaction,
              {.table = &table, .before = &item->item, .after = nullptr, .by_ttl = true}));
          ++removed;
        }
        return transaction.In(context_.catalog.rows())
            .Put(SweepPlaceRow(table.id), EncodePlace(through));
      },
      kUpkeepAttemptsMax));
  place.saved = through;
  return removed;
}

}  // namespace mayfly::tables

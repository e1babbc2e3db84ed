#include "server/events/event_pages.h"

#include <fmt/format.h>

#include <algorithm>
#include <deque>
#include <map>
#include <optional>
#include <queue>
#include <string>
#include <utility>

#include "server/events/shard_events.h"

namespace mayfly::server {
namespace {

using Kind = Reply::Kind;

struct ShardEvent {
  std::size_t shard = 0;
  std::uint64_t sequence = 0;
  std::int64_t purged_at = 0;
  std::size_t bytes = 0;
  Reply reply;
};

// Events in an order of their own, of which the first is known.
class EventSource {
 public:
  virtual ~EventSource() = default;

  // Null: there are no more now.
  virtual ShardEvent* First() = 0;
  virtual void Pop() = 0;

  // Whether there may be more behind the last one, which only the source knows.
  virtual bool is_cut() const { return false; }
};

Reply ErrorOf(const Status& status) { return Reply::Text(Kind::kError, Answer(status).error()); }

// Reads ahead: one event at first, since most shards have none, then more.
class DatabaseEvents final : public EventSource {
 public:
  DatabaseEvents(const ServedDatabase& data, std::optional<std::uint64_t> after, bool skips)
      : data_(data), after_(after), skips_(skips) {}

  // What went wrong, once First() is null; a null reply: nothing.
  const Reply& error() const { return error_; }
  std::size_t shard() const { return data_.shard; }
  // What is read, when nothing is left.
  std::optional<std::uint64_t> read_through() const { return after_; }

  ShardEvent* First() override {
    if (ahead_.empty() && !ended_) Read();
    return ahead_.empty() ? nullptr : &ahead_.front();
  }
  void Pop() override { ahead_.pop_front(); }

 private:
  void Read() {
    auto page = ReadShardEvents(data_.database, after_, step_);
    if (!page) return Fail(ErrorOf(page.error()));
    if (page->gap_through && !skips_) {
      return Fail(Reply::Text(
          Kind::kError,
          fmt::format("TRIMMED events {} to {} of shard {} are no longer kept; the same command "
                      "with SKIP goes on behind all that are not",
                      *after_ + 1, *page->gap_through, data_.shard)));
    }
    after_ = page->read_through;
    ended_ = page->events.size() < step_;
    step_ = std::min(step_ * 2, kEventsAheadMax);
    for (const Event& event : page->events) {
      ahead_.push_back({.shard = data_.shard,
                        .sequence = event.sequence,
                        .purged_at = ToMs(event.purged_at),
                        .bytes = BytesOf(event),
                        .reply = ReplyOf(event, data_.shard)});
    }
  }
  void Fail(Reply error) {
    error_ = std::move(error);
    ended_ = true;
  }

  const ServedDatabase& data_;
  std::optional<std::uint64_t> after_;
  const bool skips_;
  bool ended_ = false;
  std::size_t step_ = 1;
  std::deque<ShardEvent> ahead_;
  Reply error_;
};

const Reply* FieldOf(const Reply& map, std::string_view name) {
  if (map.kind != Kind::kMap) return nullptr;
  const Reply::Items& items = map.items();
  for (std::size_t i = 0; i + 1 < items.size(); i += 2) {
    if (items[i].kind == Kind::kBulk && items[i].text() == name) return &items[i + 1];
  }
  return nullptr;
}

std::int64_t NumberOf(const Reply& map, std::string_view name) {
  const Reply* const field = FieldOf(map, name);
  return field != nullptr && field->kind == Kind::kInteger ? field->integer() : 0;
}

std::size_t LengthOf(const Reply& map, std::string_view name) {
  const Reply* const field = FieldOf(map, name);
  return field != nullptr && field->kind == Kind::kBulk ? field->text().size() : 0;
}

// The page of another server.
class ListedEvents final : public EventSource {
 public:
  ListedEvents(EventCursor cursor, Reply::Items events, const EventBounds& bounds)
      : cursor_(std::move(cursor)) {
    std::size_t bytes = 0;
    for (Reply& event : events) {
      ShardEvent one{.shard = static_cast<std::size_t>(NumberOf(event, "shard")),
                     .sequence = static_cast<std::uint64_t>(NumberOf(event, "sequence")),
                     .purged_at = NumberOf(event, "purged-at"),
                     .bytes = LengthOf(event, "key") + LengthOf(event, "value"),
                     .reply = {}};
      one.reply = std::move(event);
      bytes += one.bytes;
      events_.push_back(std::move(one));
    }
    is_cut_ = events_.size() >= bounds.events || bytes >= bounds.bytes;
  }

  const EventCursor& cursor() const { return cursor_; }
  const std::deque<ShardEvent>& left() const { return events_; }

  ShardEvent* First() override { return events_.empty() ? nullptr : &events_.front(); }
  void Pop() override { events_.pop_front(); }
  bool is_cut() const override { return is_cut_; }

 private:
  const EventCursor cursor_;
  std::deque<ShardEvent> events_;
  bool is_cut_ = false;
};

// Takes events from the sources in order, up to the bounds, and moves the cursor over them. One that the
// cursor has passed is left out.
Reply::Items Take(std::span<EventSource* const> sources, const EventBounds& bounds,
                  EventCursor& cursor) {
  const auto later = [](EventSource* a, EventSource* b) {
    const ShardEvent& one = *a->First();
    const ShardEvent& other = *b->First();
    return std::pair(one.purged_at, one.shard) > std::pair(other.purged_at, other.shard);
  };
  std::priority_queue<EventSource*, std::vector<EventSource*>, decltype(later)> queue(later);
  for (EventSource* const source : sources) {
    if (source->First() != nullptr) queue.push(source);
  }
  Reply::Items taken;
  std::size_t bytes = 0;
  while (!queue.empty() && taken.size() < bounds.events && bytes < bounds.bytes) {
    EventSource* const source = queue.top();
    queue.pop();
    ShardEvent& event = *source->First();
    const auto read = cursor.Of(event.shard);
    if (!read || event.sequence > *read) {
      cursor.Set(event.shard, event.sequence);
      bytes += event.bytes;
      taken.push_back(std::move(event.reply));
    }
    source->Pop();
    if (source->First() != nullptr) {
      queue.push(source);
    } else if (source->is_cut()) {
      break;  // The next one may be earlier than all that are known.
    }
  }
  return taken;
}

Reply PageReply(const EventCursor& cursor, Reply::Items events) {
  return Reply::Array({Reply::Bulk(cursor.ToText()), Reply::Array(std::move(events))});
}

// What the source's server knows beyond the events that were taken: that a shard has none, or none any
// more before some.
void Follow(const ListedEvents& source, EventCursor& cursor) {
  std::map<std::size_t, std::uint64_t> first_left;
  for (const ShardEvent& event : source.left()) first_left.try_emplace(event.shard, event.sequence);
  for (const auto& [shard, through] : source.cursor().all()) {
    const auto left = first_left.find(shard);
    const std::uint64_t known = left == first_left.end() ? through : left->second - 1;
    const auto read = cursor.Of(shard);
    if (!read || known > *read) cursor.Set(shard, known);
  }
}

}  // namespace

Reply PageOf(std::span<const std::shared_ptr<ServedDatabase>> shards, EventCursor cursor,
             const EventBounds& bounds, bool skips) {
  std::deque<DatabaseEvents> sources;
  std::vector<EventSource*> places;
  for (const auto& data : shards) {
    places.push_back(&sources.emplace_back(*data, cursor.Of(data->shard), skips));
  }
  Reply::Items taken = Take(places, bounds, cursor);
  for (DatabaseEvents& source : sources) {
    if (source.error().is_error()) return source.error();
    if (source.First() != nullptr) continue;
    if (source.read_through()) cursor.Set(source.shard(), *source.read_through());
  }
  return PageReply(cursor, std::move(taken));
}

EventBounds BoundsOfEach(const EventBounds& bounds, std::size_t servers) {
  EventBounds of_each = bounds;
  of_each.events = std::clamp(2 * bounds.events / std::max<std::size_t>(servers, 1), std::size_t{1},
                              bounds.events);
  return of_each;
}

Reply MergePages(EventCursor cursor, std::size_t shards, const EventBounds& bounds,
                 const EventBounds& of_each, std::vector<Reply> pages) {
  std::deque<ListedEvents> sources;
  std::vector<EventSource*> places;
  for (Reply& page : pages) {
    if (page.is_error()) return std::move(page);
    const bool is_page = page.kind == Kind::kArray && page.items().size() == 2 &&
                         page.items()[0].kind == Kind::kBulk &&
                         page.items()[1].kind == Kind::kArray;
    if (!is_page) {
      return Reply::Text(Kind::kError, "ERR another server's page of events cannot be read");
    }
    auto its = EventCursor::Parse(page.items()[0].text(), shards);
    if (!its) return ErrorOf(its.error());
    places.push_back(
        &sources.emplace_back(*std::move(its), std::move(page.items()[1].items()), of_each));
  }
  Reply::Items taken = Take(places, bounds, cursor);
  for (const ListedEvents& source : sources) Follow(source, cursor);
  return PageReply(cursor, std::move(taken));
}

}  // namespace mayfly::server

#include "server/feed/feed.h"

#include <algorithm>
#include <array>
#include <random>
#include <utility>

#include "types/member_key.h"
#include "types/streams/stream.h"

namespace mayfly::server {
namespace {

constexpr std::size_t kIdBytes = 40;

std::string NewId() {
  static constexpr std::string_view kDigits = "0123456789abcdef";
  std::random_device device;
  std::string id;
  for (std::size_t i = 0; i < kIdBytes; ++i) id += kDigits[device() % kDigits.size()];
  return id;
}

}  // namespace

void FeedDeath(const core::Death& death, int database, CommandFeed& feed) {
  if (!death.member) return feed.Died(database, {"DEL", death.key});
  if (const auto entry = types::Stream::EntryOf(*death.member)) {
    return feed.Died(database, {"XDEL", death.key, types::ToText(*entry)});
  }
  feed.Died(database, {"HDEL", death.key, types::NameOfMember(*death.member)});
}

void Feed::Start(const FeedPosition& position) {
  const std::lock_guard lock(mutex_);
  if (on()) return;
  id_ = position.id.empty() ? NewId() : position.id;
  log_.Reset(position.offset);
  offset_ = position.offset;
  selected_ = -1;
  old_followers_ = false;
  on_.store(true, std::memory_order_release);
}

void Feed::Stop() {
  const std::lock_guard lock(mutex_);
  on_.store(false, std::memory_order_release);
  id_.clear();
  log_.Reset(0);
  offset_ = 0;
  for (const auto& reader : readers_) {
    reader->lost_ = true;
    if (std::exchange(reader->waits_, false)) reader->wake_();
  }
  readers_.clear();
}

void Feed::Select(std::string& out, int database) {
  if (selected_ == database) return;
  AppendCommand(out, std::array<Bytes, 2>{"SELECT", std::to_string(database)});
  selected_ = database;
}

void Feed::AppendEntries(std::string& out, std::span<const CommandFeed::Entry> unit) {
  // What died is no part of the transaction that met it first of all.
  while (!unit.empty() && unit.front().death) {
    Select(out, unit.front().database);
    out += unit.front().bytes;
    unit = unit.subspan(1);
  }
  const bool newer = std::any_of(unit.begin(), unit.end(), [](const CommandFeed::Entry& entry) {
    return entry.known != CommandFeed::Known::kSince70;
  });
  const bool together = unit.size() > 1 && !(newer && old_followers_);
  if (together) {
    Select(out, unit.front().database);
    AppendCommand(out, std::array<Bytes, 1>{"MULTI"});
  }
  for (const CommandFeed::Entry& entry : unit) {
    Select(out, entry.database);
    out += entry.bytes;
  }
  if (together) AppendCommand(out, std::array<Bytes, 1>{"EXEC"});
}

std::int64_t Feed::Append(const std::vector<CommandFeed::Entry>& entries) {
  const std::lock_guard lock(mutex_);
  if (!on()) return 0;
  std::string out;
  std::span<const CommandFeed::Entry> rest(entries);
  while (!rest.empty()) {
    const auto end = std::find_if(rest.begin(), rest.end(), [&](const CommandFeed::Entry& entry) {
      return entry.unit != rest.front().unit;
    });
    const auto count = static_cast<std::size_t>(end - rest.begin());
    AppendEntries(out, rest.first(count));
    rest = rest.subspan(count);
  }
  AppendLocked(out);
  return log_.end();
}

std::int64_t Feed::AppendControl(std::initializer_list<Bytes> args) {
  std::string bytes;
  AppendCommand(bytes, std::span(args.begin(), args.size()));
  const std::lock_guard lock(mutex_);
  if (on()) AppendLocked(bytes);
  return log_.end();
}

void Feed::Died(std::span<const core::Death> deaths) {
  CommandFeed feed;
  for (const core::Death& death : deaths) {
    const int database = number_of_(death.keyspace);
    if (database >= 0) FeedDeath(death, database, feed);
  }
  if (!feed.empty()) Append(feed.entries());
}

void Feed::AppendLocked(Bytes bytes) {
  log_.Append(bytes);
  offset_.store(log_.end(), std::memory_order_release);
  for (const auto& reader : readers_) {
    if (std::exchange(reader->waits_, false)) reader->wake_();
  }
  Cut();
}

void Feed::Cut() {
  std::int64_t first = log_.end() - backlog_bytes_.load(std::memory_order_relaxed);
  for (const auto& reader : readers_) {
    const auto behind = static_cast<std::uint64_t>(log_.end() - reader->position_);
    if (reader->behind_max_ > 0 && behind > reader->behind_max_) reader->lost_ = true;
    if (!reader->lost_) first = std::min(first, reader->position_);
  }
  log_.Cut(first);
}

FeedPosition Feed::position() const {
  const std::lock_guard lock(mutex_);
  return {id_, log_.end()};
}

Feed::Figures Feed::figures() const {
  const std::lock_guard lock(mutex_);
  return {.id = id_, .offset = log_.end(), .first = log_.begin(), .bytes = log_.bytes()};
}

std::shared_ptr<Feed::Reader> Feed::Attach(const FeedPosition& from, std::uint64_t behind_max,
                                           std::function<void()> wake) {
  const std::lock_guard lock(mutex_);
  if (!on() || from.id != id_ || from.offset < log_.begin() || from.offset > log_.end()) {
    return nullptr;
  }
  readers_.push_back(std::make_shared<Reader>(from.offset, behind_max, std::move(wake)));
  return readers_.back();
}

std::shared_ptr<Feed::Reader> Feed::AttachAtEnd(FeedPosition& position, std::uint64_t behind_max,
                                                std::function<void()> wake) {
  const std::lock_guard lock(mutex_);
  position = {id_, log_.end()};
  selected_ = -1;
  readers_.push_back(std::make_shared<Reader>(log_.end(), behind_max, std::move(wake)));
  return readers_.back();
}

void Feed::Detach(const std::shared_ptr<Reader>& reader) {
  const std::lock_guard lock(mutex_);
  std::erase(readers_, reader);
  Cut();
}

std::optional<std::size_t> Feed::Take(Reader& reader, std::size_t bytes_max, ByteBuffer& out) {
  const std::lock_guard lock(mutex_);
  if (reader.lost_) return std::nullopt;
  const std::size_t count = log_.Read(reader.position_, bytes_max, out);
  reader.position_ += static_cast<std::int64_t>(count);
  reader.waits_ = count == 0;
  return count;
}

std::optional<std::size_t> Feed::Behind(const Reader& reader) const {
  const std::lock_guard lock(mutex_);
  if (reader.lost_) return std::nullopt;
  return static_cast<std::size_t>(log_.end() - reader.position_);
}

}  // namespace mayfly::server

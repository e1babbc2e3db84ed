#include "types/streams/stream_group.h"

#include <algorithm>
#include <memory>
#include <utility>
#include <vector>

#include "base/coding.h"

namespace mayfly::types {
namespace {

// Stored; append, never renumber.
enum class SideKind : char {
  kGroup = 'g',
  kConsumerName = 'n',
  kConsumer = 'c',
  kPending = 'p',
  kOwned = 'o',
};

// Removals after which the ends of what is pending are looked for.
constexpr std::uint64_t kEndsInterval = 64;

// How many must have been removed, at least and for each entry left, before what is pending moves
// to a new space; and how many may be left.
constexpr std::uint64_t kWornPendingMin = 128;
constexpr std::uint64_t kWornPendingShare = 4;
constexpr std::uint64_t kMovedPendingMax = 2048;

// Sides removed at a time with a group or a consumer.
constexpr std::size_t kSidesAtOnce = 1024;

// Pending entries read before they are shown: at first, as most callers want few, and at most.
constexpr std::size_t kShownFirst = 16;
constexpr std::size_t kShownAtOnce = 1024;

Status DamagedGroup() {
  return Status::Corruption("a group of a stream cannot be read; run a check");
}

std::string GroupKey(Bytes name) {
  std::string key(1, static_cast<char>(SideKind::kGroup));
  key += name;
  return key;
}

std::string KeyOf(SideKind kind, std::uint64_t group) {
  std::string key(1, static_cast<char>(kind));
  AppendBigEndian64(key, group);
  return key;
}

std::string NameKey(std::uint64_t group, Bytes name) {
  std::string key = KeyOf(SideKind::kConsumerName, group);
  key += name;
  return key;
}

std::string ConsumerKey(std::uint64_t group, std::uint64_t consumer) {
  std::string key = KeyOf(SideKind::kConsumer, group);
  AppendBigEndian64(key, consumer);
  return key;
}

std::string PendingKey(std::uint64_t group, StreamId id) {
  std::string key = KeyOf(SideKind::kPending, group);
  AppendStreamId(key, id);
  return key;
}

std::string OwnedPrefix(std::uint64_t group, std::uint64_t consumer) {
  std::string key = KeyOf(SideKind::kOwned, group);
  AppendBigEndian64(key, consumer);
  return key;
}

std::string OwnedKey(std::uint64_t group, std::uint64_t consumer, StreamId id) {
  std::string key = OwnedPrefix(group, consumer);
  AppendStreamId(key, id);
  return key;
}

// The id at the end of a key of pending or owned entries.
StreamId IdAtEnd(Bytes key) {
  StreamId id;
  if (key.size() < kStreamIdBytes) return id;
  key.remove_prefix(key.size() - kStreamIdBytes);
  return EatStreamId(key, id) ? id : StreamId();
}

// The first key behind all that begin with `prefix`, which does not end in 0xff.
std::string EndOf(std::string prefix) {
  while (!prefix.empty() && static_cast<unsigned char>(prefix.back()) == 0xff) prefix.pop_back();
  if (!prefix.empty()) ++prefix.back();
  return prefix;
}

std::string Encode(const GroupState& state) {
  std::string out;
  AppendVarint(out, state.number);
  AppendVarint(out, state.space);
  AppendShortStreamId(out, state.last);
  AppendVarint(out, state.read ? *state.read + 1 : 0);
  AppendVarint(out, state.pending);
  AppendVarint(out, state.consumers);
  AppendShortStreamId(out, state.low);
  AppendShortStreamId(out, state.high);
  AppendVarint(out, state.removed);
  return out;
}

Result<GroupState> DecodeGroup(Bytes in) {
  GroupState state;
  std::uint64_t read = 0;
  if (!EatVarint(in, state.number) || !EatVarint(in, state.space) ||
      !EatShortStreamId(in, state.last) || !EatVarint(in, read) || !EatVarint(in, state.pending) ||
      !EatVarint(in, state.consumers) || !EatShortStreamId(in, state.low) ||
      !EatShortStreamId(in, state.high) || !EatVarint(in, state.removed) || !in.empty()) {
    return DamagedGroup();
  }
  if (read > 0) state.read = read - 1;
  return state;
}

std::string Encode(const Consumer& consumer) {
  std::string out;
  AppendZigZag(out, consumer.seen_ms);
  AppendVarint(out, consumer.pending);
  out += consumer.name;
  return out;
}

Result<Consumer> DecodeConsumer(std::uint64_t number, Bytes in) {
  Consumer consumer{.number = number, .name = {}};
  if (!EatZigZag(in, consumer.seen_ms) || !EatVarint(in, consumer.pending)) return DamagedGroup();
  consumer.name = in;
  return consumer;
}

std::string Encode(const PendingEntry& entry) {
  std::string out;
  AppendVarint(out, entry.consumer);
  AppendZigZag(out, entry.delivered_ms);
  AppendVarint(out, entry.deliveries);
  return out;
}

Result<PendingEntry> DecodePending(Bytes in) {
  PendingEntry entry;
  if (!EatVarint(in, entry.consumer) || !EatZigZag(in, entry.delivered_ms) ||
      !EatVarint(in, entry.deliveries) || !in.empty()) {
    return DamagedGroup();
  }
  return entry;
}

Result<std::unique_ptr<core::MemberCursor>> SidesFrom(const Stream& stream, Bytes begin,
                                                      Bytes end) {
  return stream.space().NewMemberCursor(stream.key(), core::Part::kSides,
                                        {.begin = begin, .end = end});
}

}  // namespace

Result<std::optional<StreamGroup>> StreamGroup::Find(Stream& stream, Bytes name) {
  if (!stream.exists() || stream.head().groups == 0) return std::optional<StreamGroup>();
  core::FoundMember found;
  MAYFLY_RETURN_IF_ERROR(stream.space().FindSide(stream.key(), GroupKey(name), found));
  if (!found.exists) return std::optional<StreamGroup>();
  StreamGroup group(stream, name);
  MAYFLY_TRY(group.state_, DecodeGroup(found.value));
  return std::optional(std::move(group));
}

Result<bool> StreamGroup::Make(Stream& stream, Bytes name, StreamId last,
                               std::optional<std::uint64_t> read) {
  MAYFLY_TRY(const auto found, Find(stream, name));
  if (found) return false;
  StreamGroup group(stream, name);
  const std::uint64_t number = stream.NewNumber();
  group.state_ = {.number = number, .space = number, .last = last, .read = read};
  stream.CountGroup(true);
  MAYFLY_RETURN_IF_ERROR(group.Save());
  return true;
}

Status StreamGroup::WalkGroups(Stream& stream, FunctionRef<Status(StreamGroup& group)> show) {
  if (!stream.exists() || stream.head().groups == 0) return {};
  std::vector<StreamGroup> groups;
  {
    const std::string begin(1, static_cast<char>(SideKind::kGroup));
    MAYFLY_TRY(const auto cursor, SidesFrom(stream, begin, EndOf(begin)));
    for (cursor->SeekToFirst(); cursor->Valid(); cursor->Next()) {
      StreamGroup group(stream, cursor->member().substr(1));
      MAYFLY_TRY(group.state_, DecodeGroup(cursor->value()));
      groups.push_back(std::move(group));
    }
    MAYFLY_RETURN_IF_ERROR(cursor->status());
  }
  for (StreamGroup& group : groups) MAYFLY_RETURN_IF_ERROR(show(group));
  return {};
}

Status StreamGroup::Save() {
  core::TransactionKeyspace& space = stream_->space();
  for (const auto& [number, consumer] : consumers_) {
    MAYFLY_RETURN_IF_ERROR(
        space.PutSide(stream_->key(), ConsumerKey(state_.number, number), Encode(consumer)));
  }
  return space.PutSide(stream_->key(), GroupKey(name_), Encode(state_));
}

Status StreamGroup::RemoveAll(Bytes begin) {
  std::vector<std::string> keys;
  do {
    keys.clear();
    {
      MAYFLY_TRY(const auto cursor, SidesFrom(*stream_, begin, EndOf(std::string(begin))));
      for (cursor->SeekToFirst(); cursor->Valid() && keys.size() < kSidesAtOnce; cursor->Next()) {
        keys.emplace_back(cursor->member());
      }
      MAYFLY_RETURN_IF_ERROR(cursor->status());
    }
    for (const std::string& key : keys) {
      MAYFLY_RETURN_IF_ERROR(stream_->space().RemoveSide(stream_->key(), key));
    }
  } while (keys.size() == kSidesAtOnce);
  return {};
}

Status StreamGroup::Destroy() {
  for (const SideKind kind : {SideKind::kConsumerName, SideKind::kConsumer}) {
    MAYFLY_RETURN_IF_ERROR(RemoveAll(KeyOf(kind, state_.number)));
  }
  for (const SideKind kind : {SideKind::kPending, SideKind::kOwned}) {
    MAYFLY_RETURN_IF_ERROR(RemoveAll(KeyOf(kind, state_.space)));
  }
  stream_->CountGroup(false);
  return stream_->space().RemoveSide(stream_->key(), GroupKey(name_));
}

Result<Consumer*> StreamGroup::FindConsumer(Bytes name) {
  for (auto& [number, consumer] : consumers_) {
    if (consumer.name == name) return &consumer;
  }
  if (state_.consumers == 0) return static_cast<Consumer*>(nullptr);
  core::FoundMember found;
  MAYFLY_RETURN_IF_ERROR(
      stream_->space().FindSide(stream_->key(), NameKey(state_.number, name), found));
  if (!found.exists) return static_cast<Consumer*>(nullptr);
  Bytes value = found.value;
  std::uint64_t number = 0;
  if (!EatVarint(value, number)) return DamagedGroup();
  return Load(number);
}

Result<Consumer*> StreamGroup::ConsumerOf(std::uint64_t number) {
  const auto known = consumers_.find(number);
  if (known != consumers_.end()) return &known->second;
  return Load(number);
}

Result<Consumer*> StreamGroup::Load(std::uint64_t number) {
  core::FoundMember found;
  MAYFLY_RETURN_IF_ERROR(
      stream_->space().FindSide(stream_->key(), ConsumerKey(state_.number, number), found));
  if (!found.exists) return DamagedGroup();
  MAYFLY_TRY(Consumer consumer, DecodeConsumer(number, found.value));
  return &consumers_.insert_or_assign(number, std::move(consumer)).first->second;
}

Result<Consumer*> StreamGroup::MakeConsumer(Bytes name, std::int64_t now_ms) {
  const std::uint64_t number = NewNumber();
  std::string value;
  AppendVarint(value, number);
  MAYFLY_RETURN_IF_ERROR(
      stream_->space().PutSide(stream_->key(), NameKey(state_.number, name), value));
  ++state_.consumers;
  Consumer consumer{.number = number, .name = std::string(name), .seen_ms = now_ms};
  return &consumers_.insert_or_assign(number, std::move(consumer)).first->second;
}

Result<std::uint64_t> StreamGroup::RemoveConsumer(Consumer& consumer) {
  const std::uint64_t pending = consumer.pending;
  core::TransactionKeyspace& space = stream_->space();
  MAYFLY_RETURN_IF_ERROR(
      WalkPending(&consumer, {}, kStreamIdMax, [&](StreamId id, const PendingEntry& entry) {
        const Status removed = RemovePending(id, entry);
        return removed.ok() ? Result<bool>(true) : Result<bool>(removed);
      }));
  MAYFLY_RETURN_IF_ERROR(space.RemoveSide(stream_->key(), NameKey(state_.number, consumer.name)));
  MAYFLY_RETURN_IF_ERROR(
      space.RemoveSide(stream_->key(), ConsumerKey(state_.number, consumer.number)));
  --state_.consumers;
  consumers_.erase(consumer.number);
  return pending;
}

Status StreamGroup::WalkConsumers(FunctionRef<Status(Consumer& consumer)> show) {
  std::vector<std::uint64_t> numbers;
  {
    const std::string begin = KeyOf(SideKind::kConsumerName, state_.number);
    MAYFLY_TRY(const auto cursor, SidesFrom(*stream_, begin, EndOf(begin)));
    for (cursor->SeekToFirst(); cursor->Valid(); cursor->Next()) {
      Bytes value = cursor->value();
      if (!EatVarint(value, numbers.emplace_back())) return DamagedGroup();
    }
    MAYFLY_RETURN_IF_ERROR(cursor->status());
  }
  for (const std::uint64_t number : numbers) {
    MAYFLY_TRY(Consumer* const consumer, ConsumerOf(number));
    MAYFLY_RETURN_IF_ERROR(show(*consumer));
  }
  return {};
}

Result<std::optional<PendingEntry>> StreamGroup::FindPending(StreamId id) {
  if (state_.pending == 0 || id < state_.low || id > state_.high) {
    return std::optional<PendingEntry>();
  }
  core::FoundMember found;
  MAYFLY_RETURN_IF_ERROR(
      stream_->space().FindSide(stream_->key(), PendingKey(state_.space, id), found));
  if (!found.exists) return std::optional<PendingEntry>();
  MAYFLY_TRY(const PendingEntry entry, DecodePending(found.value));
  return std::optional(entry);
}

Status StreamGroup::PutPending(StreamId id, Consumer& owner, std::int64_t delivered_ms,
                               std::uint64_t deliveries, const PendingEntry* old) {
  core::TransactionKeyspace& space = stream_->space();
  if (old == nullptr) {
    const bool first = state_.pending++ == 0;
    state_.low = first ? id : std::min(state_.low, id);
    state_.high = first ? id : std::max(state_.high, id);
    if (first) state_.removed = 0;
  }
  if (old == nullptr || old->consumer != owner.number) {
    if (old != nullptr) {
      MAYFLY_TRY(Consumer* const before, ConsumerOf(old->consumer));
      --before->pending;
      MAYFLY_RETURN_IF_ERROR(
          space.RemoveSide(stream_->key(), OwnedKey(state_.space, old->consumer, id)));
    }
    ++owner.pending;
    MAYFLY_RETURN_IF_ERROR(
        space.PutSide(stream_->key(), OwnedKey(state_.space, owner.number, id), {}));
  }
  const PendingEntry entry{
      .consumer = owner.number, .delivered_ms = delivered_ms, .deliveries = deliveries};
  return space.PutSide(stream_->key(), PendingKey(state_.space, id), Encode(entry));
}

Status StreamGroup::RemovePending(StreamId id, const PendingEntry& old) {
  core::TransactionKeyspace& space = stream_->space();
  MAYFLY_TRY(Consumer* const owner, ConsumerOf(old.consumer));
  --owner->pending;
  --state_.pending;
  MAYFLY_RETURN_IF_ERROR(
      space.RemoveSide(stream_->key(), OwnedKey(state_.space, old.consumer, id)));
  MAYFLY_RETURN_IF_ERROR(space.RemoveSide(stream_->key(), PendingKey(state_.space, id)));
  ++state_.removed;
  if (IsWorn()) return Renew();
  return state_.removed % kEndsInterval == 0 ? FindEnds() : Status();
}

std::uint64_t StreamGroup::NewNumber() {
  took_numbers_ = true;
  return stream_->NewNumber();
}

bool StreamGroup::IsWorn() const {
  return state_.removed >= kWornPendingMin && state_.pending > 0 &&
         state_.removed >= kWornPendingShare * state_.pending && state_.pending <= kMovedPendingMax;
}

Status StreamGroup::Renew() {
  core::TransactionKeyspace& space = stream_->space();
  std::vector<std::pair<StreamId, PendingEntry>> entries;
  MAYFLY_RETURN_IF_ERROR(ReadPending(nullptr, {}, kStreamIdMax, kMovedPendingMax, entries));
  for (const auto& [id, entry] : entries) {
    const std::string pending = PendingKey(state_.space, id);
    const std::string owned = OwnedKey(state_.space, entry.consumer, id);
    MAYFLY_RETURN_IF_ERROR(space.RemoveSide(stream_->key(), pending));
    MAYFLY_RETURN_IF_ERROR(space.RemoveSide(stream_->key(), owned));
  }
  state_.space = NewNumber();
  for (const auto& [id, entry] : entries) {
    const std::string pending = PendingKey(state_.space, id);
    const std::string owned = OwnedKey(state_.space, entry.consumer, id);
    MAYFLY_RETURN_IF_ERROR(space.PutSide(stream_->key(), pending, Encode(entry)));
    MAYFLY_RETURN_IF_ERROR(space.PutSide(stream_->key(), owned, {}));
  }
  state_.low = entries.front().first;
  state_.high = entries.back().first;
  state_.removed = 0;
  return {};
}

Status StreamGroup::FindEnds() {
  MAYFLY_TRY(const auto ends, Ends());
  if (!ends) return {};
  state_.low = ends->first;
  state_.high = ends->last;
  return {};
}

Result<std::optional<StreamGroup::PendingEnds>> StreamGroup::Ends() {
  if (state_.pending == 0) return std::optional<PendingEnds>();
  const std::string begin = PendingKey(state_.space, state_.low);
  const std::string end = PendingKey(state_.space, state_.high) + '\0';
  MAYFLY_TRY(const auto cursor, SidesFrom(*stream_, begin, end));
  PendingEnds ends;
  cursor->SeekToFirst();
  if (cursor->Valid()) ends.first = IdAtEnd(cursor->member());
  cursor->SeekToLast();
  if (cursor->Valid()) ends.last = IdAtEnd(cursor->member());
  MAYFLY_RETURN_IF_ERROR(cursor->status());
  return std::optional(ends);
}

Status StreamGroup::WalkPending(const Consumer* owner, StreamId first, StreamId last,
                                ShowPending show) {
  std::vector<std::pair<StreamId, PendingEntry>> entries;
  for (std::size_t at_once = kShownFirst;; at_once = std::min(2 * at_once, kShownAtOnce)) {
    entries.clear();
    MAYFLY_RETURN_IF_ERROR(ReadPending(owner, first, last, at_once, entries));
    for (const auto& [id, entry] : entries) {
      MAYFLY_TRY(const bool more, show(id, entry));
      if (!more) return {};
    }
    if (entries.size() < at_once) return {};
    const auto next = After(entries.back().first);
    if (!next) return {};
    first = *next;
  }
}

Status StreamGroup::ReadPending(const Consumer* owner, StreamId first, StreamId last,
                                std::size_t count,
                                std::vector<std::pair<StreamId, PendingEntry>>& entries) {
  if (state_.pending == 0 || (owner != nullptr && owner->pending == 0)) return {};
  first = std::max(first, state_.low);
  last = std::min(last, state_.high);
  if (first > last) return {};
  const auto key = [&](StreamId id) {
    return owner != nullptr ? OwnedKey(state_.space, owner->number, id)
                            : PendingKey(state_.space, id);
  };
  {
    const std::string begin = key(first);
    const std::string end = key(last) + '\0';
    MAYFLY_TRY(const auto cursor, SidesFrom(*stream_, begin, end));
    for (cursor->SeekToFirst(); cursor->Valid() && entries.size() < count; cursor->Next()) {
      PendingEntry entry;
      if (owner == nullptr) {
        MAYFLY_TRY(entry, DecodePending(cursor->value()));
      }
      entries.emplace_back(IdAtEnd(cursor->member()), entry);
    }
    MAYFLY_RETURN_IF_ERROR(cursor->status());
  }
  if (owner == nullptr) return {};
  for (auto& [id, entry] : entries) {
    MAYFLY_TRY(const auto found, FindPending(id));
    if (!found) return DamagedGroup();
    entry = *found;
  }
  return {};
}

}  // namespace mayfly::types

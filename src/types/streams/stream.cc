#include "types/streams/stream.h"

#include <algorithm>

#include "base/coding.h"
#include "types/value_type.h"
#include "types/worn_members.h"

namespace mayfly::types {
namespace {

constexpr std::size_t kPrefixBytes = 6;
constexpr char kPrefix[kPrefixBytes] = {};
constexpr Bytes kAnchor(kPrefix, kPrefixBytes);

// Entries removed at a time, so that a long trim needs no list of all of them.
constexpr std::uint64_t kEntriesAtOnce = 1024;

// Removals, or additions under a max age, after which the oldest entry is looked for: so that walks
// begin near it, and the search is paid by many.
constexpr std::uint64_t kLowInterval = 64;

struct WholeMember {
  std::string name;
  std::string value;
  std::optional<WallTime> deadline;
};

// Whether it is cheaper to write a stream anew than to remove so many entries, or to pass what they
// leave behind.
bool IsWorn(std::uint64_t removed, std::uint64_t left) {
  return removed >= kWornRemovedMin && removed >= kWornRemovedShare * left && left <= kRenewedMax;
}

std::string NameOf(StreamId id) {
  std::string name(kAnchor);
  AppendStreamId(name, id);
  return name;
}

StreamId IdOf(Bytes name) {
  StreamId id;
  name.remove_prefix(kPrefixBytes);
  return EatStreamId(name, id) ? id : StreamId();
}

}  // namespace

bool EntryStrings::EatCount() { return EatVarint(rest_, count_); }

Bytes EntryStrings::Next() {
  Bytes string;
  if (!EatSized(rest_, string)) return {};
  return string;
}

Result<Stream> Stream::Open(core::TransactionKeyspace& space, Bytes key, WallTime now) {
  Stream stream(space, key, now);
  core::FoundRow row;
  MAYFLY_RETURN_IF_ERROR(FindTyped(space, key, ValueType::kStream, row));
  if (!row.exists) return stream;
  MAYFLY_TRY(stream.head_, DecodeStreamHead(row.value));
  if (row.members == 0) return Status::Corruption("a stream without its first member; run a check");
  if (stream.now_ms_ < stream.head_.low_at_ms) stream.head_.low = {};
  stream.exists_ = true;
  stream.size_ = row.members - 1;
  return stream;
}

Status Stream::Make() {
  MAYFLY_RETURN_IF_ERROR(space_->MakeCollection(key_, EncodeHead(head_)));
  exists_ = true;
  made_ = true;
  constexpr bool kKnownNew = true;
  return space_->PutMember(key_, kAnchor, {}, core::MemberLifetime::Forever(), kKnownNew).status();
}

Status Stream::Save() { return space_->SetHead(key_, EncodeHead(head_)); }

std::optional<StreamId> Stream::NextId() const {
  if (now_ms_ > head_.last.ms) return StreamId{now_ms_, 0};
  return After(head_.last);
}

Status Stream::Add(StreamId id, std::span<const Bytes> strings) {
  std::string entry;
  std::size_t bytes = kVarintBytesMax;
  for (const Bytes string : strings) bytes += string.size() + kVarintBytesMax;
  entry.reserve(bytes);
  AppendVarint(entry, strings.size());
  for (const Bytes string : strings) AppendSized(entry, string);
  const WallTime now = WallTimeFromMs(static_cast<std::int64_t>(now_ms_));
  const auto lifetime = head_.max_age.count() > 0 ? core::MemberLifetime::Until(now + head_.max_age)
                                                  : core::MemberLifetime::Forever();
  constexpr bool kKnownNew = true;
  MAYFLY_RETURN_IF_ERROR(space_->PutMember(key_, NameOf(id), entry, lifetime, kKnownNew).status());
  if (size_ == 0) SetLow(id);
  ++size_;
  ++head_.added;
  head_.last = id;
  // Entries that die leave without a note.
  if (head_.aged && head_.added % kLowInterval == 0) return FindLow();
  return {};
}

void Stream::SetLow(StreamId low) {
  head_.low = low;
  head_.low_at_ms = head_.aged ? now_ms_ : 0;
}

Status Stream::FindLow() {
  MAYFLY_TRY(const auto first, FirstId());
  SetLow(first.value_or(head_.last));
  return {};
}

Status Stream::RemoveIds(std::span<const StreamId> ids) {
  for (const StreamId id : ids) {
    MAYFLY_RETURN_IF_ERROR(space_->RemoveMember(key_, NameOf(id)).status());
  }
  size_ -= ids.size();
  return {};
}

Result<bool> Stream::Remove(StreamId id) {
  if (size_ == 0) return false;
  MAYFLY_TRY(const bool removed, space_->RemoveMember(key_, NameOf(id)));
  if (!removed) return false;
  --size_;
  head_.newest_removed = std::max(head_.newest_removed, id);
  if (id == head_.low) SetLow(After(id).value_or(id));
  ++head_.removed;
  if (IsWorn(head_.removed, size_)) {
    head_.removed = 0;
    MAYFLY_RETURN_IF_ERROR(Renew(size_).status());
  } else if (head_.removed % kLowInterval == 0) {
    MAYFLY_RETURN_IF_ERROR(FindLow());
  }
  return true;
}

// Writes the stream anew with its last `kept` entries, under a collection id that has no
// tombstones. False, and nothing is done, when its groups have too much to be rewritten.
Result<bool> Stream::Renew(std::uint64_t kept) {
  std::vector<WholeMember> entries;
  std::vector<WholeMember> sides;
  {
    MAYFLY_TRY(const auto cursor, space_->NewMemberCursor(key_, core::Part::kSides));
    for (cursor->SeekToFirst(); cursor->Valid(); cursor->Next()) {
      if (sides.size() == kRenewedMax) return false;
      sides.push_back({std::string(cursor->member()), std::string(cursor->value()), {}});
    }
    MAYFLY_RETURN_IF_ERROR(cursor->status());
  }
  if (kept > 0) {
    MAYFLY_TRY(const auto cursor, NewCursor({}, kStreamIdMax));
    for (cursor->SeekToLast(); cursor->Valid() && entries.size() < kept; cursor->Prev()) {
      entries.push_back(
          {std::string(cursor->member()), std::string(cursor->value()), cursor->deadline()});
    }
    MAYFLY_RETURN_IF_ERROR(cursor->status());
  }
  SetLow(entries.empty() ? head_.last : IdOf(entries.back().name));
  size_ = entries.size();
  MAYFLY_RETURN_IF_ERROR(space_->MakeCollection(key_, EncodeHead(head_), Lifetime::Keep()));
  entries.push_back({std::string(kAnchor), {}, {}});
  for (const WholeMember& entry : entries) {
    const auto lifetime = entry.deadline ? core::MemberLifetime::Until(*entry.deadline)
                                         : core::MemberLifetime::Forever();
    constexpr bool kKnownNew = true;
    MAYFLY_RETURN_IF_ERROR(
        space_->PutMember(key_, entry.name, entry.value, lifetime, kKnownNew).status());
  }
  for (const WholeMember& side : sides) {
    MAYFLY_RETURN_IF_ERROR(space_->PutSide(key_, side.name, side.value));
  }
  return true;
}

Result<std::vector<StreamId>> Stream::FirstIds(std::uint64_t count) const {
  std::vector<StreamId> ids;
  if (size_ == 0 || count == 0) return ids;
  MAYFLY_TRY(const auto cursor, NewCursor(head_.low, kStreamIdMax));
  for (cursor->SeekToFirst(); cursor->Valid() && ids.size() < count; cursor->Next()) {
    ids.push_back(IdOf(cursor->member()));
  }
  MAYFLY_RETURN_IF_ERROR(cursor->status());
  return ids;
}

// Steps end where a multiple of their size had been added, as the nodes of Redis do.
std::uint64_t Stream::NextStep(const StreamTrim& trim, std::uint64_t removed) const {
  if (trim.step == 1 || head_.added < size_) return trim.step;
  return trim.step - (head_.added - size_ + removed) % trim.step;
}

Result<std::uint64_t> Stream::Trim(const StreamTrim& trim) {
  if (size_ == 0) return std::uint64_t{0};
  if (trim.kind == StreamTrim::Kind::kMinId) return RemoveBefore(trim);
  std::uint64_t count = 0;
  while (count < size_) {
    const std::uint64_t left = size_ - count;
    const std::uint64_t step = std::min(NextStep(trim, count), left);
    if (left - step < trim.length || (trim.limit > 0 && count + step > trim.limit)) break;
    // Without steps and a limit the rest is one subtraction.
    count += trim.step == 1 && trim.limit == 0 ? left - trim.length : step;
  }
  return RemoveFirst(count);
}

Result<std::uint64_t> Stream::RemoveFirst(std::uint64_t count) {
  if (IsWorn(count, size_ - count)) {
    MAYFLY_TRY(const bool renewed, Renew(size_ - count));
    if (renewed) return count;
  }
  std::uint64_t removed = 0;
  while (removed < count) {
    MAYFLY_TRY(const auto ids, FirstIds(std::min(count - removed, kEntriesAtOnce)));
    if (ids.empty()) return Status::Corruption("a stream has fewer entries than it counts");
    MAYFLY_RETURN_IF_ERROR(RemoveIds(ids));
    SetLow(After(ids.back()).value_or(ids.back()));
    removed += ids.size();
  }
  return removed;
}

Result<std::uint64_t> Stream::RemoveBefore(const StreamTrim& trim) {
  std::uint64_t removed = 0;
  while (size_ > 0) {
    const std::uint64_t at_once = trim.step == 1 ? kEntriesAtOnce : NextStep(trim, 0);
    MAYFLY_TRY(auto ids, FirstIds(at_once));
    const auto end = std::lower_bound(ids.begin(), ids.end(), trim.min_id);
    const bool all = end == ids.end();
    // Of a step all go, or none.
    if (trim.step > 1 && !all) break;
    ids.erase(end, ids.end());
    if (trim.limit > 0) {
      const std::uint64_t room = trim.limit - removed;
      if (trim.step > 1 && ids.size() > room) break;
      if (ids.size() > room) ids.resize(room);
    }
    if (ids.empty()) break;
    MAYFLY_RETURN_IF_ERROR(RemoveIds(ids));
    SetLow(After(ids.back()).value_or(ids.back()));
    removed += ids.size();
    if (!all) break;
  }
  return removed;
}

void Stream::SetMaxAge(Millis max_age) {
  const bool shorter =
      max_age.count() > 0 && (head_.max_age.count() == 0 || max_age < head_.max_age);
  if (shorter) head_.ragged = size_ > 0 ? head_.last : StreamId();
  head_.aged |= max_age.count() > 0;
  head_.max_age = max_age;
}

Result<std::unique_ptr<core::MemberCursor>> Stream::NewCursor(StreamId first, StreamId last) const {
  const std::string begin = NameOf(std::max(first, head_.low));
  const std::string end = NameOf(last) + '\0';
  return space_->NewMemberCursor(key_, core::Part::kMembers, {.begin = begin, .end = end});
}

Result<bool> Stream::Contains(StreamId id) const {
  core::FoundMember found;
  MAYFLY_RETURN_IF_ERROR(Find(id, found));
  return found.exists;
}

Status Stream::Find(StreamId id, core::FoundMember& found) const {
  found.exists = false;
  if (size_ == 0) return {};
  return space_->FindMember(key_, NameOf(id), found);
}

Result<std::optional<StreamId>> Stream::FirstId() const {
  MAYFLY_TRY(const auto ids, FirstIds(1));
  return ids.empty() ? std::optional<StreamId>() : ids.front();
}

Result<std::optional<StreamId>> Stream::LastId() const {
  std::optional<StreamId> last;
  MAYFLY_RETURN_IF_ERROR(
      Walk({}, kStreamIdMax, 1, StreamOrder::kDescending, [&](StreamId id, Bytes) {
        last = id;
      }).status());
  return last;
}

Result<std::uint64_t> Stream::Walk(StreamId first, StreamId last, std::uint64_t count,
                                   StreamOrder order, Show show) const {
  std::uint64_t shown = 0;
  if (size_ == 0 || count == 0 || first > last || last < head_.low || first > head_.last) {
    return shown;
  }
  MAYFLY_TRY(const auto cursor, NewCursor(first, last));
  const bool ascending = order == StreamOrder::kAscending;
  ascending ? cursor->SeekToFirst() : cursor->SeekToLast();
  while (cursor->Valid()) {
    show(IdOf(cursor->member()), cursor->value());
    if (++shown == count) break;
    ascending ? cursor->Next() : cursor->Prev();
  }
  MAYFLY_RETURN_IF_ERROR(cursor->status());
  return shown;
}

std::optional<StreamId> Stream::EntryOf(Bytes member) {
  if (member.size() != kPrefixBytes + kStreamIdBytes || !member.starts_with(kAnchor)) {
    return std::nullopt;
  }
  return IdOf(member);
}

}  // namespace mayfly::types

#include "types/list.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "base/check.h"
#include "types/value_type.h"

namespace mayfly::types {
namespace {

// Up to so many values, a change in the middle moves those of the shorter side.
constexpr std::uint64_t kShortMax = 128;

// A list that loses more than a few values, and more than one of so many, is rewritten.
constexpr std::uint64_t kFewRemoved = 64;
constexpr std::uint64_t kManyRemovedShare = 8;

Status Gap() { return Status::Corruption("a list lacks one of its values; run a check"); }

}  // namespace

Result<List> List::Open(core::TransactionKeyspace& space, Bytes key) {
  core::FoundRow row;
  MAYFLY_RETURN_IF_ERROR(FindTyped(space, key, ValueType::kList, row));
  if (!row.exists) return List(space, key, 0, {});
  ListShape shape;
  if (!ReadListHead(row.value, row.members, shape)) {
    return Status::Corruption("the head of a list cannot be read; run a check");
  }
  return List(space, key, row.members, shape);
}

Result<std::string> List::At(std::uint64_t position) const {
  MAYFLY_TRY(const std::int64_t index, Find(position));
  core::FoundMember found;
  MAYFLY_RETURN_IF_ERROR(space_->FindMember(key_, ListMember(index), found));
  if (!found.exists) return Gap();
  return std::string(found.value);
}

Status List::Set(std::uint64_t position, Bytes value) {
  MAYFLY_TRY(const std::int64_t index, Find(position));
  return PutAt(index, value, false);
}

Status List::Push(ListEnd end, std::span<const Bytes> values) {
  if (values.empty()) return {};
  if (empty()) {
    SetPlain(0, 0);
    MAYFLY_RETURN_IF_ERROR(space_->MakeCollection(key_, ListHead({})));
  }
  const bool at_head = end == ListEnd::kHead;
  const bool was_plain = is_plain();
  for (const Bytes value : values) {
    MAYFLY_TRY(const std::int64_t index, at_head ? pieces_.PushHead() : pieces_.PushTail());
    MAYFLY_RETURN_IF_ERROR(PutAt(index, value, true));
  }
  size_ += values.size();
  // The head of a plain list has its first index; a push at the tail leaves that unchanged.
  return at_head || !was_plain || !is_plain() ? WriteHead() : Status();
}

Result<std::vector<std::string>> List::Pop(ListEnd end, std::uint64_t count) {
  count = std::min(count, size_);
  const bool at_head = end == ListEnd::kHead;
  const std::uint64_t begin = at_head ? 0 : size_ - count;
  MAYFLY_TRY(std::vector<std::string> values, Read(begin, begin + count));
  if (!at_head) std::reverse(values.begin(), values.end());
  MAYFLY_RETURN_IF_ERROR(at_head ? Trim(count, size_) : Trim(0, begin));
  return values;
}

Status List::Insert(std::uint64_t position, Bytes value) {
  MAYFLY_CHECK(position <= size_, "a position within the list, or its end");
  if (position == 0) return Push(ListEnd::kHead, std::span(&value, 1));
  if (position == size_) return Push(ListEnd::kTail, std::span(&value, 1));
  if (is_short()) return ShiftOpen(position, value);
  MAYFLY_TRY(const std::int64_t index, pieces_.Open(position));
  MAYFLY_RETURN_IF_ERROR(PutAt(index, value, true));
  ++size_;
  MAYFLY_RETURN_IF_ERROR(WriteHead());
  return RewriteIfScattered();
}

Status List::Remove(std::span<const std::uint64_t> positions) {
  if (positions.empty()) return {};
  MAYFLY_CHECK(positions.back() < size_, "positions within the list");
  if (positions.size() == size_) return Trim(0, 0);
  if (is_short()) {
    const std::uint64_t before = positions.back() + 1 - positions.size();
    const std::uint64_t behind = size_ - positions.front() - positions.size();
    return before < behind ? ShiftTowardsTail(positions) : ShiftTowardsHead(positions);
  }
  if (positions.size() > kFewRemoved && positions.size() > size_ / kManyRemovedShare) {
    MAYFLY_TRY(const std::vector<std::string> values, Read(0, size_, positions));
    return Rewrite(values);
  }
  for (auto at = positions.rbegin(); at != positions.rend(); ++at) {
    MAYFLY_TRY(const std::int64_t index, pieces_.Close(*at));
    MAYFLY_RETURN_IF_ERROR(RemoveAt(index));
    --size_;
  }
  MAYFLY_RETURN_IF_ERROR(WriteHead());
  return RewriteIfScattered();
}

Status List::Trim(std::uint64_t begin, std::uint64_t end) {
  end = std::min(end, size_);
  if (begin >= end) {
    SetPlain(0, 0);
    return space_->Delete(key_).status();
  }
  const std::uint64_t kept = end - begin;
  if (kept == size_) return {};
  if (kept < size_ - kept) {
    // Writing the few that stay under a new collection id is cheaper than removing the many.
    MAYFLY_TRY(const std::vector<std::string> values, Read(begin, end));
    return Rewrite(values);
  }
  const bool was_plain = is_plain();
  for (std::uint64_t left = size_ - end; left > 0;) {
    MAYFLY_TRY(const ListPiece dropped, pieces_.DropTail(left));
    MAYFLY_RETURN_IF_ERROR(RemoveIndexes(dropped.first, dropped.end()));
    left -= dropped.count;
  }
  for (std::uint64_t left = begin; left > 0;) {
    MAYFLY_TRY(const ListPiece dropped, pieces_.DropHead(left));
    MAYFLY_RETURN_IF_ERROR(RemoveIndexes(dropped.first, dropped.end()));
    left -= dropped.count;
  }
  size_ = kept;
  return begin > 0 || !was_plain || !is_plain() ? WriteHead() : Status();
}

Status List::WalkToTail(std::uint64_t position, Visitor visit) const {
  return Walk(position, true, visit);
}

Status List::WalkToHead(std::uint64_t position, Visitor visit) const {
  return Walk(position, false, visit);
}

// One piece after the other: the cursor never steps beyond a piece, where tombstones may lie.
Status List::Walk(std::uint64_t position, bool to_tail, Visitor visit) const {
  if (position >= size_) return {};
  MAYFLY_TRY(const auto cursor, space_->NewMemberCursor(key_, core::Part::kMembers));
  MAYFLY_TRY(ListPieces::Found piece, pieces_.Find(position));
  const std::uint64_t last = to_tail ? size_ - 1 : 0;
  for (std::optional<OrderCursor> walk;;) {
    std::int64_t index = piece.IndexOf(position);
    const std::int64_t end = to_tail ? piece.piece.end() : piece.piece.first - 1;
    to_tail ? cursor->SeekAtOrAfter(ListMember(index)) : cursor->SeekAtOrBefore(ListMember(index));
    for (;;) {
      MAYFLY_RETURN_IF_ERROR(cursor->status());
      if (!cursor->Valid() || cursor->member() != ListMember(index)) return Gap();
      if (!visit(position, cursor->value()) || position == last) return {};
      to_tail ? ++position : --position;
      to_tail ? ++index : --index;
      if (index == end) break;
      to_tail ? cursor->Next() : cursor->Prev();
    }
    MAYFLY_TRY(piece, pieces_.Next(piece, to_tail, walk));
  }
}

bool List::is_short() const { return size_ <= kShortMax && is_plain(); }

std::int64_t List::IndexOf(std::uint64_t position) const {
  return first() + static_cast<std::int64_t>(position);
}

void List::SetPlain(std::int64_t first, std::uint64_t size) {
  const ListPiece all{.first = first, .count = size};
  pieces_ = ListPieces(*space_, key_, {.front = all, .low = all.first, .high = all.end()});
  size_ = size;
}

Result<std::int64_t> List::Find(std::uint64_t position) const {
  MAYFLY_CHECK(position < size_, "a position within the list");
  if (is_plain()) return IndexOf(position);
  MAYFLY_TRY(const ListPieces::Found found, pieces_.Find(position));
  return found.IndexOf(position);
}

Status List::PutAt(std::int64_t index, Bytes value, bool known_new) {
  return space_
      ->PutMember(key_, ListMember(index), value, core::MemberLifetime::Forever(), known_new)
      .status();
}

Status List::RemoveAt(std::int64_t index) {
  MAYFLY_TRY(const bool removed, space_->RemoveMember(key_, ListMember(index)));
  return removed ? Status() : Gap();
}

Status List::RemoveIndexes(std::int64_t begin, std::int64_t end) {
  for (; begin < end; ++begin) MAYFLY_RETURN_IF_ERROR(RemoveAt(begin));
  return {};
}

Status List::WriteHead() { return space_->SetHead(key_, ListHead(pieces_.shape())); }

// Rewrites the list under a new collection id, in one piece.
Status List::Rewrite(const std::vector<std::string>& values) {
  SetPlain(0, values.size());
  MAYFLY_RETURN_IF_ERROR(space_->MakeCollection(key_, ListHead(pieces_.shape()), Lifetime::Keep()));
  std::int64_t index = 0;
  for (const std::string& value : values) {
    MAYFLY_RETURN_IF_ERROR(PutAt(index++, value, true));
  }
  return {};
}

Status List::RewriteIfScattered() {
  if (!pieces_.IsScattered()) return {};
  MAYFLY_TRY(const std::vector<std::string> values, Read(0, size_));
  return Rewrite(values);
}

Status List::ShiftOpen(std::uint64_t position, Bytes value) {
  const bool moves_head = position <= size_ / 2;
  MAYFLY_TRY(const std::vector<std::string> moved,
             moves_head ? Read(0, position) : Read(position, size_));
  SetPlain(moves_head ? first() - 1 : first(), size_ + 1);
  std::int64_t index = moves_head ? first() : IndexOf(position + 1);
  const std::int64_t fresh = moves_head ? first() : IndexOf(size_ - 1);
  for (const std::string& one : moved) {
    MAYFLY_RETURN_IF_ERROR(PutAt(index, one, index == fresh));
    ++index;
  }
  MAYFLY_RETURN_IF_ERROR(PutAt(IndexOf(position), value, false));
  return moves_head ? WriteHead() : Status();
}

Status List::ShiftTowardsHead(std::span<const std::uint64_t> holes) {
  std::int64_t index = IndexOf(holes.front());
  MAYFLY_TRY(const std::vector<std::string> moved, Read(holes.front(), size_, holes));
  for (const std::string& value : moved) MAYFLY_RETURN_IF_ERROR(PutAt(index++, value, false));
  MAYFLY_RETURN_IF_ERROR(RemoveIndexes(index, IndexOf(size_)));
  SetPlain(first(), size_ - holes.size());
  return {};
}

Status List::ShiftTowardsTail(std::span<const std::uint64_t> holes) {
  MAYFLY_TRY(const std::vector<std::string> moved, Read(0, holes.back() + 1, holes));
  std::int64_t index = IndexOf(holes.size());
  for (const std::string& value : moved) MAYFLY_RETURN_IF_ERROR(PutAt(index++, value, false));
  MAYFLY_RETURN_IF_ERROR(RemoveIndexes(first(), IndexOf(holes.size())));
  SetPlain(IndexOf(holes.size()), size_ - holes.size());
  return WriteHead();
}

Result<std::vector<std::string>> List::Read(std::uint64_t begin, std::uint64_t end,
                                            std::span<const std::uint64_t> holes) const {
  std::vector<std::string> values;
  if (begin >= end) return values;
  if (end - begin == 1 && holes.empty()) {
    MAYFLY_TRY(std::string value, At(begin));
    values.push_back(std::move(value));
    return values;
  }
  MAYFLY_RETURN_IF_ERROR(WalkToTail(begin, [&](std::uint64_t position, Bytes value) {
    if (!holes.empty() && holes.front() == position) {
      holes = holes.subspan(1);
    } else {
      values.emplace_back(value);
    }
    return position + 1 < end;
  }));
  return values;
}

}  // namespace mayfly::types

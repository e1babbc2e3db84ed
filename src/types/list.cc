#include "types/list.h"

#include <algorithm>
#include <utility>

#include "base/check.h"
#include "base/coding.h"
#include "types/value_type.h"

namespace mayfly::types {
namespace {

constexpr std::uint64_t kSignBit = std::uint64_t{1} << 63;

std::string HeadOf(std::int64_t first) {
  std::string head(1, static_cast<char>(ValueType::kList));
  AppendLittleEndian64(head, static_cast<std::uint64_t>(first));
  return head;
}

bool ReadHead(Bytes head, std::int64_t& first) {
  std::uint64_t bits = 0;
  head.remove_prefix(1);
  if (!EatLittleEndian64(head, bits) || !head.empty()) return false;
  first = static_cast<std::int64_t>(bits);
  return true;
}

std::string MemberAt(std::int64_t index) {
  std::string member;
  AppendBigEndian64(member, static_cast<std::uint64_t>(index) ^ kSignBit);
  return member;
}

Status Gap() { return Status::Corruption("a list lacks one of its values; run a check"); }

}  // namespace

Result<List> List::Open(core::WorkSpace& space, Bytes key) {
  core::FoundRow row;
  MAYFLY_RETURN_IF_ERROR(FindTyped(space, key, ValueType::kList, row));
  if (!row.exists) return List(space, key, 0, 0);
  std::int64_t first = 0;
  if (!ReadHead(row.value, first)) {
    return Status::Corruption("the head of a list cannot be read; run a check");
  }
  return List(space, key, first, row.members);
}

Result<std::string> List::At(std::uint64_t position) const {
  MAYFLY_CHECK(position < size_, "a position within the list");
  core::FoundMember found;
  MAYFLY_RETURN_IF_ERROR(space_->FindMember(key_, MemberAt(IndexOf(position)), found));
  if (!found.exists) return Gap();
  return std::string(found.value);
}

Status List::Set(std::uint64_t position, Bytes value) {
  MAYFLY_CHECK(position < size_, "a position within the list");
  return PutAt(IndexOf(position), value, false);
}

Status List::Push(ListEnd end, std::span<const Bytes> values) {
  if (values.empty()) return {};
  const bool at_head = end == ListEnd::kHead;
  std::int64_t index = at_head ? first_ - 1 : IndexOf(size_);
  if (at_head) first_ -= static_cast<std::int64_t>(values.size());
  if (empty()) {
    MAYFLY_RETURN_IF_ERROR(space_->MakeCollection(key_, HeadOf(first_)));
  } else if (at_head) {
    MAYFLY_RETURN_IF_ERROR(WriteHead());
  }
  for (const Bytes value : values) {
    MAYFLY_RETURN_IF_ERROR(PutAt(index, value, true));
    index += at_head ? -1 : 1;
  }
  size_ += values.size();
  return {};
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
  const bool moves_head = position <= size_ / 2;
  MAYFLY_TRY(std::vector<std::string> moved,
             moves_head ? Read(0, position) : Read(position, size_));
  if (moves_head) --first_;
  ++size_;
  std::int64_t index = moves_head ? first_ : IndexOf(position + 1);
  const std::int64_t fresh = moves_head ? first_ : IndexOf(size_ - 1);
  for (const std::string& one : moved) {
    MAYFLY_RETURN_IF_ERROR(PutAt(index, one, index == fresh));
    ++index;
  }
  MAYFLY_RETURN_IF_ERROR(PutAt(IndexOf(position), value, false));
  return moves_head ? WriteHead() : Status();
}

Status List::Remove(std::span<const std::uint64_t> positions) {
  if (positions.empty()) return {};
  MAYFLY_CHECK(positions.back() < size_, "positions within the list");
  if (positions.size() == size_) return Trim(0, 0);
  const std::uint64_t before = positions.back() + 1 - positions.size();
  const std::uint64_t behind = size_ - positions.front() - positions.size();
  return before < behind ? ShiftTowardsTail(positions) : ShiftTowardsHead(positions);
}

Status List::Trim(std::uint64_t begin, std::uint64_t end) {
  end = std::min(end, size_);
  if (begin >= end) {
    first_ = 0;
    size_ = 0;
    return space_->Delete(key_).status();
  }
  const std::uint64_t kept = end - begin;
  if (kept == size_) return {};
  if (kept >= size_ - kept) {
    MAYFLY_RETURN_IF_ERROR(RemoveIndexes(IndexOf(end), IndexOf(size_)));
    MAYFLY_RETURN_IF_ERROR(RemoveIndexes(first_, IndexOf(begin)));
    first_ = IndexOf(begin);
    size_ = kept;
    return begin > 0 ? WriteHead() : Status();
  }
  // Writing the few that stay under a new version is cheaper than removing the many.
  MAYFLY_TRY(const std::vector<std::string> values, Read(begin, end));
  first_ = 0;
  size_ = kept;
  MAYFLY_RETURN_IF_ERROR(space_->MakeCollection(key_, HeadOf(first_), Lifetime::Keep()));
  for (std::uint64_t i = 0; i < kept; ++i) {
    MAYFLY_RETURN_IF_ERROR(PutAt(IndexOf(i), values[i], true));
  }
  return {};
}

Status List::WalkToTail(std::uint64_t position, Visitor visit) const {
  if (position >= size_) return {};
  MAYFLY_TRY(const auto cursor, space_->NewMemberCursor(key_, core::Part::kMembers));
  cursor->SeekAtOrAfter(MemberAt(IndexOf(position)));
  for (; position < size_; ++position, cursor->Next()) {
    MAYFLY_RETURN_IF_ERROR(cursor->status());
    if (!cursor->Valid() || cursor->member() != MemberAt(IndexOf(position))) return Gap();
    if (!visit(position, cursor->value())) break;
  }
  return cursor->status();
}

Status List::WalkToHead(std::uint64_t position, Visitor visit) const {
  if (position >= size_) return {};
  MAYFLY_TRY(const auto cursor, space_->NewMemberCursor(key_, core::Part::kMembers));
  cursor->SeekAtOrBefore(MemberAt(IndexOf(position)));
  for (++position; position-- > 0; cursor->Prev()) {
    MAYFLY_RETURN_IF_ERROR(cursor->status());
    if (!cursor->Valid() || cursor->member() != MemberAt(IndexOf(position))) return Gap();
    if (!visit(position, cursor->value())) break;
  }
  return cursor->status();
}

std::int64_t List::IndexOf(std::uint64_t position) const {
  return first_ + static_cast<std::int64_t>(position);
}

Status List::PutAt(std::int64_t index, Bytes value, bool known_new) {
  return space_->PutMember(key_, MemberAt(index), value, core::MemberLifetime::Forever(), known_new)
      .status();
}

Status List::RemoveIndexes(std::int64_t begin, std::int64_t end) {
  for (; begin < end; ++begin) {
    MAYFLY_TRY(const bool removed, space_->RemoveMember(key_, MemberAt(begin)));
    if (!removed) return Gap();
  }
  return {};
}

Status List::WriteHead() { return space_->SetHead(key_, HeadOf(first_)); }

Status List::ShiftTowardsHead(std::span<const std::uint64_t> holes) {
  std::int64_t index = IndexOf(holes.front());
  MAYFLY_TRY(const std::vector<std::string> moved, Read(holes.front(), size_, holes));
  for (const std::string& value : moved) MAYFLY_RETURN_IF_ERROR(PutAt(index++, value, false));
  MAYFLY_RETURN_IF_ERROR(RemoveIndexes(index, IndexOf(size_)));
  size_ -= holes.size();
  return {};
}

Status List::ShiftTowardsTail(std::span<const std::uint64_t> holes) {
  MAYFLY_TRY(const std::vector<std::string> moved, Read(0, holes.back() + 1, holes));
  std::int64_t index = IndexOf(holes.size());
  for (const std::string& value : moved) MAYFLY_RETURN_IF_ERROR(PutAt(index++, value, false));
  MAYFLY_RETURN_IF_ERROR(RemoveIndexes(first_, IndexOf(holes.size())));
  first_ = IndexOf(holes.size());
  size_ -= holes.size();
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

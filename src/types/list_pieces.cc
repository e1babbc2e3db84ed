#include "types/list_pieces.h"

#include <algorithm>

#include "base/coding.h"
#include "types/value_type.h"

namespace mayfly::types {
namespace {

constexpr std::uint64_t kSignBit = std::uint64_t{1} << 63;
constexpr std::int64_t kMiddleLane = std::int64_t{1} << 60;
constexpr std::int64_t kMiddleStride = std::int64_t{1} << 20;

// Items begin with a number, so that a piece at either end of the order gets the next one. Between
// two items there is always a longer one.
constexpr std::uint64_t kItemStride = std::uint64_t{1} << 20;

// An item gets that long only after a thousand or more changes at one place.
constexpr std::size_t kItemBytesMax = 256;

// Lists of up to so many values are rewritten when they are scattered: at kPiecesFew pieces and one
// for kValuesPerPiece values.
constexpr std::uint64_t kRewrittenMax = 4096;
constexpr std::uint64_t kPiecesFew = 64;
constexpr std::uint64_t kValuesPerPiece = 16;

// Odd: no item ends in a zero.
std::string Item(std::uint64_t number) {
  std::string item;
  AppendBigEndian64(item, number | 1);
  return item;
}

// The number that an item begins with; a short item counts as followed by zeros.
std::uint64_t NumberOf(Bytes item) {
  std::string bytes(item.substr(0, std::min(item.size(), sizeof(std::uint64_t))));
  bytes.resize(sizeof(std::uint64_t));
  Bytes rest = bytes;
  std::uint64_t number = 0;
  return EatBigEndian64(rest, number) ? number : 0;
}

// Bytes after `left` and before `right`, which is after `left`, too, and does not end in zero.
// Neither does the result.
std::string ItemBetween(Bytes left, Bytes right) {
  std::string item;
  bool bound = true;  // So far the result is a prefix of `right`.
  for (std::size_t i = 0;; ++i) {
    const unsigned low = i < left.size() ? static_cast<unsigned char>(left[i]) : 0;
    const unsigned high = bound && i < right.size() ? static_cast<unsigned char>(right[i]) : 256;
    if (high > low + 1) {
      item.push_back(static_cast<char>((low + high) / 2));
      return item;
    }
    item.push_back(static_cast<char>(low));
    if (high != low) bound = false;
  }
}

std::string PieceValue(const ListPiece& piece) {
  std::string value;
  AppendVarint(value, piece.count);
  AppendZigZag(value, piece.first);
  return value;
}

Result<ListPiece> PieceOf(Bytes value) {
  ListPiece piece;
  if (!EatVarint(value, piece.count) || !EatZigZag(value, piece.first)) return UncountedOrder();
  return piece;
}

}  // namespace

bool ListShape::is_plain() const {
  return is_one() && front.first == low && front.end() == high && made == 0 && root.levels == 0 &&
         root.next_space == 1 && root.node.rows == 0 && root.node.removed == 0;
}

std::string ListMember(std::int64_t index) {
  std::string member;
  AppendBigEndian64(member, static_cast<std::uint64_t>(index) ^ kSignBit);
  return member;
}

std::string ListHead(const ListShape& shape) {
  std::string head(1, static_cast<char>(ValueType::kList));
  AppendLittleEndian64(head, static_cast<std::uint64_t>(shape.front.first));
  if (shape.is_plain()) return head;
  AppendVarint(head, shape.front.count);
  AppendVarint(head, shape.middle);
  AppendZigZag(head, shape.back.first);
  AppendZigZag(head, shape.low);
  AppendZigZag(head, shape.high);
  AppendVarint(head, shape.made);
  AppendRoot(head, shape.root);
  return head;
}

bool ReadListHead(Bytes head, std::uint64_t size, ListShape& shape) {
  std::uint64_t first = 0;
  head.remove_prefix(1);
  if (!EatLittleEndian64(head, first)) return false;
  shape.front = {.first = static_cast<std::int64_t>(first), .count = size};
  shape.low = shape.front.first;
  shape.high = shape.front.end();
  if (head.empty()) return true;
  if (!EatVarint(head, shape.front.count) || !EatVarint(head, shape.middle) ||
      !EatZigZag(head, shape.back.first) || !EatZigZag(head, shape.low) ||
      !EatZigZag(head, shape.high) || !EatVarint(head, shape.made) ||
      !EatRoot(head, shape.middle, shape.root) || !head.empty()) {
    return false;
  }
  if (shape.front.count > size || shape.middle > size - shape.front.count) return false;
  shape.back.count = size - shape.front.count - shape.middle;
  return true;
}

Result<ListPieces::Found> ListPieces::Find(std::uint64_t position) const {
  if (position < shape_.front.count) return Found{.piece = shape_.front};
  const std::uint64_t behind = position - shape_.front.count;
  if (behind >= shape_.middle) {
    return Found{.piece = shape_.back,
                 .begin = shape_.front.count + shape_.middle,
                 .where = Found::Where::kBack};
  }
  MAYFLY_TRY(auto place, order_.At(behind));
  MAYFLY_TRY(const ListPiece piece, PieceOf(place.value));
  return Found{.piece = piece,
               .begin = shape_.front.count + place.before,
               .where = Found::Where::kMiddle,
               .item = std::move(place.item)};
}

Result<ListPieces::Found> ListPieces::Next(const Found& found, bool to_tail,
                                           std::optional<OrderCursor>& walk) const {
  const std::uint64_t position = to_tail ? found.begin + found.piece.count : found.begin - 1;
  const bool in_middle =
      position >= shape_.front.count && position - shape_.front.count < shape_.middle;
  if (!in_middle) return Find(position);
  if (!walk) {
    MAYFLY_TRY(Found first, Find(position));
    walk.emplace(*space_, key_, order_.root(),
                 to_tail ? OrderCursor::Way::kUp : OrderCursor::Way::kDown);
    walk->EnterAt(first.item);
    MAYFLY_RETURN_IF_ERROR(walk->status());
    return first;
  }
  walk->Next();
  MAYFLY_RETURN_IF_ERROR(walk->status());
  if (!walk->Valid()) return UncountedOrder();
  MAYFLY_TRY(const ListPiece piece, PieceOf(walk->value()));
  return Found{.piece = piece,
               .begin = to_tail ? position : position + 1 - piece.count,
               .where = Found::Where::kMiddle,
               .item = std::string(walk->item())};
}

Result<std::int64_t> ListPieces::PushHead() {
  if (shape_.front.count > 0 && shape_.front.first != shape_.low) {
    if (shape_.is_one()) {
      shape_.back = shape_.front;
    } else {
      MAYFLY_RETURN_IF_ERROR(InsertFirst(shape_.front));
    }
    shape_.front.count = 0;
  }
  --shape_.low;
  shape_.front = {.first = shape_.low, .count = shape_.front.count + 1};
  return shape_.low;
}

Result<std::int64_t> ListPieces::PushTail() {
  const bool in_front =
      shape_.is_one() && (shape_.front.count == 0 || shape_.front.end() == shape_.high);
  ListPiece& last = in_front ? shape_.front : shape_.back;
  if (last.count > 0 && last.end() != shape_.high) {
    MAYFLY_RETURN_IF_ERROR(InsertLast(last));
    last.count = 0;
  }
  if (last.count == 0) last.first = shape_.high;
  ++last.count;
  return shape_.high++;
}

Result<ListPiece> ListPieces::DropHead(std::uint64_t count) {
  ListPiece& front = shape_.front;
  const ListPiece dropped{.first = front.first, .count = std::min(count, front.count)};
  if (front.first == shape_.low) shape_.low = dropped.end();
  front = {.first = dropped.end(), .count = front.count - dropped.count};
  MAYFLY_RETURN_IF_ERROR(FillFront());
  return dropped;
}

Result<ListPiece> ListPieces::DropTail(std::uint64_t count) {
  if (shape_.back.count == 0 && shape_.middle > 0) {
    MAYFLY_TRY(shape_.back, TakeFrom(shape_.middle - 1));
  }
  ListPiece& last = shape_.back.count > 0 ? shape_.back : shape_.front;
  const std::uint64_t dropped = std::min(count, last.count);
  if (last.end() == shape_.high) shape_.high -= static_cast<std::int64_t>(dropped);
  last.count -= dropped;
  return ListPiece{.first = last.end(), .count = dropped};
}

// Removes the piece at `position` from the order.
Result<ListPiece> ListPieces::TakeFrom(std::uint64_t position) {
  MAYFLY_TRY(const auto place, order_.At(position));
  MAYFLY_TRY(const ListPiece piece, PieceOf(place.value));
  MAYFLY_RETURN_IF_ERROR(order_.Remove(place.item, piece.count));
  shape_.middle -= piece.count;
  shape_.root = order_.root();
  return piece;
}

Status ListPieces::FillFront() {
  if (shape_.front.count > 0) return {};
  if (shape_.middle == 0) {
    shape_.front = shape_.back;
    shape_.back.count = 0;
    return {};
  }
  MAYFLY_TRY(shape_.front, TakeFrom(0));
  return {};
}

Result<std::int64_t> ListPieces::Open(std::uint64_t position) {
  MAYFLY_TRY(Found at, Find(position));
  const ListPiece whole = at.piece;
  if (at.begin < position) {
    const ListPiece fresh = NewPiece();
    const std::uint64_t kept = position - at.begin;
    MAYFLY_RETURN_IF_ERROR(
        Split(at, {whole.first, kept}, fresh, {at.IndexOf(position), whole.count - kept}));
    return fresh.first;
  }
  // Between two pieces: one of them may have room.
  MAYFLY_TRY(const bool free_before, IsFree(whole.first - 1));
  if (free_before) {
    MAYFLY_RETURN_IF_ERROR(Set(at, {whole.first - 1, whole.count + 1}));
    return whole.first - 1;
  }
  MAYFLY_TRY(const Found before, Find(position - 1));
  MAYFLY_TRY(const bool free_behind, IsFree(before.piece.end()));
  if (free_behind) {
    MAYFLY_RETURN_IF_ERROR(Set(before, {before.piece.first, before.piece.count + 1}));
    return before.piece.end();
  }
  const ListPiece fresh = NewPiece();
  MAYFLY_RETURN_IF_ERROR(before.where == Found::Where::kFront ? InsertFirst(fresh)
                                                              : InsertBehind(before.item, fresh));
  return fresh.first;
}

Result<std::int64_t> ListPieces::Close(std::uint64_t position) {
  MAYFLY_TRY(const Found at, Find(position));
  const ListPiece& whole = at.piece;
  const std::int64_t index = at.IndexOf(position);
  const std::uint64_t before = position - at.begin;
  const std::uint64_t behind = whole.count - before - 1;
  if (before > 0 && behind > 0) {
    MAYFLY_RETURN_IF_ERROR(Split(at, {whole.first, before}, std::nullopt, {index + 1, behind}));
    return index;
  }
  if (at.where != Found::Where::kMiddle) {
    if (before == 0 && index == shape_.low) ++shape_.low;
    if (behind == 0 && index + 1 == shape_.high) --shape_.high;
  }
  MAYFLY_RETURN_IF_ERROR(Set(at, {before == 0 ? whole.first + 1 : whole.first, whole.count - 1}));
  MAYFLY_RETURN_IF_ERROR(FillFront());
  return index;
}

// Replaces the piece by two halves, with another piece between them if there is one.
Status ListPieces::Split(const Found& found, const ListPiece& left,
                         std::optional<ListPiece> between, const ListPiece& right) {
  switch (found.where) {
    case Found::Where::kFront:
      if (shape_.is_one()) {
        shape_.back = right;
      } else {
        MAYFLY_RETURN_IF_ERROR(InsertFirst(right));
      }
      shape_.front = left;
      return between ? InsertFirst(*between) : Status();
    case Found::Where::kBack:
      MAYFLY_RETURN_IF_ERROR(InsertLast(left));
      shape_.back = right;
      return between ? InsertLast(*between) : Status();
    case Found::Where::kMiddle: break;
  }
  MAYFLY_RETURN_IF_ERROR(Set(found, left));
  MAYFLY_RETURN_IF_ERROR(InsertBehind(found.item, right));
  return between ? InsertBehind(found.item, *between) : Status();
}

Status ListPieces::Set(const Found& found, const ListPiece& piece) {
  if (found.where == Found::Where::kFront) shape_.front = piece;
  if (found.where == Found::Where::kBack) shape_.back = piece;
  if (found.where != Found::Where::kMiddle) return {};
  MAYFLY_RETURN_IF_ERROR(piece.count == 0
                             ? order_.Remove(found.item, found.piece.count)
                             : order_.Replace(found.item, found.piece.count, PieceValue(piece)));
  shape_.middle += piece.count - found.piece.count;
  shape_.root = order_.root();
  return {};
}

Status ListPieces::Insert(const std::string& item, const ListPiece& piece) {
  MAYFLY_RETURN_IF_ERROR(order_.Insert(item, PieceValue(piece)));
  shape_.middle += piece.count;
  shape_.root = order_.root();
  return {};
}

Status ListPieces::InsertFirst(const ListPiece& piece) {
  MAYFLY_TRY(const std::string first, ItemFrom("", OrderCursor::Way::kUp));
  return Insert(first.empty() ? Item(kSignBit) : Item(NumberOf(first) - kItemStride), piece);
}

Status ListPieces::InsertLast(const ListPiece& piece) {
  MAYFLY_TRY(const std::string last, ItemFrom("", OrderCursor::Way::kDown));
  return Insert(last.empty() ? Item(kSignBit) : Item(NumberOf(last) + kItemStride), piece);
}

Status ListPieces::InsertBehind(const std::string& item, const ListPiece& piece) {
  MAYFLY_TRY(const std::string next, ItemFrom(item + '\0', OrderCursor::Way::kUp));
  const std::string fresh =
      next.empty() ? Item(NumberOf(item) + kItemStride) : ItemBetween(item, next);
  crowded_ = crowded_ || fresh.size() > kItemBytesMax;
  return Insert(fresh, piece);
}

// The first item from `from` on in this direction, or from the end if that is empty. Empty: there
// is none.
Result<std::string> ListPieces::ItemFrom(Bytes from, OrderCursor::Way way) const {
  OrderCursor walk(*space_, key_, order_.root(), way);
  from.empty() ? walk.Enter() : walk.EnterAt(from);
  MAYFLY_RETURN_IF_ERROR(walk.status());
  return walk.Valid() ? std::string(walk.item()) : std::string();
}

ListPiece ListPieces::NewPiece() {
  const auto made = static_cast<std::int64_t>(shape_.made++);
  return {.first = kMiddleLane + made * kMiddleStride + kMiddleStride / 2, .count = 1};
}

// Whether a piece may grow to this index.
Result<bool> ListPieces::IsFree(std::int64_t index) const {
  if (index < kMiddleLane && (index < shape_.low || index >= shape_.high)) return false;
  core::FoundMember found;
  MAYFLY_RETURN_IF_ERROR(space_->FindMember(key_, ListMember(index), found));
  return !found.exists;
}

bool ListPieces::IsScattered() const {
  const std::uint64_t size = shape_.front.count + shape_.middle + shape_.back.count;
  if (crowded_) return true;
  if (size > kRewrittenMax) return false;
  return shape_.root.levels > 0 || shape_.root.node.rows > kPiecesFew + size / kValuesPerPiece;
}

}  // namespace mayfly::types

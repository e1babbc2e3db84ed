#include "engine/hot/index/hot_cursor.h"

#include <algorithm>
#include <cstring>

#include "engine/hot/index/words.h"

namespace mayfly::engine::hot {
namespace {

// Rows fetched into the cache ahead of the one that is copied; more than four were slower.
constexpr std::size_t kAhead = 4;

// Of the first load after a seek; each further one is this many times as long.
constexpr std::size_t kFirstRows = 4;
constexpr std::size_t kGrowth = 4;

constexpr std::size_t kFirstBufferBytes = 2048;
constexpr std::size_t kBufferBytes = kCursorBytesMax + kInlineValueBytesMax;

}  // namespace

HotCursor::HotCursor(const HotIndex& index, Role role, Sequence open_state, const KeyRange& range,
                     Show show)
    : index_(index),
      reader_(index.arena(), index.states()),
      map_(index.map(role)),
      state_(open_state),
      begin_(range.begin),
      end_(range.end),
      show_(show) {
  index_.OpenStateAgain(state_);
}

HotCursor::~HotCursor() { index_.CloseState(state_); }

void HotCursor::Begin() {
  ended_ = false;
  rows_max_ = 0;
}

void HotCursor::Clear() {
  rows_.clear();
  longer_.clear();
  copied_ = 0;
  at_ = 0;
  rows_max_ = std::clamp(rows_max_ * kGrowth, kFirstRows, kCursorRowsMax);
}

char* HotCursor::Reserve(std::size_t bytes) {
  constexpr std::size_t kSlack = sizeof(Word);
  const std::size_t wanted = rows_max_ > kFirstRows ? kBufferBytes : kFirstBufferBytes;
  if (rows_.empty() && buffer_bytes_ < wanted) {  // Nothing points into it.
    buffer_ = std::make_unique_for_overwrite<char[]>(wanted);
    buffer_bytes_ = wanted;
  }
  if (copied_ + bytes + kSlack > buffer_bytes_) {
    longer_.push_back(std::make_unique_for_overwrite<char[]>(bytes + kSlack));
    return longer_.back().get();
  }
  return buffer_.get() + copied_;
}

void HotCursor::SeekAtOrAfter(Bytes target) {
  from_ = std::max<Bytes>(target, begin_);
  Begin();
  LoadForward();
}

void HotCursor::SeekToLast() {
  from_ = end_;
  Begin();
  LoadBackward();
}

void HotCursor::SeekAtOrBefore(Bytes target) {
  if (!end_.empty() && target >= end_) return SeekToLast();
  // The least key behind `target`; keys before it are those up to `target`.
  from_.assign(target);
  from_.push_back('\0');
  Begin();
  LoadBackward();
}

void HotCursor::Next() {
  if (direction_ == Direction::kForward) {
    if (++at_ == rows_.size()) LoadForward();
    return;
  }
  from_.assign(key());
  from_.push_back('\0');
  Begin();
  LoadForward();
}

void HotCursor::Prev() {
  if (direction_ == Direction::kBackward) {
    if (++at_ == rows_.size()) LoadBackward();
    return;
  }
  from_.assign(key());
  Begin();
  LoadBackward();
}

bool HotCursor::Copy(const RowTree::Position& at, std::size_t i) {
  const Handle handle = at.leaf->handle(i);
  if (!at.IsCurrent()) return false;
  return CopyNewest(at, RowAt(index_.arena(), handle)) || CopyAny(at, handle);
}

bool HotCursor::CopyNewest(const RowTree::Position& at, const RowBlock& block) {
  const std::uint64_t seen = block.state.load(std::memory_order_acquire);
  if ((seen & (kWriting | kTombstone | kExternal)) || SequenceOf(seen) > state_) return false;
  const std::uint32_t key_bytes = block.key_bytes();
  const std::uint32_t value_bytes = block.value_bytes.load(std::memory_order_acquire);
  if (value_bytes > kInlineValueBytesMax || !at.IsCurrent()) return false;
  // Key and value lie side by side.
  char* to = Reserve(key_bytes + value_bytes);
  CopyOutAligned(block.key(), to, key_bytes + value_bytes);
  if (block.state.load(std::memory_order_acquire) != seen || !at.IsCurrent()) return false;
  copied_ += key_bytes + value_bytes;
  rows_.push_back({.state = seen,
                   .key = to,
                   .value = to + key_bytes,
                   .key_bytes = key_bytes,
                   .value_bytes = value_bytes});
  return true;
}

bool HotCursor::CopyAny(const RowTree::Position& at, Handle handle) {
  const RowBlock& block = RowAt(index_.arena(), handle);
  const std::uint32_t key_bytes = block.key_bytes();
  if (!at.IsCurrent()) return false;
  scratch_.resize(key_bytes);
  CopyOut(block.key(), scratch_.data(), key_bytes);
  RowImage image;
  const auto is_current = [&] { return at.IsCurrent(); };
  const RowRead read = reader_.Read(handle, state_, true, is_current, scratch_, image);
  if (read == RowRead::kChanged) return false;
  if (read == RowRead::kNothing || (read == RowRead::kDeleted && show_ == Show::kValues)) {
    return true;
  }
  char* to = Reserve(scratch_.size());
  std::memcpy(to, scratch_.data(), scratch_.size());
  copied_ += scratch_.size();
  const Bytes value =
      image.external.empty() ? Bytes(to, scratch_.size()).substr(key_bytes) : image.external;
  rows_.push_back({.state = StateOf(image.sequence, image.flags),
                   .key = to,
                   .value = value.data(),
                   .key_bytes = key_bytes,
                   .value_bytes = static_cast<std::uint32_t>(value.size())});
  return true;
}

void HotCursor::LoadForward() {
  Clear();
  direction_ = Direction::kForward;
  while (!ended_ && rows_.empty()) {
    const RowTree::Position at = map_.tree().Find(from_);
    const std::size_t fetched = std::min(at.count, at.index + kAhead);
    for (std::size_t i = at.index; i < fetched; ++i) {
      PrefetchRow(index_.arena(), at.leaf->handle(i));
    }
    std::size_t i = at.index;
    for (; i < at.count && !IsFull(); ++i) {
      if (i + kAhead < at.count) PrefetchRow(index_.arena(), at.leaf->handle(i + kAhead));
      const std::size_t before = rows_.size();
      if (!Copy(at, i)) break;
      if (rows_.size() == before || end_.empty()) continue;
      if (KeyOf(rows_.back()) >= end_) {
        rows_.pop_back();
        ended_ = true;
        break;
      }
    }
    if (ended_) break;
    if (i == at.count && map_.tree().HighOf(at, from_)) {
      ended_ = from_.empty() || (!end_.empty() && from_ >= end_);
    } else if (!rows_.empty()) {
      // Behind the last row that was copied.
      from_.assign(KeyOf(rows_.back()));
      from_.push_back('\0');
    }
  }
}

void HotCursor::LoadBackward() {
  Clear();
  direction_ = Direction::kBackward;
  while (!ended_ && rows_.empty()) {
    const RowTree::Position at = map_.tree().FindBefore(from_);
    for (std::size_t i = at.index; i > 0 && at.index - i < kAhead; --i) {
      PrefetchRow(index_.arena(), at.leaf->handle(i - 1));
    }
    std::size_t i = at.index;
    for (; i > 0 && !IsFull(); --i) {
      if (i > kAhead) PrefetchRow(index_.arena(), at.leaf->handle(i - 1 - kAhead));
      const std::size_t before = rows_.size();
      if (!Copy(at, i - 1)) break;
      if (rows_.size() == before || begin_.empty()) continue;
      if (KeyOf(rows_.back()) < begin_) {
        rows_.pop_back();
        ended_ = true;
        break;
      }
    }
    if (ended_) break;
    if (i == 0 && map_.tree().LowOf(at, from_)) {
      ended_ = from_.empty() || from_ <= begin_;
    } else if (!rows_.empty()) {
      from_.assign(KeyOf(rows_.back()));
    }
  }
}

}  // namespace mayfly::engine::hot

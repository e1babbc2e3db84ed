// draft_map.h - a transaction's drafts by name, in the order of names.
// Most transactions have a handful: one sorted array of pointers, without an allocation. Many drafts
// are several arrays, each split in two when it is full. A draft stays where it is until it is
// erased, so views into it hold.
// Beside each pointer lies the head of its name: most names differ in their first eight bytes, and a
// search compares numbers then, without following a pointer.
#pragma once

#include <algorithm>
#include <boost/container/small_vector.hpp>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>

#include "base/leading_bytes.h"
#include "mayfly/bytes.h"

namespace mayfly::core {

// Owns its drafts. Iterators are invalid after a change.
template <typename Own>
class DraftMap {
 public:
  // With the names that std::map gives them.
  struct value_type {
    std::string first;
    Own second;
  };

 private:
  static constexpr std::size_t kBlockDraftsMax = 128;
  struct Entry {
    std::uint64_t head;
    value_type* draft;
  };
  using Block = boost::container::small_vector<Entry, 8>;
  using Blocks = boost::container::small_vector<Block, 1>;  // None is empty.

  template <bool kConst>
  class Iterator {
   public:
    using iterator_category = std::bidirectional_iterator_tag;
    using value_type = DraftMap::value_type;
    using difference_type = std::ptrdiff_t;
    using reference = std::conditional_t<kConst, const value_type&, value_type&>;
    using pointer = std::conditional_t<kConst, const value_type*, value_type*>;

    Iterator() = default;
    Iterator(const Blocks& blocks, std::size_t block, std::size_t index)
        : blocks_(&blocks), block_(block), index_(index) {}

    reference operator*() const { return *(*blocks_)[block_][index_].draft; }
    pointer operator->() const { return (*blocks_)[block_][index_].draft; }
    Iterator& operator++() {
      if (++index_ == (*blocks_)[block_].size()) {
        ++block_;
        index_ = 0;
      }
      return *this;
    }
    Iterator& operator--() {
      if (index_ == 0) index_ = (*blocks_)[--block_].size();
      --index_;
      return *this;
    }
    friend bool operator==(const Iterator& a, const Iterator& b) {
      return a.block_ == b.block_ && a.index_ == b.index_;
    }

   private:
    const Blocks* blocks_ = nullptr;
    std::size_t block_ = 0;  // Past the last one, index 0: the end.
    std::size_t index_ = 0;
  };

 public:
  using iterator = Iterator<false>;
  using const_iterator = Iterator<true>;

  DraftMap() = default;
  ~DraftMap() { clear(); }
  DraftMap(DraftMap&& other) noexcept : blocks_(std::move(other.blocks_)) { other.blocks_.clear(); }
  DraftMap& operator=(DraftMap&& other) noexcept {
    clear();
    blocks_ = std::move(other.blocks_);
    other.blocks_.clear();
    return *this;
  }

  bool empty() const { return blocks_.empty(); }
  iterator begin() { return {blocks_, 0, 0}; }
  iterator end() { return {blocks_, blocks_.size(), 0}; }
  const_iterator begin() const { return {blocks_, 0, 0}; }
  const_iterator end() const { return {blocks_, blocks_.size(), 0}; }

  // The draft of this name, or null.
  value_type* Find(Bytes name) const {
    if (blocks_.empty()) return nullptr;
    const Place at = PlaceOf(name);
    return at.is_present ? blocks_[at.block][at.index].draft : nullptr;
  }

  const_iterator lower_bound(Bytes name) const {
    if (blocks_.empty()) return end();
    const Place at = PlaceOf(name);
    return At(at.block, at.index);
  }
  const_iterator upper_bound(Bytes name) const {
    if (blocks_.empty()) return end();
    const Place at = PlaceOf(name);
    return At(at.block, at.index + (at.is_present ? 1 : 0));
  }

  // The draft of this name, and whether it is new: then it is what `make()` returned.
  template <typename Make>
  std::pair<value_type*, bool> Emplace(Bytes name, Make make) {
    if (blocks_.empty()) blocks_.emplace_back();
    const Place at = PlaceOf(name);
    Block& block = blocks_[at.block];
    if (at.is_present) return {block[at.index].draft, false};
    std::unique_ptr<value_type> made = make();
    made->first.assign(name);
    block.insert(block.begin() + static_cast<std::ptrdiff_t>(at.index),
                 Entry{LeadingBytes(name), made.get()});
    value_type* const draft = made.release();  // The block's from here on.
    if (block.size() > kBlockDraftsMax) Split(at.block);
    return {draft, true};
  }

  // Removes a draft that is there.
  void Erase(Bytes name) {
    const Place at = PlaceOf(name);
    Block& block = blocks_[at.block];
    delete block[at.index].draft;
    block.erase(block.begin() + static_cast<std::ptrdiff_t>(at.index));
    if (block.empty()) blocks_.erase(blocks_.begin() + static_cast<std::ptrdiff_t>(at.block));
  }

  // Removes all that are not worth keeping.
  template <typename IsKept>
  void KeepIf(IsKept is_kept) {
    DraftMap kept;
    for (Block& block : blocks_) {
      for (const Entry& entry : block) {
        std::unique_ptr<value_type> owned(entry.draft);
        if (is_kept(*owned)) kept.Emplace(entry.draft->first, [&] { return std::move(owned); });
      }
    }
    blocks_.clear();
    std::swap(blocks_, kept.blocks_);
  }

  // Hands all drafts to `take(std::unique_ptr)`, and is empty then.
  template <typename Take>
  void Empty(Take take) {
    for (Block& block : blocks_) {
      for (const Entry& entry : block) take(std::unique_ptr<value_type>(entry.draft));
    }
    blocks_.clear();
  }

  void clear() {
    Empty([](std::unique_ptr<value_type>) {});
  }

 private:
  struct Place {
    std::size_t block;
    std::size_t index;  // Of the first name that is not before it.
    bool is_present;
  };

  const_iterator At(std::size_t block, std::size_t index) const {
    return index < blocks_[block].size() ? const_iterator(blocks_, block, index)
                                         : const_iterator(blocks_, block + 1, 0);
  }

  // Below, at or above zero, as the entry's name is before, at or behind this one.
  static int Compare(const Entry& entry, std::uint64_t head, Bytes name) {
    if (entry.head != head) return entry.head < head ? -1 : 1;
    return Bytes(entry.draft->first).compare(name);
  }

  // There is a block. Of several, the first whose last name is not before this one, or the last.
  Place PlaceOf(Bytes name) const {
    const std::uint64_t head = LeadingBytes(name);
    std::size_t block = 0;
    for (std::size_t end = blocks_.size() - 1; block < end;) {
      const std::size_t middle = block + (end - block) / 2;
      Compare(blocks_[middle].back(), head, name) < 0 ? block = middle + 1 : end = middle;
    }
    const Block& drafts = blocks_[block];
    std::size_t first = FirstWithHeadFrom(drafts, head);
    for (std::size_t last = EndOfHead(drafts, first, head); first < last;) {
      const std::size_t middle = first + (last - first) / 2;
      const int order = Bytes(drafts[middle].draft->first).compare(name);
      if (order == 0) return {block, middle, true};
      order < 0 ? first = middle + 1 : last = middle;
    }
    return {block, first, false};
  }

  // Without a branch that depends on the heads.
  static std::size_t FirstWithHeadFrom(const Block& drafts, std::uint64_t head) {
    const Entry* from = drafts.data();
    std::size_t size = drafts.size();
    while (size > 0) {
      const std::size_t half = (size + 1) / 2;
      const std::size_t is_before = from[half - 1].head < head ? 1 : 0;
      from += half & (0 - is_before);
      size -= half;
    }
    return static_cast<std::size_t>(from - drafts.data());
  }

  // The end of the range of entries with this head that begins at `first`.
  static std::size_t EndOfHead(const Block& drafts, std::size_t first, std::uint64_t head) {
    if (first == drafts.size() || drafts[first].head != head) return first;
    if (first + 1 == drafts.size() || drafts[first + 1].head != head) return first + 1;
    return head == UINT64_MAX ? drafts.size() : FirstWithHeadFrom(drafts, head + 1);
  }

  // In the middle; or before the last one, so that names that come in order leave full blocks.
  void Split(std::size_t at) {
    const bool is_last = at + 1 == blocks_.size();
    blocks_.emplace(blocks_.begin() + static_cast<std::ptrdiff_t>(at) + 1);
    Block& from = blocks_[at];
    const auto half =
        from.begin() + static_cast<std::ptrdiff_t>(is_last ? from.size() - 1 : from.size() / 2);
    blocks_[at + 1].assign(half, from.end());
    from.erase(half, from.end());
  }

  Blocks blocks_;
};

}  // namespace mayfly::core

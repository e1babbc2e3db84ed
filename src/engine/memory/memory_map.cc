#include "engine/memory/memory_map.h"

#include <iterator>
#include <utility>

namespace mayfly::engine {
namespace {

// The overhead of the allocator and the tree, beside the bytes themselves.
constexpr std::size_t kNodeOverheadBytes = sizeof(MemoryMap::Chains::value_type) + 48;
constexpr std::size_t kValueOverheadBytes = sizeof(std::string) + 32;
constexpr std::size_t kVersionOverheadBytes = sizeof(Sequence) + sizeof(Value);

std::size_t NodeBytes(Bytes key) { return kNodeOverheadBytes + key.size(); }

std::size_t VersionBytes(const Value& value) {
  return kVersionOverheadBytes + (value ? kValueOverheadBytes + value->size() : 0);
}

}  // namespace

Value MemoryMap::Find(Bytes key, Sequence state) const {
  const auto node = chains_.find(key);
  return node == chains_.end() ? nullptr : node->second.At(state);
}

void MemoryMap::Write(Bytes key, Value value, Moment moment) {
  const auto node = chains_.lower_bound(key);
  if (node != chains_.end() && node->first == key) {
    Overwrite(node, std::move(value), moment);
    return;
  }
  if (!value) return;
  memory_bytes_ += NodeBytes(key) + VersionBytes(value);
  chains_.try_emplace(node, std::string(key), moment.commit, std::move(value));
}

void MemoryMap::DeleteRange(Bytes begin, Bytes end, Moment moment) {
  for (auto node = chains_.lower_bound(begin); node != chains_.end() && node->first < end;) {
    const auto next = std::next(node);
    Overwrite(node, nullptr, moment);
    node = next;
  }
}

void MemoryMap::Overwrite(Node node, Value value, Moment moment) {
  VersionChain& chain = node->second;
  if (!value && !chain.newest()) return;

  if (chain.newest_since() <= moment.newest_open) {
    memory_bytes_ += VersionBytes(value);
    chain.Append(moment.commit, std::move(value));
    obsolete_.push_back({.replaced_at = moment.commit, .node = node});
    return;
  }
  if (!value && chain.size() == 1) {
    Erase(node);
    return;
  }
  memory_bytes_ += VersionBytes(value);
  memory_bytes_ -= VersionBytes(chain.newest());
  chain.RewriteNewest(std::move(value));
}

void MemoryMap::Prune(Sequence oldest_open) {
  while (!obsolete_.empty() && obsolete_.front().replaced_at <= oldest_open) {
    const Node node = obsolete_.front().node;
    obsolete_.pop_front();
    VersionChain& chain = node->second;
    memory_bytes_ -= VersionBytes(chain.TakeOldest());
    if (chain.size() == 1 && !chain.newest()) Erase(node);
  }
}

void MemoryMap::Erase(Node node) {
  memory_bytes_ -= NodeBytes(node->first) + VersionBytes(node->second.newest());
  chains_.erase(node);
}

void MemoryMap::Clear() {
  obsolete_.clear();
  chains_.clear();
  memory_bytes_ = 0;
}

}  // namespace mayfly::engine

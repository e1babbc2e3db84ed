#include "engine/memory/memory_store.h"

#include <fmt/format.h>

#include <iterator>
#include <memory>
#include <mutex>
#include <string>
#include <utility>
#include <vector>

#include "base/check.h"
#include "base/printable.h"
#include "engine/memory/limits.h"

namespace mayfly::engine {
namespace {

std::string NameVersion(Bytes key, const Value& value, bool newest) {
  const char* const what = !value   ? "a tombstone of"
                           : newest ? "the value of"
                                    : "an old version of";
  return fmt::format("{} key '{}'", what, Printable(key));
}

}  // namespace

MemoryStore::FrozenState::FrozenState(MemoryStore& store) : store_(store) {
  const std::unique_lock lock(store_.mutex_);
  sequence_ = store_.last_commit_;
  store_.open_states_.insert(sequence_);
}

MemoryStore::FrozenState::FrozenState(MemoryStore& store, const FrozenState& other)
    : store_(store), sequence_(other.sequence_) {
  const std::unique_lock lock(store_.mutex_);
  store_.open_states_.insert(sequence_);
}

MemoryStore::FrozenState::~FrozenState() {
  if (!store_.owner_.IsThis()) return;  // A thread of the parent may hold the lock.
  const std::unique_lock lock(store_.mutex_);
  auto& open = store_.open_states_;
  open.erase(open.find(sequence_));
  const Sequence oldest = open.empty() ? kNewest : *open.begin();
  for (MemoryMap& map : store_.maps_) map.Prune(oldest);
}

Value MemoryStore::Get(Role role, Bytes key, Sequence state) const {
  const auto lock = LockToRead();
  return map(role).Find(key, state);
}

void MemoryStore::MultiGet(std::span<Lookup*> lookups, Sequence state) const {
  const auto lock = LockToRead();
  for (Lookup* lookup : lookups) {
    lookup->status = Pin(map(lookup->at.role).Find(lookup->key, state), lookup->value);
  }
}

std::optional<Batch::Condition> MemoryStore::Commit(const Batch& batch) {
  const std::unique_lock lock(mutex_);
  for (std::size_t i = 0; i < batch.condition_count(); ++i) {
    if (!Holds(batch.condition(i))) return batch.condition(i);
  }
  const MemoryMap::Moment moment = NextMoment();
  for (std::size_t i = 0; i < batch.change_count(); ++i) Apply(batch.change(i), moment);
  return std::nullopt;
}

MemoryMap::Moment MemoryStore::NextMoment() {
  return {.commit = ++last_commit_,
          .newest_open = open_states_.empty() ? 0 : *open_states_.rbegin()};
}

bool MemoryStore::Holds(const Batch::Condition& condition) const {
  const Value found = map(condition.at.role).Find(condition.key, kNewest);
  return condition.expected ? found && *found == *condition.expected : !found;
}

void MemoryStore::Apply(const Batch::Change& change, MemoryMap::Moment moment) {
  MemoryMap& changed = map(change.at.role);
  switch (change.kind) {
    case Batch::Kind::kPut:
      changed.Write(change.key, std::make_shared<const std::string>(change.value), moment);
      return;
    case Batch::Kind::kDelete: changed.Write(change.key, nullptr, moment); return;
    case Batch::Kind::kDeleteRange: changed.DeleteRange(change.key, change.value, moment); return;
  }
  MAYFLY_CHECK(false, "a batch holds a change of an unknown kind");
}

void MemoryStore::Compact(Role role, const KeyRange& range, DropPolicy::Judge& judge) {
  std::string from(range.begin);
  std::vector<std::string> dead;
  for (bool done = false; !done;) {
    const std::unique_lock lock(mutex_);
    const MemoryMap::Chains& chains = map(role).chains();
    auto node = chains.lower_bound(from);
    for (std::size_t judged = 0; judged < kCompactStepKeys; ++judged, ++node) {
      done = node == chains.end() || (!range.end.empty() && node->first >= range.end);
      if (done) break;
      const Value& newest = node->second.newest();
      if (newest && judge.IsDead(node->first, *newest)) dead.push_back(node->first);
    }
    if (!done) from = std::prev(node)->first + '\0';  // The first key after those judged.

    if (dead.empty()) continue;
    const MemoryMap::Moment moment = NextMoment();
    for (const std::string& key : dead) map(role).Write(key, nullptr, moment);
    dead.clear();
  }
}

std::vector<Trace> MemoryStore::Find(Bytes needle, std::size_t traces_max) const {
  const auto lock = LockToRead();
  std::vector<Trace> traces;
  for (std::size_t i = 0; i < kRoleCount; ++i) {
    const Role role = static_cast<Role>(i);
    for (const auto& [key, chain] : map(role).chains()) {
      for (std::size_t v = 0; v < chain.size(); ++v) {
        const Value& value = chain.version(v);
        const bool held = key.find(needle) != std::string::npos ||
                          (value && value->find(needle) != std::string::npos);
        if (!held) continue;
        if (traces.size() == traces_max) return traces;
        traces.push_back({.where = std::string(RoleName(role)),
                          .what = NameVersion(key, value, v + 1 == chain.size())});
      }
    }
  }
  return traces;
}

void MemoryStore::Clear() {
  const std::unique_lock lock(mutex_);
  MAYFLY_CHECK(open_states_.empty(), "a memory engine was cleared while a state of it was open");
  for (MemoryMap& map : maps_) map.Clear();
}

std::size_t MemoryStore::memory_bytes() const {
  const auto lock = LockToRead();
  std::size_t bytes = 0;
  for (const MemoryMap& map : maps_) bytes += map.memory_bytes();
  return bytes;
}

Status Pin(Value value, PinnedBytes& pinned) {
  if (!value) {
    pinned.Reset();
    return Status::NotFound();
  }
  Value& holder = pinned.Hold<Value>();
  holder = std::move(value);
  pinned.Show(*holder);
  return {};
}

}  // namespace mayfly::engine

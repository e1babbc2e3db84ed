// version_chain.h - the versions of one key.
//   oldest | since 5: "a" | since 9: deleted | since 12: "b" | newest
// A state is the number of the last commit it shows; a version holds from its own `since` up to the
// `since` of the next. Invariants: (1) A chain is never empty. (2) `since` rises from version to
// version. (3) The bytes of a value never change; a rewrite puts another value in its place.
// Threads: guarded by the lock of its store.
#pragma once

#include <boost/container/devector.hpp>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <string>

namespace mayfly::engine {

// Counts commits. State 0 is empty.
using Sequence = std::uint64_t;
inline constexpr Sequence kNewest = std::numeric_limits<Sequence>::max();

// Null: the key is deleted. Shared by the chain and by readers that pinned it.
using Value = std::shared_ptr<const std::string>;

class VersionChain {
 public:
  VersionChain(Sequence since, Value value) { Append(since, std::move(value)); }

  // The value at `state`; null when the key was absent then.
  Value At(Sequence state) const;

  const Value& newest() const { return versions_.back().value; }
  Sequence newest_since() const { return versions_.back().since; }
  std::size_t size() const { return versions_.size(); }

  // The i-th version, oldest first; null when the key was deleted then.
  const Value& version(std::size_t i) const { return versions_[i].value; }

  // Adds a version; `since` must be later than the newest.
  void Append(Sequence since, Value value);

  // Gives the newest version another value, as if it had been this one all along: only while no
  // open state reaches it.
  void RewriteNewest(Value value) { versions_.back().value = std::move(value); }

  // Removes and returns the oldest of at least two versions.
  Value TakeOldest();

 private:
  struct Version {
    Sequence since;
    Value value;
  };

  // Grows at one end, shrinks at the other.
  boost::container::devector<Version> versions_;
};

}  // namespace mayfly::engine

// object_store.h - what the cluster engine needs of a replicated store: named objects, each with an
// ordered map of keys, and each changed atomically.
// A store is RADOS (engine/cluster/rados) or, in tests, memory (testing/memory_objects.h).
// Invariants:
// (1) A write of a map happens whole or not at all, if all its conditions hold, and is durable when
//     its reply is Ok. Of two writes of one object, one comes first, for everybody.
// (2) A read that begins after a write was acknowledged shows it.
// (3) Every call gets exactly one reply, later than the call and from a thread of the store. The
//     destructor gives the replies that are missing.
// Replies:
//   Ok        it happened
//   Conflict  a condition does not hold; nothing was written
//   Busy      no reply in time: the outcome is unknown, and the request may still take effect
//   others    the store refused; nothing was written
// Threads: every call from any thread. Replies must return soon, since others wait behind them.
#pragma once

#include <cstddef>
#include <functional>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "mayfly/bytes.h"
#include "mayfly/result.h"
#include "mayfly/status.h"

namespace mayfly::engine::cluster {

using MapEntry = std::pair<std::string, std::string>;

// A key has exactly these bytes. Empty: it is absent, or has no bytes, which is the same here.
struct MapCondition {
  std::string key;
  std::string expected;
};

// One operation on the map of one object, which is made if there is none. Conditions see the map as
// it was before. No key is both removed and set.
struct MapWrite {
  std::vector<MapCondition> conditions = {};
  std::vector<std::string> removals = {};  // Absent keys are no error.
  std::vector<MapEntry> sets = {};
};

struct MapPage {
  std::vector<MapEntry> entries;  // In byte order.
  bool more = false;
};

class ObjectStore {
 public:
  using Done = std::function<void(Status)>;
  template <typename T>
  using Reply = std::function<void(Result<T>)>;

  virtual ~ObjectStore() = default;
  ObjectStore(const ObjectStore&) = delete;
  ObjectStore& operator=(const ObjectStore&) = delete;

  // In messages: "pool mayfly of the Ceph cluster at ...".
  virtual const std::string& name() const = 0;

  // The entries after `after`, which is excluded; the first ones if it is empty. At most
  // kMapPageMax are asked for. An absent object has none.
  virtual void ReadMapPage(const std::string& object, const std::string& after,
                           std::size_t entries_max, Reply<MapPage> reply) = 0;

  // The values of these keys, in this order; empty for an absent one. All of one state.
  virtual void ReadMapKeys(const std::string& object, std::vector<std::string> keys,
                           Reply<std::vector<std::string>> reply) = 0;

  // `write` is shared with the caller, who may send it again, and does not change.
  virtual void WriteMap(const std::string& object, std::shared_ptr<const MapWrite> write,
                        Done done) = 0;

  // Objects of plain bytes, up to kPlainObjectBytesMax.
  virtual void WriteObject(const std::string& object, std::string bytes, Done done) = 0;
  virtual void ReadObject(const std::string& object, Reply<std::string> reply) = 0;  // Or NotFound.
  virtual void RemoveObject(const std::string& object, Done done) = 0;  // An absent one: Ok.

 protected:
  ObjectStore() = default;
};

}  // namespace mayfly::engine::cluster

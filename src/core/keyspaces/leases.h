// leases.h - named exclusive leases, in memory, until released. Threads: any.
#pragma once

#include <memory>
#include <mutex>
#include <set>
#include <string>

#include "base/owner_process.h"
#include "mayfly/database.h"
#include "mayfly/result.h"

namespace mayfly::core {

class Leases {
 public:
  // Takes the lease of this name. Busy while it is held. The lease may outlive the database.
  Result<std::unique_ptr<Lease>> Take(const std::string& name);

 private:
  struct Taken {
    const OwnerProcess owner;
    std::mutex mutex;
    std::set<std::string> names;  // Guarded by mutex.
  };
  class Held;

  const std::shared_ptr<Taken> taken_ = std::make_shared<Taken>();  // Shared with held leases.
};

}  // namespace mayfly::core

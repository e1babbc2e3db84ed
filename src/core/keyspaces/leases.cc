#include "core/keyspaces/leases.h"

#include <fmt/format.h>

#include <utility>

#include "base/printable.h"

namespace mayfly::core {

class Leases::Held final : public Lease {
 public:
  Held(std::shared_ptr<Taken> taken, std::string name)
      : taken_(std::move(taken)), name_(std::move(name)) {}
  ~Held() override {
    if (!taken_->owner.IsThis()) return;
    const std::lock_guard lock(taken_->mutex);
    taken_->names.erase(name_);
  }

 private:
  const std::shared_ptr<Taken> taken_;
  const std::string name_;
};

Result<std::unique_ptr<Lease>> Leases::Take(const std::string& name) {
  const std::lock_guard lock(taken_->mutex);
  if (!taken_->names.insert(name).second) {
    return Status::Busy(
        fmt::format("'{}' of this database is taken; use the one there is, or let it go first",
                    Printable(name)));
  }
  return std::unique_ptr<Lease>(std::make_unique<Held>(taken_, name));
}

}  // namespace mayfly::core

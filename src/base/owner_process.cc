#include "base/owner_process.h"

#include <pthread.h>

namespace mayfly {

OwnerProcess::OwnerProcess() {
  static const int watched = ::pthread_atfork(nullptr, nullptr, &InChild);
  static_cast<void>(watched);  // Fails only without memory; then forks go unnoticed.
  generation_ = current_.load(std::memory_order_relaxed);
}

Status OwnerProcess::Refusal() {
  return Status::Invalid(
      "the database was opened before fork(), by the parent of this process, and is the parent's; "
      "open it anew here, once the parent has closed it");
}

}  // namespace mayfly

#include "server/scripting/script_run.h"

namespace mayfly::server {

ScriptRun::Stop ScriptRun::RequestStop(bool though_it_wrote) {
  const std::lock_guard lock(mutex_);
  if (has_written_ && !though_it_wrote) return Stop::kHasWritten;
  stop_requested_ = true;
  return Stop::kStopped;
}

bool ScriptRun::half_done() const {
  const std::lock_guard lock(mutex_);
  return has_written_ && stop_requested_;
}

bool ScriptRun::BeginWrite() {
  const std::lock_guard lock(mutex_);
  if (stop_requested_) return false;
  has_written_ = true;
  return true;
}

}  // namespace mayfly::server

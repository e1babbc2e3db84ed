#include "server/scripting/lua/script_run.h"

#include <utility>

namespace mayfly::server {

ScriptRun::Stop ScriptRun::RequestStop(bool though_it_wrote) {
  const std::lock_guard lock(mutex_);
  if (has_written_ && !though_it_wrote) return Stop::kHasWritten;
  stop_requested_ = true;
  return Stop::kStopped;
}

void ScriptRun::Abort(std::string line) {
  const std::lock_guard lock(mutex_);
  if (stop_requested_) return;
  stop_requested_ = true;
  stop_line_ = std::move(line);
}

std::string ScriptRun::stop_line() const {
  const std::lock_guard lock(mutex_);
  return stop_line_;
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

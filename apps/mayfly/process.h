// process.h - what a server is to the system it runs on: a process in the background, with a file
// that tells its id, and a supervisor that waits for it.
#pragma once

#include <string>
#include <string_view>

#include "mayfly/status.h"

namespace mayfly::app {

// Goes to the background, as daemonize asks: the process that was started ends at once with exit
// code 0, and a child of it, without a terminal and with its standard streams closed, goes on.
// Before any thread is started.
Status GoToBackground();

// Writes the process id to the file, and removes it again with this object.
class PidFile {
 public:
  explicit PidFile(std::string path);  // Empty: there is none.
  ~PidFile();
  PidFile(const PidFile&) = delete;
  PidFile& operator=(const PidFile&) = delete;

  const Status& status() const { return status_; }

 private:
  const std::string path_;
  Status status_;
};

// Whether systemd waits to be told: NOTIFY_SOCKET is set.
bool SupervisorWaits();

// Tells systemd, for example "READY=1". IoError when that fails, or nobody waits.
Status TellSupervisor(std::string_view state);

}  // namespace mayfly::app

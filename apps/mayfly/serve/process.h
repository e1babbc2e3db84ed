// process.h - the server as a process: going to the background, the pid file, and notifying
// systemd.
#pragma once

#include <string>
#include <string_view>

#include "mayfly/status.h"

namespace mayfly::app {

// Goes to the background, as daemonize asks: the process that was started ends at once with exit
// code 0, and a child of it, without a terminal and with its standard streams closed, goes on.
// Before any thread is started.
Status GoToBackground();

// Writes the process id to the file; the destructor removes the file.
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

// True if systemd waits for a notification: NOTIFY_SOCKET is set.
bool SupervisorWaits();

// Notifies systemd, for example "READY=1". IoError when that fails, or NOTIFY_SOCKET is not set.
Status NotifySupervisor(std::string_view state);

}  // namespace mayfly::app

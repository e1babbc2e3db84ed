// serve.h - `mayfly serve`: a database on the network.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "mayfly/status.h"

namespace mayfly::app {

struct ServeFlags {
  std::string config_file;
  std::vector<std::pair<std::string, std::string>> settings;  // By name; they win over the file.
  bool manual_clock = false;
};

// Serves until SIGINT, SIGTERM or SHUTDOWN, then makes everything durable and closes the database.
// Invalid and IoError say what is wrong with the settings, the folder or the addresses.
Status RunServe(const ServeFlags& flags, const std::string& version);

}  // namespace mayfly::app

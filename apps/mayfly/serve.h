// serve.h - `mayfly serve`: a database on the network.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "mayfly/status.h"

namespace mayfly::server {
class Config;
}  // namespace mayfly::server

namespace mayfly::app {

struct ServeFlags {
  std::string config_file;
  std::vector<std::pair<std::string, std::string>> settings;  // By name; they win over the file.
  bool manual_clock = false;
};

// Takes over what file and flags say. Invalid: there is no such setting, or it cannot be so.
Status LoadSettings(const ServeFlags& flags, server::Config& config);

// Serves until SIGINT, SIGTERM or SHUTDOWN, then makes everything durable and closes the database.
// The error says what is wrong with the folder or the addresses, or could not be made durable.
Status RunServe(const ServeFlags& flags, const std::string& version, server::Config& config);

}  // namespace mayfly::app

// serve.h - `mayfly serve`: a database on the network.
#pragma once

#include <functional>
#include <string>
#include <utility>
#include <vector>

#include "mayfly/status.h"

namespace mayfly::server {
class Config;
class Network;
}  // namespace mayfly::server

namespace mayfly::app {

struct ServeFlags {
  std::string config_file;
  std::vector<std::pair<std::string, std::string>> settings;  // By name; they win over the file.
  bool manual_clock = false;
  // Not null: serves quietly for its own process, which stops it: signals and the terminal are left
  // alone. Called on the serving thread when clients can connect.
  std::function<void(server::Network&)> when_ready = nullptr;
};

// Applies the settings of file and flags. Invalid: a setting is unknown, or its value is wrong.
Status LoadSettings(const ServeFlags& flags, server::Config& config);

// Serves until SIGINT, SIGTERM or SHUTDOWN, then makes everything durable and closes the database.
// Returns the error when the folder or an address cannot be used, or something cannot be made
// durable.
Status RunServe(const ServeFlags& flags, const std::string& version, server::Config& config);

}  // namespace mayfly::app

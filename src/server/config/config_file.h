// config_file.h - settings in a file: TOML, `name = value` with the names of the settings, or
// Redis' own format (redis_config.h). The first setting in it tells which.
//   port = 6379
//   appendfsync = "everysec"
//   protected-mode = true              # or "yes"
//   user = ["ann on >pw ~* +@all"]     # users; one line
#pragma once

#include <string>
#include <vector>

#include "mayfly/status.h"
#include "server/config/config.h"

namespace mayfly::server {

// Invalid, with file, line and reason, for what is neither format, no setting, or no value of it.
// IoError when the file cannot be read. The config remembers the file.
Status LoadConfigFile(const std::string& path, Config& config);

// Writes what differs from the defaults back to the file it came from: lines of settings are
// replaced where they stand, everything else is kept, new ones go to the end. `users` stand in
// place of those the file had: "user NAME RULE ..." each. All or nothing, after a power cut, too.
// Safe to call from any thread: one writes at a time.
Status RewriteConfigFile(const Config& config, const std::vector<std::string>& users = {});

}  // namespace mayfly::server

// config_file.h - settings in a file: TOML, `name = value` with the names of the settings, or
// Redis' own format (redis_config.h). The first setting decides which.
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

// Invalid, with file, line and reason, for a text in neither format, an unknown setting, or a wrong
// value. IoError when the file cannot be read. The config remembers the file.
Status LoadConfigFile(const std::string& path, Config& config);

// Writes the settings that differ from the defaults back to their file: lines of settings are
// replaced where they stand, everything else is kept, new ones go to the end. `users` replace those
// of the file: "user NAME RULE ..." each. All or nothing, also after a power cut. Safe to call from
// any thread: calls are serialised.
Status RewriteConfigFile(const Config& config, const std::vector<std::string>& users = {});

}  // namespace mayfly::server

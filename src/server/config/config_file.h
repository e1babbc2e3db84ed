// config_file.h - settings in a file: TOML, `name = value` with the names of the settings.
//   port = 6379
//   appendfsync = "everysec"
//   protected-mode = true              # or "yes"
#pragma once

#include <string>

#include "mayfly/status.h"
#include "server/config/config.h"

namespace mayfly::server {

// Invalid, with file, line and reason, for what is no TOML, no setting, or no value of it. IoError
// when the file cannot be read. The config remembers the file.
Status LoadConfigFile(const std::string& path, Config& config);

// Writes what differs from the defaults back to the file it came from: lines of settings are
// replaced where they stand, everything else is kept, new ones go to the end. All or nothing,
// after a power cut, too. Safe to call from any thread: one writes at a time.
Status RewriteConfigFile(const Config& config);

}  // namespace mayfly::server

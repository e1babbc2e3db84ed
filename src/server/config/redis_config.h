// redis_config.h - settings in the format of Redis' own file, redis.conf.
//   bind 127.0.0.1 -::1            # a comment begins a line
//   requirepass "a secret"         quoted as redis-cli takes it
//   user ann on >pw ~app:* +@read  kept for whoever knows users
//   include /etc/mayfly/*.conf     at this place; later lines win
// What would not be so is refused and never passed over: rename-command, loadmodule, replicaof and
// their like.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "mayfly/status.h"
#include "server/config/config.h"

namespace mayfly::server {

// Whether a text is TOML, `name = value`, and not in this format: the first setting tells.
bool LooksLikeToml(std::string_view text);

// Invalid, with file, line and what to do, for what is no setting, no value of it, or not offered.
Status ApplyRedisConfig(const std::string& text, const std::string& path, Config& config);

// The text with the settings as they are now, and `users` in place of those it had: lines are
// replaced where they stand, comments and what is included are kept, new ones go to the end.
std::string RewriteRedisConfig(const std::string& before, const Config& config,
                               const std::vector<std::string>& users);

}  // namespace mayfly::server

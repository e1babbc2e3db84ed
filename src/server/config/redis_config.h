// redis_config.h - settings in the format of Redis' own file, redis.conf.
//   bind 127.0.0.1 -::1            # a comment begins a line
//   requirepass "a secret"         quoted as redis-cli takes it
//   user ann on >pw ~app:* +@read  kept for the ACL
//   include /etc/mayfly/*.conf     at this place; later lines win
//   rename-command CONFIG ""       for the table of commands
// A setting that Redis has and that means nothing here is taken with its value; the log names it, and
// why, when the server starts. Directives whose loss would harm are refused and never skipped:
// loadmodule, sentinel.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "mayfly/status.h"
#include "server/config/config.h"

namespace mayfly::server {

// Whether a text is TOML, `name = value`, and not in this format: the first setting decides.
bool LooksLikeToml(std::string_view text);

// Invalid, with file, line and advice, for an unknown setting, a wrong value, or one not offered.
Status ApplyRedisConfig(const std::string& text, const std::string& path, Config& config);

// The text with the current settings, and `users` in place of those it had: lines are replaced
// where they stand, comments and includes are kept, new ones go to the end.
std::string RewriteRedisConfig(const std::string& before, const Config& config,
                               const std::vector<std::string>& users);

}  // namespace mayfly::server

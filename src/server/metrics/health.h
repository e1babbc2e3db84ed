// health.h - whether the server works (/health) and whether it takes clients (/ready).
// A supervisor restarts what is not healthy; a balancer sends no client to what is not ready. Before the
// database is open there is no port to ask.
#pragma once

#include "http/router.h"
#include "server/session/server.h"

namespace mayfly::server {

// 503 and the reason when commits are refused, cannot be made durable, or meet damage.
http::Response Health(Server& server);

// 503 once the server has begun to stop. Answers at once, whatever the database does.
http::Response Readiness(const Server& server);

}  // namespace mayfly::server

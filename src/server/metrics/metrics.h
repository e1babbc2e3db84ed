// metrics.h - /metrics in Prometheus' text format, /health and /ready.
#pragma once

#include "http/router.h"
#include "server/session/server.h"

namespace mayfly::server {

// The server must outlive the router's use.
void AddMetrics(http::Router& router, Server& server);

}  // namespace mayfly::server

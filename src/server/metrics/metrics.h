// metrics.h - /metrics in Prometheus' text format, and /health.
#pragma once

#include <string>

#include "http/router.h"
#include "server/session/server.h"

namespace mayfly::server {

// The server must outlive the router's use.
void AddMetrics(http::Router& router, Server& server);

std::string MetricsText(Server& server);

}  // namespace mayfly::server

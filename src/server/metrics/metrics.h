// metrics.h - /metrics in Prometheus' text format, /health and /ready.
#pragma once

#include "http/router.h"
#include "server/session/server.h"
#include "server/stats/request_statistics.h"

namespace mayfly::server {

// The server must outlive the router's use, and so must the requests over HTTP that are counted;
// null: none are.
void AddMetrics(http::Router& router, Server& server, const RequestStatistics* requests = nullptr);

}  // namespace mayfly::server

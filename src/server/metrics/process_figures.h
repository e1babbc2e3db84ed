// process_figures.h - what Prometheus' own libraries tell of every process, under the same names.
#pragma once

#include "server/metrics/metrics_writer.h"

namespace mayfly::server {

// `start_seconds`: since the epoch.
void WriteProcess(MetricsWriter& out, double start_seconds);

}  // namespace mayfly::server

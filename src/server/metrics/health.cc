#include "server/metrics/health.h"

#include <string>

#include "server/session/gathered_statistics.h"
#include "server/stats/clock_words.h"

namespace mayfly::server {
namespace {

constexpr int kUnavailable = 503;

}  // namespace

http::Response Health(Server& server) {
  const auto statistics = GatherStatistics(server);
  // First, because it may be the cause of the next.
  if (statistics && statistics->disk_full) {
    return {.status = kUnavailable,
            .body = "the disk is full: writes that add bytes are refused; free some space\n"};
  }
  if (!server.last_save_ok) {
    return {.status = kUnavailable, .body = "commits cannot be made durable\n"};
  }
  if (!statistics) return {.status = kUnavailable, .body = statistics.error().ToString() + "\n"};
  if (statistics->damage_seen > 0) {
    return {.status = kUnavailable,
            .body = "storage is damaged: " + statistics->first_damage + "\n"};
  }
  // Every key is served correctly; only space waits. So a balancer need not turn away.
  const std::string clock = ClockAdvice(statistics->clock);
  return {.body = clock.empty() ? "ok\n" : "ok\n" + clock + "\n"};
}

http::Response Readiness(const Server& server) {
  if (server.stops) return {.status = kUnavailable, .body = "the server stops\n"};
  return {.body = "ready\n"};
}

}  // namespace mayfly::server

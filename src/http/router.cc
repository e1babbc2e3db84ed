#include "http/router.h"

#include <fmt/format.h>

#include <exception>
#include <utility>

namespace mayfly::http {
namespace {

std::string_view HandledAs(std::string_view method) { return method == "HEAD" ? "GET" : method; }

}  // namespace

void Router::Add(std::string method, std::string path, Handler handler, RouteOptions options) {
  by_path_[std::move(path)][std::move(method)] = {std::move(handler), std::move(options)};
}

Response Router::Answer(const Request& request) const {
  const auto path = by_path_.find(request.path);
  if (path == by_path_.end()) {
    return {.status = 404, .body = fmt::format("nothing is at {}\n", request.path)};
  }
  const auto route = path->second.find(HandledAs(request.method));
  if (route == path->second.end()) {
    std::string allowed;
    for (const auto& [method, ignored] : path->second) {
      allowed += (allowed.empty() ? "" : ", ") + method;
    }
    return {.status = 405,
            .body = fmt::format("{} takes {}\n", request.path, allowed),
            .headers = {{"Allow", allowed}}};
  }
  try {
    return route->second.handler(request);
  } catch (const std::exception& error) {
    return {.status = 500, .body = fmt::format("it failed: {}\n", error.what())};
  }
}

const RouteOptions& Router::OptionsOf(std::string_view method, std::string_view path) const {
  static const RouteOptions kNone;
  const auto at_path = by_path_.find(path);
  if (at_path == by_path_.end()) return kNone;
  const auto route = at_path->second.find(HandledAs(method));
  return route == at_path->second.end() ? kNone : route->second.options;
}

}  // namespace mayfly::http

#include "server/http/http_router.h"

#include <fmt/format.h>

#include <exception>

namespace mayfly::server {

void HttpRouter::Add(std::string method, std::string path, HttpHandler handler) {
  by_path_[std::move(path)][std::move(method)] = std::move(handler);
}

HttpResponse HttpRouter::Answer(const HttpRequest& request) const {
  const auto path = by_path_.find(request.path);
  if (path == by_path_.end()) {
    return {.status = 404, .body = fmt::format("nothing is at {}\n", request.path)};
  }
  const auto handler = path->second.find(request.method == "HEAD" ? "GET" : request.method);
  if (handler == path->second.end()) {
    std::string allowed;
    for (const auto& [method, ignored] : path->second) {
      allowed += (allowed.empty() ? "" : ", ") + method;
    }
    return {.status = 405,
            .body = fmt::format("{} takes {}\n", request.path, allowed),
            .headers = {{"Allow", allowed}}};
  }
  try {
    return handler->second(request);
  } catch (const std::exception& error) {
    return {.status = 500, .body = fmt::format("it failed: {}\n", error.what())};
  }
}

}  // namespace mayfly::server

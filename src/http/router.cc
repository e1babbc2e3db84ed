#include "http/router.h"

#include <fmt/format.h>

#include <exception>
#include <utility>

namespace mayfly::http {
namespace {

std::string_view HandledAs(std::string_view method) { return method == "HEAD" ? "GET" : method; }

Response Failed(const std::exception& error) {
  return {.status = 500, .body = fmt::format("it failed: {}\n", error.what())};
}

Response Try(const Handler& handler, const Request& request) {
  try {
    return handler(request);
  } catch (const std::exception& error) {
    return Failed(error);
  }
}

void TryGroup(const GroupHandler& handler, std::span<Exchange* const> exchanges) {
  try {
    handler(exchanges);
  } catch (const std::exception& error) {
    for (Exchange* const exchange : exchanges) {
      if (!exchange->response) exchange->response = Failed(error);
    }
  }
}

// How many of the first have a response, and the bytes of those.
struct Answered {
  std::size_t count = 0;
  std::size_t bytes = 0;
};

Answered CountAnswered(std::span<Exchange* const> exchanges) {
  Answered answered;
  for (const Exchange* const exchange : exchanges) {
    if (!exchange->response) break;
    ++answered.count;
    answered.bytes += exchange->response->body.size();
  }
  return answered;
}

}  // namespace

void Router::Add(std::string method, std::string path, Handler handler, RouteOptions options) {
  AddGroup(
      std::move(method), std::move(path),
      [handler = std::move(handler)](std::span<Exchange* const> exchanges) {
        std::size_t bytes = 0;
        for (Exchange* const exchange : exchanges) {
          exchange->response = Try(handler, exchange->request);
          bytes += exchange->response->body.size();
          if (bytes > kOutputBytesBeforeSend) return;
        }
      },
      std::move(options));
}

void Router::AddGroup(std::string method, std::string path, GroupHandler handler,
                      RouteOptions options) {
  by_path_[std::move(path)][std::move(method)] = {std::move(handler), std::move(options)};
}

// Consecutive requests of one route are passed to it together.
void Router::Answer(std::span<Exchange* const> exchanges) const {
  std::size_t bytes = 0;
  while (!exchanges.empty() && bytes <= kOutputBytesBeforeSend) {
    const Request& first = exchanges.front()->request;
    const Route* const route = Find(first.method, first.path);
    if (route == nullptr) {
      exchanges.front()->response = NoRoute(first);
      exchanges = exchanges.subspan(1);
      continue;
    }
    std::size_t count = 1;
    while (count < exchanges.size() &&
           Find(exchanges[count]->request.method, exchanges[count]->request.path) == route) {
      ++count;
    }
    TryGroup(route->handler, exchanges.first(count));
    const Answered answered = CountAnswered(exchanges.first(count));
    if (answered.count < count) return;
    bytes += answered.bytes;
    exchanges = exchanges.subspan(count);
  }
}

const RouteOptions& Router::OptionsOf(std::string_view method, std::string_view path) const {
  static const RouteOptions kNone;
  const Route* const route = Find(method, path);
  return route == nullptr ? kNone : route->options;
}

const Router::Route* Router::Find(std::string_view method, std::string_view path) const {
  const auto at_path = by_path_.find(path);
  if (at_path == by_path_.end()) return nullptr;
  const auto route = at_path->second.find(HandledAs(method));
  return route == at_path->second.end() ? nullptr : &route->second;
}

Response Router::NoRoute(const Request& request) const {
  const auto path = by_path_.find(request.path);
  if (path == by_path_.end()) {
    // The path is a stranger's text: a browser must not take it for a page.
    return {.status = 404,
            .body = fmt::format("nothing is at {}\n", request.path),
            .headers = {{"X-Content-Type-Options", "nosniff"}}};
  }
  std::string allowed;
  for (const auto& [method, ignored] : path->second) {
    allowed += (allowed.empty() ? "" : ", ") + method;
  }
  return {.status = 405,
          .body = fmt::format("{} takes {}\n", request.path, allowed),
          .headers = {{"Allow", allowed}, {"X-Content-Type-Options", "nosniff"}}};
}

}  // namespace mayfly::http

// router.h - who answers which HTTP request. Free of sockets, so that other modules add to it.
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <utility>

#include "http/limits.h"

namespace mayfly::http {

struct Request {
  std::string method;  // "GET", "POST".
  std::string path;    // Without the query.
  std::string query;   // Behind the '?'.
  std::string body;
  std::map<std::string, std::string, std::less<>> headers;  // Names in lower case.

  // Empty when it is not there.
  std::string_view Header(std::string_view lower_name) const {
    const auto found = headers.find(lower_name);
    return found == headers.end() ? std::string_view() : std::string_view(found->second);
  }
};

struct Response {
  int status = 200;
  std::string content_type = "text/plain; charset=utf-8";
  std::string body;
  std::map<std::string, std::string> headers = {};
};

// Called from any thread, several at a time. It may take its time: others are answered meanwhile,
// as long as there are threads.
using Handler = std::function<Response(const Request& request)>;

// Words a refusal of the server's own (413, 431, 400) in a route's manner.
using Refuser = std::function<Response(int status)>;

struct RouteOptions {
  std::size_t body_bytes_max = kBodyBytesMax;
  Refuser refuse = nullptr;  // Nothing: a status without a body.
};

// Filled before the server runs; then safe to ask from any thread.
class Router {
 public:
  void Add(std::string method, std::string path, Handler handler, RouteOptions options = {});

  // 404 when nobody answers for the path, 405 when not for this method, 500 when the handler
  // throws. HEAD is answered by GET's handler.
  Response Answer(const Request& request) const;

  // Of the route that would answer; the defaults when none would.
  const RouteOptions& OptionsOf(const std::string& method, const std::string& path) const;

 private:
  struct Route {
    Handler handler;
    RouteOptions options;
  };

  std::map<std::string, std::map<std::string, Route>> by_path_;  // Then by method.
};

// The path in front of a target's '?', and what is behind it.
std::pair<std::string, std::string> SplitTarget(std::string_view target);

}  // namespace mayfly::http

// router.h - who answers which HTTP request. Free of sockets, so that other modules add to it.
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <string>
#include <string_view>

#include "http/headers.h"
#include "http/limits.h"

namespace mayfly::http {

struct Request {
  std::string method;  // "GET", "POST".
  std::string path;    // Without the query.
  std::string query;   // Behind the '?'.
  std::string body;
  Headers headers;  // Names in lower case.

  // Empty when it is not there.
  std::string_view Header(std::string_view lower_name) const { return headers.Find(lower_name); }
};

struct Response {
  int status = 200;
  std::string_view content_type = "text/plain; charset=utf-8";  // Must outlive it: a literal.
  std::string body;
  Headers headers = {};  // Beside those that every answer has.
};

// Called from any thread, several at a time; the request is there until it returns. It may take its
// time, and delays the other clients of its thread meanwhile, nobody else.
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
  const RouteOptions& OptionsOf(std::string_view method, std::string_view path) const;

 private:
  struct Route {
    Handler handler;
    RouteOptions options;
  };

  using ByMethod = std::map<std::string, Route, std::less<>>;

  std::map<std::string, ByMethod, std::less<>> by_path_;
};

}  // namespace mayfly::http

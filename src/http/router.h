// router.h - routes HTTP requests to handlers. Free of sockets, so that other modules can add
// routes.
#pragma once

#include <cstddef>
#include <functional>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "http/headers.h"
#include "http/limits.h"

namespace mayfly::http {

// Where a request came from.
struct Peer {
  std::string address;  // "127.0.0.1:52123".
  bool local = false;   // A loopback address.
  bool tls = false;
};

struct Request {
  std::string method;  // "GET", "POST".
  std::string path;    // Without the query.
  std::string query;   // Behind the '?'.
  std::string body;
  Headers headers;             // Names in lower case.
  const Peer* peer = nullptr;  // Its connection's, which outlives it; null for one that had none.

  // Empty when it is missing.
  std::string_view Header(std::string_view lower_name) const { return headers.Find(lower_name); }
};

struct Response {
  int status = 200;
  std::string_view content_type = "text/plain; charset=utf-8";  // Must outlive it: a literal.
  std::string body;
  Headers headers = {};  // Beside those that every response has.
};

// A request, and its response once there is one.
struct Exchange {
  const void* client = nullptr;  // Identifies the connection.
  Request request;
  std::optional<Response> response;
};

// Called from any thread, several at a time; the request is valid until it returns. It may be slow,
// and delays only the other clients of its thread meanwhile.
using Handler = std::function<Response(const Request& request)>;

// The same for requests that arrived together, which may be processed as one. None has a response
// yet. Those of one client have the effect they would have one after the other. It answers at least
// the first; once the responses have kOutputBytesBeforeSend it leaves the rest for another call.
using GroupHandler = std::function<void(std::span<Exchange* const> exchanges)>;

// Formats the server's own error responses (413, 431, 400) for this route.
using Refuser = std::function<Response(int status)>;

struct RouteOptions {
  std::size_t body_bytes_max = kBodyBytesMax;
  Refuser refuse = nullptr;  // Nothing: a status without a body.
};

// Filled before the server runs; then safe to call from any thread.
class Router {
 public:
  void Add(std::string method, std::string path, Handler handler, RouteOptions options = {});
  void AddGroup(std::string method, std::string path, GroupHandler handler,
                RouteOptions options = {});

  // Answers at least the first, and as many as fit, as a GroupHandler does. 404 when there is no
  // route for the path, 405 when not for this method, 500 when the handler throws. HEAD is answered
  // by GET's handler.
  void Answer(std::span<Exchange* const> exchanges) const;

  // Options of the route that would answer; the defaults when there is none.
  const RouteOptions& OptionsOf(std::string_view method, std::string_view path) const;

 private:
  struct Route {
    GroupHandler handler;
    RouteOptions options;
  };

  using ByMethod = std::map<std::string, Route, std::less<>>;

  const Route* Find(std::string_view method, std::string_view path) const;
  Response NoRoute(const Request& request) const;

  std::map<std::string, ByMethod, std::less<>> by_path_;
};

}  // namespace mayfly::http

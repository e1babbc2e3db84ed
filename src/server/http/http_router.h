// http_router.h - who answers which HTTP request. Free of sockets, so that other modules add to it.
#pragma once

#include <functional>
#include <map>
#include <string>
#include <string_view>
#include <utility>

namespace mayfly::server {

struct HttpRequest {
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

struct HttpResponse {
  int status = 200;
  std::string content_type = "text/plain; charset=utf-8";
  std::string body;
  std::map<std::string, std::string> headers = {};
};

using HttpHandler = std::function<HttpResponse(const HttpRequest& request)>;

// Filled before the server runs; then safe to ask from any thread.
class HttpRouter {
 public:
  void Add(std::string method, std::string path, HttpHandler handler);

  // 404 when nobody answers for the path, 405 when not for this method, 500 when the handler
  // throws. HEAD is answered by GET's handler.
  HttpResponse Answer(const HttpRequest& request) const;

 private:
  std::map<std::string, std::map<std::string, HttpHandler>> by_path_;  // Then by method.
};

}  // namespace mayfly::server

#include "console/responses.h"

#include <boost/json/object.hpp>
#include <utility>

#include "dynamo/json/json.h"

namespace mayfly::console {

void Dress(http::Response& response) {
  response.headers["Content-Security-Policy"] =
      "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; "
      "connect-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'";
  response.headers["X-Content-Type-Options"] = "nosniff";
  response.headers["Referrer-Policy"] = "no-referrer";
  response.headers["Cross-Origin-Resource-Policy"] = "same-origin";
  response.headers["Cross-Origin-Opener-Policy"] = "same-origin";
}

http::Response JsonResponse(int status, std::string body) {
  http::Response response{
      .status = status, .content_type = "application/json; charset=utf-8", .body = std::move(body)};
  Dress(response);
  response.headers["Cache-Control"] = "no-store";
  return response;
}

http::Response Refusal(int status, std::string_view message) {
  return JsonResponse(status,
                      dynamo::ToText(boost::json::object{{"error", dynamo::ToJson(message)}}));
}

}  // namespace mayfly::console

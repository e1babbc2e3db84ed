// responses.h - the console's HTTP responses: each has the headers that bind a browser.
#pragma once

#include <string>
#include <string_view>

#include "http/router.h"

namespace mayfly::console {

// Adds what every response of the console has: nothing from outside is loaded or run, nobody may
// frame it or read it from another origin, and no address reaches others.
void Dress(http::Response& response);

// A JSON text, which no cache keeps.
http::Response JsonResponse(int status, std::string body);

// {"error": message}.
http::Response Refusal(int status, std::string_view message);

}  // namespace mayfly::console

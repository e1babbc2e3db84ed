// request_check.h - which requests the console answers at all: before it looks who is logged in.
#pragma once

#include <optional>
#include <string>
#include <string_view>

#include "http/router.h"
#include "server/config/config.h"

namespace mayfly::console {

// The refusal of a request that must not be answered: the console is off, the client is on another
// machine, or the Host is a name that is not ours. The last guards against a page whose name was made
// to mean this machine (DNS rebinding): its requests carry its own name.
std::optional<http::Response> RefuseStranger(const http::Request& request,
                                             const server::Config& config);

// The refusal of a request that a page of another origin made the browser send, as far as the
// browser tells.
std::optional<http::Response> RefuseForeignPage(const http::Request& request);

// The refusal of a body that a form of another page could have sent: 415 unless it is JSON.
std::optional<http::Response> RefuseForm(const http::Request& request);

// The value of a cookie; empty when there is none, or more than one: a page of a neighbouring name
// could have planted the other.
std::string_view CookieOf(const http::Request& request, std::string_view name);

// The address of the client without its port.
std::string_view AddressOf(const http::Request& request);

// What counts as one client for wrong passwords: its address, of IPv6 the first half, since a client
// has the other half to itself.
std::string NetworkOf(const http::Request& request);

}  // namespace mayfly::console
